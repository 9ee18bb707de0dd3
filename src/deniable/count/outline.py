"""Outline of replies in pieces: what stands for all of them where single numbers do not matter.

It has the distinct replies, in which half of the respondents have the least of each number, and half the greatest.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from deniable.count.counts import Distinct
from deniable.count.merged import merged, together

Ends = Mapping[str, tuple[float, float]]  # the least and the greatest of each number


def outline_of(found: Distinct, measured: Sequence[str], ends: Ends) -> Distinct:
    """The outline, from distinct replies in which the least of each number stands for all that are there."""
    greatest = {
        name: np.where(np.isnan(column), np.nan, ends[name][1]) if name in measured else column
        for name, column in found.columns.items()
    }
    return together([Distinct(columns, found.counts / 2) for columns in (found.columns, greatest)])


def outline_of_pieces(pieces: Iterable[Distinct], measured: Sequence[str], weights: str | None) -> Distinct:
    """The outline of replies, in one pass; of weights only their sign matters, for which the ends stand."""
    ends = dict.fromkeys([*measured, *([weights] if weights else [])], (np.inf, -np.inf))
    few: list[Distinct] = []
    for piece in pieces:
        columns = dict(piece.columns)
        for name, (least, greatest) in ends.items():
            column = columns[name]
            ends[name] = float(np.fmin.reduce(column, initial=least)), float(np.fmax.reduce(column, initial=greatest))
            columns[name] = np.sign(column) if name == weights else column * 0.0
        few.append(merged(Distinct(columns, piece.counts)))
    found = merged(together(few))
    columns = dict(found.columns)
    for name, (least, greatest) in ends.items():
        sign = columns[name]
        columns[name] = sign + least if name != weights else np.where(sign > 0, greatest, sign * abs(least))
    return outline_of(Distinct(columns, found.counts), measured, ends)
