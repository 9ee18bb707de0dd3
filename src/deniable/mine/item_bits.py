"""Bitmaps of items: for each item and degree (see items.py), one bit per reply."""

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


class ItemBits:
    """Counts the replies that support several items, each in some degree above 0."""

    def __init__(self, bits: Bits, rows: NDArray[np.intp]) -> None:
        self.bits = bits
        self.rows = rows  # [item, degree - 1]: the row of bits, NONE where an item has no such degree

    @classmethod
    def of(cls, items: Sequence[Item], replies: Distinct) -> Self:
        """The bitmaps of these items over these replies."""
        above = [len(item.report_classes) for item in items]
        there = np.arange(max(1, *above)) < np.array(above)[:, None]
        rows = np.where(there, np.cumsum(there).reshape(there.shape) - 1, NONE)
        by_question = groupby(items, key=lambda item: item.reported.name)
        rows_of_bits = (each for name, some in by_question for each in _item_bits(list(some), replies.columns[name]))
        return cls(Bits.of(rows_of_bits, sum(above), replies.counts), rows)

    def counts(self, sets: Sets) -> NDArray[np.float64]:
        """The replies that support all items of each set, by their degrees above 0: [set, degree, degree, ...]."""
        length, above = sets.shape[1], self.rows.shape[1]
        degrees = np.indices([above] * length).reshape(length, -1).T
        rows = self.rows[sets[:, None], degrees].reshape(-1, length)
        there = (rows != NONE).all(axis=1)
        counts = np.zeros(len(rows))
        counts[there] = self.bits.counts(rows[there])
        return counts.reshape(len(sets), *[above] * length)


def _item_bits(items: Sequence[Item], column: Column) -> Iterator[NDArray[np.bool_]]:
    """For each item of one question and each degree above 0, which replies have that degree: [reply]."""
    question = items[0].reported
    cells = reported_cells(question, column)
    if question.omit:
        cells = np.where(is_answered(column), cells, LEFT_OUT)
    for item in items:
        for reports in item.report_classes:
            yield np.logical_or.reduce([cells == report for report in reports])
