"""Estimates along the branches of a tree.

A branch is the part of the population whose true answers fulfil some conditions. Undisguised people are on it or
not; how replies speak for it that may be disguised is told in `disguised`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.records import BYTE, Floats, Records, Rows

Parts = Sequence[Sequence[int]]


class Levels(NamedTuple):
    """Those cells of a question that occur, of so many; the rows of its table are these."""

    cells: NDArray[np.intp]
    size: int


class Subpopulation(Protocol):
    """The people with certain true answers, as far as replies tell."""

    @property
    def uncertain(self) -> bool:
        """Whether a lottery, not sampling alone, blurs the counts."""
        ...

    @property
    def size(self) -> int:
        """How many distinct replies have a say in it."""
        ...

    def tables(self) -> list[Floats]:
        """For each question, estimated counts of its cells (rows) by the target's (columns)."""
        ...

    def levels(self, question: int) -> Levels | None:
        """The cells that the rows of a question's table stand for, where most have nobody; None: one row each."""
        ...

    def target(self) -> Floats:
        """Estimated counts of the target's cells."""
        ...

    def restrict(self, question: int, cells: Sequence[int]) -> "Subpopulation":
        """Those of them whose true answer to this question is among these cells."""
        ...

    def split(self, question: int, parts: Parts) -> Sequence["Subpopulation"]:
        """Narrowed to each of these parts of the question's cells."""
        ...

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        """Estimated counts of parts of this question's cells by the target's cells, and their covariance."""
        ...

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        """Estimated counts of the target's cells, and their covariance."""
        ...


@dataclass(frozen=True)
class PlainSubpopulation:
    """Undisguised people, or expected ones: those who fulfil the conditions, each as often as the records say."""

    records: Records
    rows: Rows
    uncertain: ClassVar[bool] = False

    @classmethod
    def root(cls, records: Records) -> Self:
        """Everybody."""
        return cls(records, np.arange(len(records.counts)))

    @property
    def size(self) -> int:
        return len(self.rows)

    def tables(self) -> list[Floats]:
        counted = self._counted
        return [
            self._occurring[question][1] if question in self._occurring else counted[:, columns].T
            for question, columns in enumerate(self._columns)
        ]

    def levels(self, question: int) -> Levels | None:
        return self._occurring[question][0] if question in self._occurring else None

    def target(self) -> Floats:
        return np.bincount(self._classes, self._weights, minlength=self.records.sizes[-1]).astype(float)

    def restrict(self, question: int, cells: Sequence[int]) -> Self:
        here = self.records.cells[question].take(self.rows)
        return type(self)(self.records, self.rows[is_among(here, cells)])

    def split(self, question: int, parts: Parts) -> list[Self]:
        return [self.restrict(question, part) for part in parts]

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        if question in self._occurring:
            return self._with_covariance(np.array([self.restrict(question, part).target() for part in parts]))
        table = self._counted[:, self._columns[question]]
        return self._with_covariance(np.array([table[:, list(part)].sum(axis=1) for part in parts]))

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.target())

    @cached_property
    def _classes(self) -> NDArray[np.integer[Any]]:
        return np.asarray(self.records.cells[-1].take(self.rows))

    @cached_property
    def _weights(self) -> Floats | None:
        return self.records.weights(self.rows)

    @property
    def _columns(self) -> list[NDArray[np.intp]]:
        return self.records.few.columns

    @cached_property
    def _counted(self) -> Floats:
        """How often each cell of each question of few cells occurs in each class."""
        return self.records.few.tally(self.rows, self._classes, self.records.sizes[-1], self._weights)

    @cached_property
    def _occurring(self) -> dict[int, tuple[Levels, Floats]]:
        """The cells that occur of each question of very many cells, say a number's values, and how often by class."""
        many = [question for question, size in enumerate(self.records.sizes[:-1]) if size > BYTE]
        return {question: self._cells_by_class(question) for question in many}

    def _cells_by_class(self, question: int) -> tuple[Levels, Floats]:
        cells, classes = self.records.cells[question].take(self.rows), self.records.sizes[-1]
        order = np.argsort(cells)
        cells = cells[order]
        first = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]])) if len(cells) else np.arange(0)
        counted = np.zeros((len(cells), classes))
        counted[np.arange(len(cells)), self._classes[order]] = 1 if self._weights is None else self._weights[order]
        sums = np.add.reduceat(counted, first, axis=0) if len(first) else counted
        return Levels(cells[first].astype(np.intp), self.records.sizes[question]), sums

    def _with_covariance(self, counts: Floats) -> tuple[Floats, Floats]:
        """Everybody counts for one cell only, so the covariance is the multinomial one."""
        flat = counts.ravel()
        return counts, np.diag(flat) - np.outer(flat, flat) / self.records.people


def is_among(cells: NDArray[Any], some: Sequence[int]) -> NDArray[np.bool_]:
    """Which of these cells are among some; a run of cells is told by its ends."""
    if isinstance(some, range):
        return np.asarray((cells >= some.start) & (cells < some.stop))
    return np.isin(cells, some)
