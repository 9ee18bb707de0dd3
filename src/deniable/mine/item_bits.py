"""What replies say of items, as bits: for each item and degree, which replies speak for it in that degree."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.bits import Bits, Sets
from deniable.count.counts import Distinct, is_answered, reported_cells
from deniable.frame.columns import Column
from deniable.mine.items import Item
from deniable.survey.coding import LEFT_OUT

NONE = -1


class Said:
    """How many replies speak for several items, each in some degree above 0."""

    def __init__(self, bits: Bits, rows: NDArray[np.intp]) -> None:
        self.bits = bits
        self.rows = rows  # [item, degree - 1]: the row of bits, NONE where an item has no such degree

    @classmethod
    def of(cls, items: Sequence[Item], replies: Distinct) -> Self:
        """What these replies say of these items."""
        above = [len(item.speaking) for item in items]
        there = np.arange(max(1, *above)) < np.array(above)[:, None]
        rows = np.where(there, np.cumsum(there).reshape(there.shape) - 1, NONE)
        by_question = groupby(items, key=lambda item: item.reported.name)
        said = (each for name, some in by_question for each in _said(list(some), replies.columns[name]))
        return cls(Bits.of(said, sum(above), replies.counts), rows)

    def counts(self, sets: Sets) -> NDArray[np.float64]:
        """The replies that speak for all items of each set, by their degrees above 0: [set, degree, degree, ...]."""
        length, above = sets.shape[1], self.rows.shape[1]
        degrees = np.indices([above] * length).reshape(length, -1).T
        rows = self.rows[sets[:, None], degrees].reshape(-1, length)
        there = (rows != NONE).all(axis=1)
        counts = np.zeros(len(rows))
        counts[there] = self.bits.counts(rows[there])
        return counts.reshape(len(sets), *[above] * length)


def _said(items: Sequence[Item], column: Column) -> Iterator[NDArray[np.bool_]]:
    """For each item of one question and each degree, where the report speaks for it so."""
    question = items[0].reported
    cells = reported_cells(question, column)
    if question.omit:
        cells = np.where(is_answered(column), cells, LEFT_OUT)
    for item in items:
        for reports in item.speaking:
            yield np.logical_or.reduce([cells == report for report in reports])
