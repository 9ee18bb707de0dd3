"""Regressions that people and programs can read: tables, a page, JSON."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from deniable.inference.estimates import Estimate
from deniable.regression.regression import Regression
from deniable.regression.summary import about, figures, notes, tests
from deniable.report.coefficients import STYLE, coefficient_plot
from deniable.report.page import document, escaped, scrolled, table

KEYS = ("answer", "term", "estimate", "stderr", "z", "p", "low", "high", "note")  # of a coefficient
HEADS = ["term", "estimate", "stderr", "z", "P>|z|", "low", "high", "note"]


def coefficient_rows(found: Regression) -> tuple[list[str], list[list[str]]]:
    """Every coefficient in figures, with their heads; a note where there is one."""
    noted = any(each.note for each in found.coefficients)
    rows = [[each.label, *figures(each), *[each.note] * noted] for each in found.coefficients]
    return HEADS if noted else HEADS[:-1], rows


def effect_rows(found: Regression) -> tuple[list[str], list[list[str]]]:
    """Average marginal effects, with their heads; a note where there is one."""
    noted, several = any(each.note for *_, each in found.effects), bool(found.fit.model.answers)
    heads = ["predictor", "change", *["answer"] * several, "effect", "stderr", "95 % interval", *["note"] * noted]
    rows = [[name, change, *[answer] * several, *_shown(each), *[each.note] * noted]
            for name, change, answer, each in found.effects]  # fmt: skip
    return heads, rows


def page(found: Regression, title: str) -> str:
    """A regression as one page that needs nothing else."""
    heads, rows = effect_rows(found)
    coefficients = scrolled(table(*coefficient_rows(found)), "Coefficients")
    lines = [about(found), *tests(found), *notes(found)]
    parts = [
        f"<p><code>{escaped(found.formula.text)}</code></p>",
        *[f"<p>{escaped(line)}</p>" for line in lines],
        f"<figure>{coefficient_plot(found)}<figcaption>Coefficients with their 95 % intervals; a filled point is one "
        "whose interval leaves zero out.</figcaption></figure>",
        f"<h2>Coefficients</h2>{coefficients}",
    ]
    if rows:
        parts.append(f"<h2>Average marginal effects</h2><p>{escaped(_meaning(found))}</p>"
                     f"{scrolled(table(heads, rows), 'Average marginal effects')}")  # fmt: skip
    return document(title, "\n".join(parts), STYLE)


def regression_document(found: Regression) -> dict[str, Any]:
    """A regression as JSON."""
    test = found.wald() if found.log_likelihood is None else found.likelihood_ratio
    return {
        "formula": found.formula.text,
        "outcome": found.fit.model.name,
        "answers": list(found.fit.model.answers),
        "model": found.fit.model.link,
        "method": found.method,
        "errors": found.fit.errors,
        "n": found.n,
        "converged": found.converged,
        "log_likelihood": found.log_likelihood,
        "test": {
            "kind": test.kind,
            "statistic": test.statistic,
            "degrees": test.degrees,
            "p_value": test.p_value,
            "note": "",
        },
        "coefficients": [{key: getattr(each, key) for key in KEYS} for each in found.coefficients],
        "effects": [
            {"predictor": name, "change": change, "answer": answer, "effect": each.value, **_figures(each)}
            for name, change, answer, each in found.effects
        ],
        "shares": [{"answer": answer, "share": each.value, **_figures(each)} for _, answer, each in found.shares()],
        "note": found.note,
    }


def _meaning(found: Regression) -> str:
    """What an effect is, in words."""
    if not found.fit.model.answers:
        return f"How much higher {found.fit.model.name} is on average, the other predictors being as they are."
    return "How much more frequent an answer is, as a share of all people, the other predictors being as they are."


def _shown(each: Estimate) -> Sequence[str]:
    return f"{each.value:.4f}", f"{each.stderr:.4f}", f"{each.low:.4f} to {each.high:.4f}"


def _figures(each: Estimate) -> dict[str, Any]:
    ends = {key: value if isfinite(value) else None for key, value in (("low", each.low), ("high", each.high))}
    return {"stderr": each.stderr, **ends, "note": each.note}
