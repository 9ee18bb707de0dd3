"""Blocks of a table: its questions, grouped by the channel that disguises them.

Channels are independent, so the disguise of a table is the Kronecker product of one matrix per channel.
That product is never built: each matrix is applied along its own axes of the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.instruction import Matrix
from deniable.errors import NotInvertible, TooManyCells
from deniable.inference.invert.factored import FactoredInverse, checked_inverse, factored_inverse
from deniable.survey.question import Question

Table = NDArray[np.float64]
MAX_CELLS_OF_GROUP = 4096
LARGE_GROUP = 256  # cells beyond which a matrix is applied question by question


@dataclass(frozen=True)
class Block:
    """Those questions of a table that one channel disguises, and their axes."""

    channel: Channel
    questions: tuple[Question, ...]
    axes: tuple[int, ...]

    @cached_property
    def true_shape(self) -> tuple[int, ...]:
        """The number of true cells along each axis."""
        return tuple(len(question) for question in self.questions)

    @cached_property
    def reported_shape(self) -> tuple[int, ...]:
        """The number of reported cells along each axis; under noise this needs all cells in words."""
        return tuple(len(self.channel.reported(question)) for question in self.questions)

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
        """P(reported | true)."""
        cells = max(prod(self.true_shape), prod(self.reported_shape))
        if cells > MAX_CELLS_OF_GROUP:
            raise TooManyCells([question.name for question in self.questions], cells, MAX_CELLS_OF_GROUP)
        return self.channel.matrix(self.questions)

    @cached_property
    def inverse(self) -> Matrix:
        """The matrix that turns reported tables into unbiased estimates of true ones."""
        names = [question.name for question in self.questions]
        return checked_inverse(self.matrix, names) if self.factored is None else self.factored.inverse(names)

    @cached_property
    def factored(self) -> FactoredInverse | None:
        """The inverse in terms that multiply over questions, where there are several and it has that form."""
        if len(self.questions) < 2 or self.channel.is_clear:
            return None
        try:
            return factored_inverse(self.channel)
        except NotInvertible:
            return None


def blocks_of(design: Design, questions: Sequence[Question]) -> list[Block]:
    """The blocks of a table of these questions, one for each channel they belong to."""
    found = []
    for channel in design.channels:
        axes = tuple(axis for axis, question in enumerate(questions) if question.name in channel.names)
        if axes:
            found.append(Block(channel, tuple(questions[axis] for axis in axes), axes))
    return found


def disguised(table: Table, blocks: Sequence[Block]) -> Table:
    """The reported table to be expected from a true one."""
    for block in blocks:
        if block.is_large:
            table = _along_terms(table, block, block.channel.chances, block.kernels)
        else:
            table = along(table, block.axes, block.matrix, block.reported_shape)
    return table


def adjoint(table: Table, blocks: Sequence[Block]) -> Table:
    """The transpose of `disguised`: for each true cell, the sum over reports of chance times entry."""
    for block in blocks:
        if block.is_large:
            table = _along_terms(table, block, block.channel.chances, [each.swapaxes(1, 2) for each in block.kernels])
        else:
            table = along(table, block.axes, block.matrix.T, block.true_shape)
    return table


def undisguised(table: Table, blocks: Sequence[Block], power: Callable[[Matrix], Matrix] = np.asarray) -> Table:
    """The unbiased estimate of the true table; with `power`, the sum of powers of its weights."""
    for block in blocks:
        table = along(table, block.axes, power(block.inverse), block.true_shape)
    return table


def weights_of(values: Table, blocks: Sequence[Block]) -> Table:
    """The signed weight of each possible report, such that weights average to the values' true average."""
    for block in blocks:
        if block.factored is None:
            values = along(values, block.axes, block.inverse.T, block.reported_shape)
        else:
            factors = [block.factored.factors[question.name].swapaxes(1, 2) for question in block.questions]
            values = _along_terms(values, block, block.factored.chances, factors)
    return values


def _along_terms(table: Table, block: Block, chances: Matrix, factors: Sequence[NDArray[np.float64]]) -> Table:
    """A sum of products applied term by term, each question's factor[term] along its own axis."""
    total = np.zeros(())
    for term, chance in enumerate(chances):
        product = chance * table
        for axis, factor in zip(block.axes, factors, strict=True):
            product = along(product, (axis,), factor[term], (factor.shape[1],))
        total = total + product
    return np.asarray(total)


def along(table: Table, axes: tuple[int, ...], matrix: Matrix, shape: tuple[int, ...]) -> Table:
    """Apply a matrix to these axes taken together; they get a new shape, all others stay."""
    front = np.moveaxis(table, axes, range(len(axes)))
    rest = front.shape[len(axes) :]
    changed = matrix @ front.reshape(matrix.shape[1], -1)
    return np.moveaxis(changed.reshape(*shape, *rest), range(len(axes)), axes)
