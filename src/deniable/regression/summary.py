"""Summary of a regression as text, in the manner of statsmodels and R."""

from collections.abc import Sequence

from deniable.regression.coefficient import Coefficient
from deniable.regression.regression import Regression

ERRORS = {"sandwich": "sandwich errors", "model": "errors of the model", "opg": "outer-product errors"}
HEADS = ("", "estimate", "stderr", "z", "P>|z|", "[0.025", "0.975]")


def summary(found: Regression) -> str:
    """The model, its coefficients and what to know of them."""
    rows = [[each.label, *figures(each)] for each in found.coefficients]
    widths = [max(len(row[column]) for row in [list(HEADS), *rows]) for column in range(len(HEADS))]
    rule = "=" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [
        f"{found.fit.model.link} regression: {found.formula.text}",
        about(found),
        rule,
        _line(HEADS, widths),
        "-" * len(rule),
        *[_line(row, widths) for row in rows],
        rule,
        *tests(found),
        *notes(found),
    ]
    return "\n".join(lines)


def about(found: Regression) -> str:
    """How it was fitted, and to what."""
    answers = found.fit.model.answers
    what = f"explains {answers[1]!r} against {answers[0]!r}" if len(answers) == 2 else ""
    worth = "" if found.log_likelihood is None else f"log-likelihood {found.log_likelihood:,.3f}"
    steps = found.fit.root.steps
    found_in = f"{steps} step{'s' * (steps > 1)}" if found.converged else "not converged"
    how = f"by {found.method}", ERRORS[found.fit.errors]
    return ", ".join(filter(None, [f"n = {found.n:,}", *how, worth, found_in, what]))


def tests(found: Regression) -> list[str]:
    """Whether the predictors matter at all."""
    if not any(name in found.fit.terms.names for name in found.wald().terms):
        return []
    if found.log_likelihood is not None:
        return [f"All terms, {found.likelihood_ratio}"]
    return [f"All terms, {found.wald()}"]


def notes(found: Regression) -> list[str]:
    """What to know, of all of it and of single terms."""
    own = [f"{each.label}: {each.note}" for each in found.coefficients if each.note and each.note not in found.note]
    return [f"Note: {note}" for note in [*filter(None, [found.note]), *own]]


def figures(each: Coefficient) -> list[str]:
    """The figures of a coefficient as people read them."""
    return [f"{each.estimate:.4f}", f"{each.stderr:.4f}", f"{each.z:.3f}", f"{each.p:.3f}", f"{each.low:.3f}",
            f"{each.high:.3f}"]  # fmt: skip


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([f"{first[0]:<{first[1]}}", *[f"{cell:>{width}}" for cell, width in others]]).rstrip()
