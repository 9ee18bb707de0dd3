"""Altair charts of everything that the pages draw, for notebooks: `dn.plot.shares` and its like.

They take what the function of the same name takes or gives, and need `pip install 'deniable[charts]'`.

    shares, table, distribution   of replies         rules, coefficients   of what dn.rules and dn.regress found
    privacy, plan, advice, attack   of a design      tree, bayes, confusion   of what a model has learnt
"""

import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import narwhals as nw
import pandas as pd

from deniable.channel.design import Design
from deniable.count.replies import counts_of
from deniable.inference.error import Z
from deniable.inference.query.expression import equals_text
from deniable.inference.reconstruct import reconstruction
from deniable.inference.sampling.sample import Sample
from deniable.inference.shares import cell_estimates, estimate
from deniable.regression.regression import Regression
from deniable.report.charts import LETTERS, MAX_TITLE, intervals, narrow
from deniable.report.distribution import chart
from deniable.report.plot_designs import advice, attack, plan, privacy
from deniable.report.plot_models import bayes, confusion
from deniable.report.plot_tree import tree
from deniable.report.rules import explained

__all__ = [
    "advice",
    "attack",
    "bayes",
    "coefficients",
    "confusion",
    "distribution",
    "plan",
    "privacy",
    "rules",
    "shares",
    "table",
    "tree",
]


def shares(design: Design, replies: Any, *expressions: str) -> alt.TopLevelMixin:
    """Shares of the true answers with their 95 % intervals: of these expressions, or of every answer."""
    counts = counts_of(design, replies)
    asked = expressions or [
        equals_text(question.name, answer)
        for question in design.questions
        if question.range is None
        for answer in question.answers
    ]
    found = {text: estimate(design, counts, text) for text in asked}
    rows = [(text.replace("`", ""), each.value, each.low, each.high) for text, each in found.items()]
    label = "expression" if expressions else "true answer"
    frame = pd.DataFrame(rows, columns=[label, "share", "low", "high"])
    return narrow(intervals(frame, label, "share", "low", "high", title="estimated share of people"))


def table(
    design: Design, replies: Any, names: Sequence[str], percent: Literal["row", "column"] | None = None
) -> alt.TopLevelMixin:
    """The cross-table of the true answers, one line for each combination, with 95 % intervals."""
    names = [names] if isinstance(names, str) else list(names)
    design, sample = Sample.of(design, replies)
    found = cell_estimates(design, counts_of(design, replies), names, percent, sample)
    label = ", ".join(names)
    frame = pd.DataFrame(
        [(", ".join(words), each.value, each.low, each.high) for words, each in found],
        columns=[label, "share", "low", "high"],
    )
    of = {None: "of people", "row": f"of those with the same {', '.join(names[:-1])}", "column": f"of each {names[-1]}"}
    return narrow(intervals(frame, label, "share", "low", "high", title=f"estimated share {of[percent]}"))


def distribution(design: Design, replies: Any, question: str, by: str | None = None) -> alt.TopLevelMixin:
    """How the true answers to a question are spread, reconstructed, against what replies report."""
    return narrow(chart(reconstruction(design, counts_of(design, replies), question, by)))


def rules(found: Any, by: Literal["confidence", "support", "lift"] = "confidence", most: int = 30) -> alt.TopLevelMixin:
    """The highest of the rules that `dn.rules` found, each with its 95 % interval."""
    frame: pd.DataFrame = nw.from_native(found, eager_only=True).to_pandas()
    shown = frame.sort_values(by, ascending=False).head(most)
    around = Z * shown[f"{by}_stderr"]
    drawn = pd.DataFrame(
        {
            "rule": [
                f"{', '.join(sorted(left))} → {', '.join(sorted(right))}"
                for left, right in zip(shown["antecedents"], shown["consequents"], strict=True)
            ],
            by: shown[by].to_numpy(),
            "low": (shown[by] - around).to_numpy(),
            "high": (shown[by] + around).to_numpy(),
        }
    )
    beyond = explained({name: shown[name].tolist() for name in ("support", "confidence")}) if by != "lift" else []
    made = intervals(
        drawn, "rule", by, "low", "high", line=1.0 if beyond or by == "lift" else None, tested=by == "lift"
    )
    lines = textwrap.wrap("".join(beyond), MAX_TITLE)
    said = alt.TitleParams(lines, anchor="start", fontSize=LETTERS, fontWeight="normal", offset=12)
    return narrow(made.properties(title=said) if beyond else made)


def coefficients(found: Regression) -> alt.TopLevelMixin:
    """The coefficients of a regression with their 95 % intervals; filled where these leave zero out."""
    rows = [
        (f"{each.answer}: {each.term}" if each.answer else each.term, each.estimate, each.low, each.high)
        for each in found.coefficients
    ]
    frame = pd.DataFrame(rows, columns=["term", "estimate", "low", "high"])
    return narrow(intervals(frame, "term", "estimate", "low", "high", title="coefficient", line=0.0, tested=True))
