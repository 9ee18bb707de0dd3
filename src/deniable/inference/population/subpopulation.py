"""Subpopulations of a survey.

A subpopulation is the part of the population whose true answers fulfil some conditions, for example the smokers who
are older than 40. A tree asks each of its nodes' subpopulations for tables of every question by the target. Where
answers are undisguised, membership is known and the tables are counted; for disguised answers see `disguised`.

    table[x, y]  =  number of respondents with true cell x of the question and true cell y of the target
    covariance of two counts m and n of N respondents  =  m [they are the same count] - m n / N      (multinomial)

legend: x, y true cells of a question and of the target; a *part* is a set of a question's cells that go to one child
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.pair_tables import PairTables
from deniable.inference.population.records import BYTE, Floats, Records, Rows

Parts = Sequence[Sequence[int]]


class Levels(NamedTuple):
    """The cells of a question that occur, where its table has rows for these only, and the number of all its cells."""

    cells: NDArray[np.intp]
    size: int


class SplitTables(NamedTuple):
    """Tables of one shape with their covariances, and which of those asked for they are."""

    which: Sequence[int]
    tables: Floats  # [table, part, y]
    covariances: Floats  # [table, (part, y), (part, y)]

    @classmethod
    def of(cls, index: int, table: Floats, covariance: Floats) -> "SplitTables":
        """A single table."""
        return cls([index], table[None], covariance[None])


class Subpopulation(Protocol):
    """The respondents with certain true answers, as far as their replies allow an estimate."""

    @property
    def uncertain(self) -> bool:
        """Whether the counts have noise from a lottery in addition to sampling."""
        ...

    @property
    def size(self) -> int:
        """The number of distinct replies with a weight other than zero."""
        ...

    def tables(self) -> list[Floats]:
        """For each question, estimated counts of its cells by the target's: [x, y]."""
        ...

    def levels(self, question: int) -> Levels | None:
        """The cells that the rows of a question's table stand for; None if every cell has a row."""
        ...

    def target(self) -> Floats:
        """Estimated counts of the target's cells: [y]."""
        ...

    def restrict(self, question: int, cells: Sequence[int]) -> "Subpopulation":
        """Those of the respondents whose true answer to this question is among these cells."""
        ...

    def split(self, question: int, parts: Parts) -> Sequence["Subpopulation"]:
        """The subpopulation restricted to each of these parts of the question's cells."""
        ...

    def table_with_covariance(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        """Estimated counts of parts of this question's cells by the target's, [part, y], and their covariance."""
        ...

    def tables_with_covariance(self, many: Sequence[tuple[int, Parts]]) -> list[SplitTables]:
        """The same for many questions and parts: those of one shape together."""
        ...

    def pair_tables(self) -> PairTables | None:
        """The tables of all pairs of questions that are left, where they are computed sooner together."""
        ...

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        """Estimated counts of the target's cells, [y], and their covariance, [y, y]."""
        ...


@dataclass(frozen=True)
class PlainSubpopulation:
    """Undisguised (or expected) respondents who fulfil the conditions, each as often as the records count them."""

    records: Records
    rows: Rows  # [row] index of the replies that fulfil the conditions
    uncertain: ClassVar[bool] = False

    @classmethod
    def root(cls, records: Records) -> Self:
        """All respondents."""
        return cls(records, np.arange(len(records.counts)))

    @property
    def size(self) -> int:
        return len(self.rows)

    def tables(self) -> list[Floats]:
        counts, numbers, start, found = self._counts.T, self._occurring, 0, []
        for question, columns in enumerate(self._columns):  # which lie side by side
            end = start + len(columns)
            found.append(numbers[question][1] if question in numbers else counts[start:end])
            start = end
        return found

    def levels(self, question: int) -> Levels | None:
        return self._occurring[question][0] if question in self._occurring else None

    def target(self) -> Floats:
        return np.bincount(self._classes, self._weights, minlength=self.records.sizes[-1]).astype(float)

    def restrict(self, question: int, cells: Sequence[int]) -> Self:
        here = self.records.cells[question].take(self.rows)
        return type(self)(self.records, self.rows[is_among(here, cells)])

    def split(self, question: int, parts: Parts) -> list[Self]:
        return [self.restrict(question, part) for part in parts]

    def table_with_covariance(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        if question in self._occurring:
            return self._with_covariance(np.array([self.restrict(question, part).target() for part in parts]))
        table = self._counts[:, self._columns[question]]
        return self._with_covariance(np.array([table[:, list(part)].sum(axis=1) for part in parts]))

    def tables_with_covariance(self, many: Sequence[tuple[int, Parts]]) -> list[SplitTables]:
        return [SplitTables.of(index, *self.table_with_covariance(*each)) for index, each in enumerate(many)]

    def pair_tables(self) -> None:
        return None

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
        return self.records.byte_sized.columns

    @cached_property
    def _counts(self) -> Floats:
        """How often each cell of the questions that fit into a byte occurs in each class: [y, column]."""
        return self.records.byte_sized.tally(self.rows, self._classes, self.records.sizes[-1], self._weights)

    @cached_property
    def _occurring(self) -> dict[int, tuple[Levels, Floats]]:
        """The occurring cells and the table of each question with more cells than a byte holds, such as a number."""
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
        """Every respondent counts in one cell only, so the covariance is the multinomial one."""
        flat = counts.ravel()
        return counts, np.diag(flat) - np.outer(flat, flat) / self.records.total


def is_among(cells: NDArray[Any], some: Sequence[int]) -> NDArray[np.bool_]:
    """Which of these cells are among some others; a range is compared by its ends."""
    if len(some) == 1:
        return np.asarray(cells == some[0])
    if isinstance(some, range):
        return np.asarray((cells >= some.start) & (cells < some.stop))
    return np.isin(cells, some)
