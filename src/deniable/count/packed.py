"""Replies packed into one whole number each.

A whole reply to questions with answers is one number in mixed radix. Counting those numbers once gives
the distinct replies, and every table is then a sum over the distinct, however many replies there were.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import CHUNK, Distinct, check_names, tally
from deniable.errors import BadRequest, TooManyCells
from deniable.frame.columns import Column
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

DENSE = 2**20  # keys up to here are counted in a table; beyond, by sorting
MOST_KEYS = 2**62


class PackedCounts:
    """Counts over the distinct replies to questions with answers."""

    def __init__(self, questions: Sequence[Question], keys: NDArray[np.int64], times: NDArray[np.float64]) -> None:
        self.questions = tuple(questions)
        self.keys = keys
        self.times = times

    @classmethod
    def of(cls, questions: Sequence[Question], columns: Mapping[str, Column]) -> Self:
        """Pack the columns of these (reported) questions."""
        check_names([question.name for question in questions], columns)
        for question in questions:
            if question.is_number:
                raise BadRequest("a packed question", "one with answers", question.name, "count numbers in their frame")
        keys_in_all = prod(_radix(question) for question in questions)
        if keys_in_all > MOST_KEYS:
            raise TooManyCells([question.name for question in questions], keys_in_all, MOST_KEYS)
        rows = len(columns[questions[0].name])
        pieces = [_pack(questions, columns, start) for start in range(0, rows, CHUNK)]
        keys = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64)
        if keys_in_all <= DENSE:
            times = np.bincount(keys, minlength=1)
            distinct = np.flatnonzero(times)
            return cls(questions, distinct, times[distinct].astype(float))
        distinct, times = np.unique(keys, return_counts=True)
        return cls(questions, distinct, times.astype(float))

    @property
    def n(self) -> int:
        return int(self.times.sum())

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        check_names(names, [question.name for question in self.questions])
        return Distinct({name: self._unpack(name) for name in names}, self.times).answered(answered)

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)

    def _unpack(self, name: str) -> Column:
        place = [question.name for question in self.questions].index(name)
        below = prod(_radix(question) for question in self.questions[place + 1 :])
        cells = self.keys // below % _radix(self.questions[place])
        return np.where(cells == len(self.questions[place]), LEFT_OUT, cells)


def _radix(question: Question) -> int:
    """The question's cells, and one more for answers left out."""
    return len(question) + question.omit


def _pack(questions: Sequence[Question], columns: Mapping[str, Column], start: int) -> NDArray[np.int64]:
    key = np.zeros(len(columns[questions[0].name][start : start + CHUNK]), dtype=np.int64)
    for question in questions:
        cells = columns[question.name][start : start + CHUNK]
        key *= _radix(question)
        key += np.where(cells == LEFT_OUT, len(question), cells) if question.omit else cells
    return key
