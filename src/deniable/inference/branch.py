"""Estimates along the branches of a tree.

A branch is the part of the population whose true answers fulfil some conditions. Undisguised people are on it or
not; how replies speak for it that may be disguised is told in `disguised`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, Self

import numpy as np

from deniable.inference.records import Floats, Records, Rows

Parts = Sequence[Sequence[int]]


class Branch(Protocol):
    """The people with certain true answers, as far as replies tell."""

    noisy: ClassVar[bool]  # whether a lottery, not sampling alone, blurs the counts

    @property
    def size(self) -> int:
        """How many distinct replies have a say in it."""
        ...

    def tables(self) -> list[Floats]:
        """For each question, estimated counts of its cells (rows) by the target's (columns)."""
        ...

    def target(self) -> Floats:
        """Estimated counts of the target's cells."""
        ...

    def narrow(self, question: int, cells: Sequence[int]) -> Self:
        """Those of them whose true answer to this question is among these cells."""
        ...

    def split(self, question: int, parts: Parts) -> list[Self]:
        """Narrowed to each of these parts of the question's cells."""
        ...

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        """Estimated counts of parts of this question's cells by the target's cells, and their covariance."""
        ...

    def spread(self) -> tuple[Floats, Floats]:
        """Estimated counts of the target's cells, and their covariance."""
        ...


@dataclass(frozen=True)
class PlainBranch:
    """Undisguised people, or expected ones: those who fulfil the conditions, each as often as the records say."""

    records: Records
    rows: Rows
    noisy: ClassVar[bool] = False

    @classmethod
    def root(cls, records: Records) -> Self:
        """Everybody."""
        return cls(records, np.arange(len(records.times)))

    @property
    def size(self) -> int:
        return len(self.rows)

    def tables(self) -> list[Floats]:
        return [self._counted[:, columns].T for columns in self.records.columns]

    def target(self) -> Floats:
        target, weights = self.records.cells[-1].take(self.rows), self.records.weights(self.rows)
        return np.bincount(target, weights, minlength=self.records.sizes[-1]).astype(float)

    def narrow(self, question: int, cells: Sequence[int]) -> Self:
        wanted = np.zeros(self.records.sizes[question], dtype=bool)
        wanted[list(cells)] = True
        return type(self)(self.records, self.rows[wanted.take(self.records.cells[question].take(self.rows))])

    def split(self, question: int, parts: Parts) -> list[Self]:
        return [self.narrow(question, part) for part in parts]

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        table = self._counted[:, self.records.columns[question]]
        return self._with_covariance(np.array([table[:, list(part)].sum(axis=1) for part in parts]))

    def spread(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.target())

    @cached_property
    def _counted(self) -> Floats:
        """How often each cell of each question occurs in each class."""
        classes, weights = self.records.cells[-1].take(self.rows), self.records.weights(self.rows)
        return self.records.tally(self.rows, classes, self.records.sizes[-1], weights)

    def _with_covariance(self, counts: Floats) -> tuple[Floats, Floats]:
        """Everybody counts for one cell only, so the covariance is the multinomial one."""
        flat = counts.ravel()
        return counts, np.diag(flat) - np.outer(flat, flat) / self.records.people
