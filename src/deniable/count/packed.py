"""Packed replies: one whole number each.

A whole reply to questions with answers is one number in mixed radix. Counting those numbers once gives
the distinct replies, and every table is then a sum over the distinct, however many replies there were.
"""

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import CHUNK, Distinct, check_names, is_answered, tally
from deniable.errors import BadRequest, TooManyCells
from deniable.frame.columns import Column
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

DENSE = 2**20  # keys up to here are counted in a table; beyond, by sorting
MAX_KEYS = 2**62


class PackedCounts:
    """Counts over the distinct replies to questions with answers."""

    def __init__(
        self,
        questions: Sequence[Question],
        keys: NDArray[np.int64],
        counts: NDArray[np.float64],
        lacking: Collection[str] = (),
    ) -> None:
        self.questions = tuple(questions)
        self.radices = _radices(questions, lacking)
        self.keys = keys
        self.counts = counts

    @classmethod
    def of(cls, questions: Sequence[Question], columns: Mapping[str, Column]) -> Self:
        """Pack the columns of these (reported) questions."""
        check_names([question.name for question in questions], columns)
        for question in questions:
            if question.is_number:
                raise BadRequest("a packed question", "one with answers", question.name, "count numbers in their frame")
        lacking = [question.name for question in questions if not is_answered(columns[question.name]).all()]
        radices = _radices(questions, lacking)
        if prod(radices) > MAX_KEYS:
            raise TooManyCells([question.name for question in questions], prod(radices), MAX_KEYS)
        packable = [_packable(each, columns[each.name]) for each in questions]
        return cls(questions, *distinct_keys(packable, radices), lacking)

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        check_names(names, [question.name for question in self.questions])
        return Distinct({name: self._unpack(name) for name in names}, self.counts).answered(answered)

    @property
    def names(self) -> Sequence[str]:
        return [question.name for question in self.questions]

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        return [self.distinct(names, answered=False) for names in many]

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)

    def _unpack(self, name: str) -> Column:
        index = [question.name for question in self.questions].index(name)
        cells = digit(self.keys, self.radices, index)
        return np.where(cells == len(self.questions[index]), LEFT_OUT, cells)


def _radices(questions: Sequence[Question], lacking: Collection[str]) -> tuple[int, ...]:
    """Each question's cells, and one more for answers left out or missing."""
    return tuple(len(question) + (question.omit or question.name in lacking) for question in questions)


def _packable(question: Question, cells: Column) -> Column:
    return cells if is_answered(cells).all() else np.where(cells == LEFT_OUT, len(question), cells)


def distinct_keys(
    columns: Sequence[Column], radices: Sequence[int], weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct combinations of some columns' cells, each packed into one number, and how often each occurs."""
    count, rows = prod(radices), len(columns[0])
    weights = None if weights is None or (weights == 1).all() else weights
    if count > DENSE:
        return _sorted_keys(pack(columns, radices, np.dtype(np.int64)), weights)
    counts, chunk = np.zeros(count), max(CHUNK, count)
    for start in range(0, rows, chunk):
        part = [column[start : start + chunk] for column in columns]
        weight = None if weights is None else weights[start : start + chunk]
        counts += np.bincount(pack(part, radices, np.min_scalar_type(count - 1)), weight, minlength=count)
    found = np.flatnonzero(counts)
    return found, counts[found]


def _sorted_keys(
    keys: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if weights is None:
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(float)
    found, which = np.unique(keys, return_inverse=True)
    return found, np.bincount(which, weights).astype(float)


def pack(columns: Sequence[Column], radices: Sequence[int], kind: np.dtype[Any]) -> NDArray[Any]:
    """Each row's cells as one number of this type; the first column's cell is its highest digit."""
    keys = np.zeros(len(columns[0]), dtype=kind)
    digits = [(column, radix) for column, radix in zip(columns, radices, strict=True) if radix > 1]
    for start in range(0, len(keys), CHUNK):
        key = keys[start : start + CHUNK]
        for index, (column, radix) in enumerate(digits):
            if index:
                key *= radix
            np.add(key, _unsigned(column[start : start + CHUNK]), out=key, casting="unsafe")
    return keys


def _unsigned(cells: Column) -> Column:
    """Cells are never negative here, and unsigned types need no room for it."""
    return cells.view(f"u{cells.itemsize}")


def digit(keys: NDArray[np.int64], radices: Sequence[int], index: int) -> NDArray[np.int64]:
    """The cells of one column, from packed numbers."""
    return np.asarray(keys // prod(radices[index + 1 :]) % radices[index])
