"""Stack: those questions of a table that one block disguises, and their matrix.

A block may have versions. Replies to a kind of versions, which disguise the questions alike, are counted together;
where there is but one channel, everybody answers the same kind.

legend: a table has one axis per question; a matrix is [reported, true], with the stack's axes taken together; k a kind
of versions
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.count.counts import Distinct, is_answered, reported_cells
from deniable.errors import NotInvertible, TooManyCells
from deniable.frame.columns import Column
from deniable.inference.invert.factored import FactoredInverse, checked_inverse, factored_inverse
from deniable.survey.question import Question

Table = NDArray[np.float64]
Indices = NDArray[np.intp]
Lacking = dict[str, NDArray[np.bool_]]  # [reply] which of them lack a cell, by column
MAX_CELLS_OF_GROUP = 4096
LARGE_GROUP = 256  # cells beyond which a matrix is applied question by question


@dataclass(frozen=True)
class Stack(ABC):
    """Those questions of a table that one block disguises, and their axes."""

    questions: tuple[Question, ...]
    axes: tuple[int, ...]

    @cached_property
    def true_shape(self) -> tuple[int, ...]:
        """The number of true cells along each axis."""
        return tuple(len(question) for question in self.questions)

    @property
    def names(self) -> list[str]:
        """The names of the questions."""
        return [question.name for question in self.questions]

    @property
    @abstractmethod
    def reported_shape(self) -> tuple[int, ...]:
        """The number of reported cells along each axis."""

    @property
    @abstractmethod
    def matrix(self) -> Matrix:
        """P(reported | true)."""

    @property
    @abstractmethod
    def inverse(self) -> Matrix:
        """The matrix that turns reported tables into unbiased estimates of true ones."""

    @property
    @abstractmethod
    def has_noise(self) -> bool:
        """Whether noise is added to a number, which has no stable inverse."""

    def disguised(self, table: Table) -> Table:
        """The reported table to be expected from a true one."""
        return along(table, self.axes, self.matrix, self.reported_shape)

    def adjoint(self, table: Table) -> Table:
        """The transpose of `disguised`."""
        return along(table, self.axes, self.matrix.T, self.true_shape)

    def undisguised(self, table: Table, power: Callable[[Matrix], Matrix] = np.asarray) -> Table:
        """The unbiased estimate of the true table; with `power`, the sum of powers of its weights."""
        return along(table, self.axes, power(self.inverse), self.true_shape)

    def unbiased(self, table: Table) -> Table:
        """The same as far as replies tell: what is not identified is left out, not refused."""
        return along(table, self.axes, self.inverse, self.true_shape)

    def weights(self, values: Table) -> Table:
        """The signed weights of reports whose average is the values' true average."""
        return along(values, self.axes, self.inverse.T, self.reported_shape)

    @property
    def has_versions(self) -> bool:
        """Whether respondents answer one of several versions."""
        return False

    @property
    def is_drawn(self) -> bool:
        """Whether there are versions that are drawn, so that their sizes count as given."""
        return False

    @property
    def is_chosen(self) -> bool:
        """Whether there are versions that respondents choose, each of which stands for its own people."""
        return False

    @property
    def shares(self) -> Table:
        """[k] of the replies."""
        return np.ones(1)

    @property
    def kind_of_report(self) -> Indices:
        """[report] the kind of versions it comes from."""
        return np.zeros(prod(self.reported_shape), dtype=np.intp)

    def of_kind(self, table: Table, kind: int) -> Table:
        """The part of a reported table that comes from one kind of versions."""
        return table

    def by_kind(self, reports: Indices) -> list[tuple[Matrix, Indices, Indices]]:
        """Of each kind that any replies answer: its matrix, these replies, and the report of each."""
        return [(self.matrix, np.arange(len(reports)), reports)]

    def by_choice(self, tables: Table) -> Iterator[tuple[Table, "Stack"]]:
        """Reported tables [*report, table] of the people who chose each version, and its stack."""
        yield tables, self

    def sized_by(self, columns: Mapping[str, Column], people: Table) -> Self:
        """The same with as many people in each version as replies [reply] have."""
        return self

    def among_asked(self) -> tuple[Self, float]:
        """The same without drawn versions that ask none of the questions, and the share of people who are asked."""
        return self, 1.0

    def replies_of_asked(self, replies: Distinct) -> Distinct:
        """The replies without those to drawn versions that ask none of the questions, which count for nothing."""
        return replies

    def reports_of_asked(self, reports: Indices) -> Indices:
        """The report of each reply, -1 where a drawn version asks none of the questions."""
        return reports

    @abstractmethod
    def indices(self, columns: Mapping[str, Column]) -> tuple[list[Indices], Lacking]:
        """The index of each reply along each axis, -1 where it has none; and which replies lack which cell."""

    def reports(self, columns: Mapping[str, Column]) -> tuple[Indices, Lacking]:
        """The report of each reply, -1 where a cell is missing; and which replies lack which."""
        (found, *others), lacking = self.indices(columns)
        for index, size in zip(others, self.reported_shape[1:], strict=True):
            found = np.where((found >= 0) & (index >= 0), found * size + index, -1)
        return found, lacking

    def conditioned(self, reported: Table, weights: Table) -> Table:
        """Weights with the same mean whose variance is that within versions that are drawn: their sizes count as given.

        A further axis of the weights counts figures, each with weights of its own.
        """
        return weights

    def check_identified(self) -> None:  # noqa: B027
        """Refuse questions of which replies do not identify every combination of answers."""

    def check_together(self) -> None:  # noqa: B027
        """Refuse questions that no version, or not every one that was chosen, asks together."""


@dataclass(frozen=True)
class ChannelStack(Stack):
    """Questions that everybody answers through the same channel."""

    channel: Channel

    @cached_property
    def reported_shape(self) -> tuple[int, ...]:
        """The number of reported cells along each axis; under noise this needs all cells in words."""
        return tuple(len(self.channel.reported(question)) for question in self.questions)

    @property
    def has_noise(self) -> bool:
        return self.channel.has_noise

    @cached_property
    def is_large(self) -> bool:
        """Whether its matrix is too large to build."""
        return max(prod(self.true_shape), prod(self.reported_shape)) > LARGE_GROUP

    @cached_property
    def kernels(self) -> list[NDArray[np.float64]]:
        """For each question, what every instruction of the lottery does: [instruction, reported, true]."""
        return [self.channel.kernels(question) for question in self.questions]

    @cached_property
    def matrix(self) -> Matrix:
        cells = max(prod(self.true_shape), prod(self.reported_shape))
        if cells > MAX_CELLS_OF_GROUP:
            raise TooManyCells(self.names, cells, MAX_CELLS_OF_GROUP)
        return self.channel.matrix(self.questions)

    @cached_property
    def inverse(self) -> Matrix:
        return checked_inverse(self.matrix, self.names) if self.factored is None else self.factored.inverse(self.names)

    @cached_property
    def factored(self) -> FactoredInverse | None:
        """The inverse in terms that multiply over questions, where there are several and it has that form."""
        if len(self.questions) < 2 or self.channel.is_clear:
            return None
        try:
            return factored_inverse(self.channel)
        except NotInvertible:
            return None

    def disguised(self, table: Table) -> Table:
        if not self.is_large:
            return super().disguised(table)
        return self._along_terms(table, self.channel.chances, self.kernels)

    def adjoint(self, table: Table) -> Table:
        if not self.is_large:
            return super().adjoint(table)
        return self._along_terms(table, self.channel.chances, [each.swapaxes(1, 2) for each in self.kernels])

    def unbiased(self, table: Table) -> Table:
        if self.factored is None or not self.is_large:
            return super().unbiased(table)
        return self._along_terms(
            table, self.factored.coefficients, [self.factored.factors[name] for name in self.names]
        )

    def weights(self, values: Table) -> Table:
        if self.factored is None:
            return super().weights(values)
        factors = [self.factored.factors[name].swapaxes(1, 2) for name in self.names]
        return self._along_terms(values, self.factored.coefficients, factors)

    def indices(self, columns: Mapping[str, Column]) -> tuple[list[Indices], Lacking]:
        asked = [self.channel.reported(question) for question in self.questions]
        found = [cells_of(question, columns[question.name]) for question in asked]
        return found, {
            question.name: cells < 0
            for question, cells in zip(asked, found, strict=True)
            if not question.omit and (cells < 0).any()
        }

    def _along_terms(self, table: Table, chances: Matrix, factors: Sequence[NDArray[np.float64]]) -> Table:
        """A sum of products applied term by term, each question's factor[term] along its own axis."""
        total = np.zeros(())
        for term, chance in enumerate(chances):
            product = chance * table
            for axis, factor in zip(self.axes, factors, strict=True):
                product = along(product, (axis,), factor[term], (factor.shape[1],))
            total = total + product
        return np.asarray(total)


def along(table: Table, axes: tuple[int, ...], matrix: Matrix, shape: tuple[int, ...]) -> Table:
    """Apply a matrix to these axes taken together; they get a new shape, all others stay."""
    front = np.moveaxis(table, axes, range(len(axes)))
    rest = front.shape[len(axes) :]
    changed = matrix @ front.reshape(matrix.shape[1], -1)
    return np.moveaxis(changed.reshape(*shape, *rest), range(len(axes)), axes)


def cells_of(reported: Question, column: Column) -> Indices:
    """[reply] the cells of a reported column, -1 where there is no answer."""
    if column.dtype.kind != "f":
        return column.astype(np.intp)
    there = is_answered(column)
    return np.where(there, reported_cells(reported, np.where(there, column, 0.0)), -1).astype(np.intp)
