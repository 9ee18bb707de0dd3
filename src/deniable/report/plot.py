"""Altair charts of estimates, for notebooks: `dn.plot.shares`, `dn.plot.distribution`, `dn.plot.coefficients`.

They take what `dn.estimate`, `dn.reconstruct` and `dn.regress` take or give, and need `pip install 'deniable[charts]'`.
"""

from typing import Any

import altair as alt
import pandas as pd

from deniable.channel.design import Design
from deniable.count.replies import counts_of
from deniable.inference.reconstruct import reconstruction
from deniable.inference.shares import estimate
from deniable.regression.regression import Regression
from deniable.report.charts import intervals
from deniable.report.distribution import chart

__all__ = ["coefficients", "distribution", "shares"]


def shares(design: Design, replies: Any, *expressions: str) -> alt.TopLevelMixin:
    """Shares of the true answers with their 95 % intervals: of these expressions, or of every answer."""
    counts = counts_of(design, replies)
    asked = expressions or [
        f"`{question.name}` == {answer!r}"
        for question in design.questions
        if question.range is None
        for answer in question.answers
    ]
    found = {text: estimate(design, counts, text) for text in asked}
    rows = [(text.replace("`", ""), each.value, each.low, each.high) for text, each in found.items()]
    return intervals(pd.DataFrame(rows, columns=["of", "share", "low", "high"]), "of", "share", "low", "high")


def distribution(design: Design, replies: Any, question: str, by: str | None = None) -> alt.TopLevelMixin:
    """How the true answers to a question are spread, reconstructed, against what replies report."""
    return chart(reconstruction(design, counts_of(design, replies), question, by))


def coefficients(found: Regression) -> alt.TopLevelMixin:
    """The coefficients of a regression with their 95 % intervals."""
    rows = [
        (f"{each.answer}: {each.term}" if each.answer else each.term, each.estimate, each.low, each.high)
        for each in found.coefficients
    ]
    return intervals(pd.DataFrame(rows, columns=["term", "estimate", "low", "high"]), "term", "estimate", "low", "high")
