"""Replies packed into one whole number each.

A whole reply to questions with answers is one number in mixed radix. Counting those numbers once gives
the distinct replies, and every table is then a sum over the distinct, however many replies there were.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import CHUNK, Distinct, is_answered, tally
from deniable.errors import TooManyCells
from deniable.frame.columns import Column
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
        """Pack the columns of these (reported) questions; replies that leave one out are not packed."""
        names = [question.name for question in questions]
        if any(question.is_number for question in questions) or prod(map(len, questions)) > MOST_KEYS:
            raise TooManyCells(names, prod(map(len, questions)), MOST_KEYS)
        keys = np.concatenate([_pack(questions, columns, start) for start in range(0, len(columns[names[0]]), CHUNK)])
        if prod(map(len, questions)) <= DENSE:
            times = np.bincount(keys, minlength=1)
            distinct = np.flatnonzero(times)
            return cls(questions, distinct, times[distinct].astype(float))
        distinct, times = np.unique(keys, return_counts=True)
        return cls(questions, distinct, times.astype(float))

    @property
    def n(self) -> int:
        return int(self.times.sum())

    def distinct(self, names: Sequence[str]) -> Distinct:
        return Distinct({name: self._unpack(name) for name in names}, self.times)

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)

    def _unpack(self, name: str) -> Column:
        places = [question.name for question in self.questions]
        below = prod(len(question) for question in self.questions[places.index(name) + 1 :])
        return self.keys // below % len(self.questions[places.index(name)])


def _pack(questions: Sequence[Question], columns: Mapping[str, Column], start: int) -> NDArray[np.int64]:
    chunk = {question.name: columns[question.name][start : start + CHUNK] for question in questions}
    key = np.zeros(len(chunk[questions[0].name]), dtype=np.int64)
    for question in questions:
        key *= len(question)
        key += chunk[question.name]
    return key[np.logical_and.reduce([is_answered(column) for column in chunk.values()])]
