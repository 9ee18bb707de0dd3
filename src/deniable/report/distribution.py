"""A distribution as a picture: what was reported against what is reconstructed.

Neither is the truth itself: one is disguised, the other estimated.
"""

import altair as alt
import numpy as np
import pandas as pd

from deniable.inference.reconstruct import Reconstruction, limits_of
from deniable.report.charts import bars, figure, steps
from deniable.report.page import document, escaped, noted, scrolled, table
from deniable.survey.question import Question

REPORTED, RECONSTRUCTED = "reported", "reconstructed"
MAX_ROWS = 24  # that people read


def page(found: Reconstruction, title: str) -> str:
    """The picture, and the figures below it; the page needs nothing else."""
    name = found.question.name if found.by is None else f"{found.question.name} by {found.by.name}"
    return document(
        title or name,
        f"<p>How {escaped(name)} is truly spread, reconstructed from {found.n:,} disguised replies, against what they "
        f"report{noted(found.note)}.</p>{figure(chart(found), name)}{_figures(found)}",
    )


def _figures(found: Reconstruction) -> str:
    """Shares in as few bands as people read; all intervals behind a fold."""
    few = found.merged(MAX_ROWS // len(found.groups))
    if len(few.shares) == len(found.shares):
        return _shares(found, "Shares")
    whole = f"<summary>All {len(found.shares)} intervals</summary>{_shares(found, 'All intervals')}"
    return f"{_shares(few, 'Shares')}<details>{whole}</details>"


def _shares(found: Reconstruction, label: str) -> str:
    columns = {name: column for name, column in found.columns().items() if name != "note" or len(set(column)) > 1}
    shown = [
        [f"{cell:.4f}" if name in ("share", "stderr") else cell for name, cell in zip(columns, row, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    return scrolled(table(list(columns), shown), label)


def chart(found: Reconstruction) -> alt.TopLevelMixin:
    """Numbers as two outlines, answers as bars side by side; one panel for each answer to the other question."""
    parts = []
    for index, group in enumerate(found.groups):
        parts.append(_rows(found.question, found.shares[:, index], RECONSTRUCTED, group))
        if found.reported is not None:
            parts.append(_rows(found.reported_as, found.reported[:, index], REPORTED, group))
    draw, value = (bars, "share") if found.question.range is None else (steps, "density")
    panel, named = (None, "") if found.by is None else ("group", found.by.name)
    return draw(pd.concat(parts), found.question.name, value, "shares", panel=panel, named=named)


def _rows(question: Question, shares: np.ndarray, series: str, group: str) -> pd.DataFrame:
    if question.range is None:
        return pd.DataFrame({question.name: question.answers, "share": shares, "shares": series, "group": group})
    lows, highs = (np.asarray(ends, dtype=float) for ends in limits_of(question))
    if question.range.integer:  # a whole number stands in the middle of its step
        lows, highs = lows - 0.5, highs + 0.5
    density = shares / (highs - lows)
    return pd.DataFrame(
        {
            question.name: np.append(lows, highs[-1]),
            "density": np.append(density, density[-1]),
            "shares": series,
            "group": group,
        }
    )
