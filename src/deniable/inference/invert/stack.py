"""Stack: those questions of a table that one block disguises, and their matrix.

legend: a table has one axis per question; a matrix is [reported, true], with the stack's axes taken together
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.errors import NotInvertible, TooManyCells
from deniable.inference.invert.factored import FactoredInverse, checked_inverse, factored_inverse
from deniable.survey.question import Question

Table = NDArray[np.float64]
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
