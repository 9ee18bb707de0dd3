"""Estimates by inversion: unbiased, simple, and sometimes negative.

The expected reported table is the matrix times the true one, so the inverse of the matrix, applied to
the reported table, is right on average. Tables agree with each other, but cells may be negative.
Du and Zhan 2003, equation 3; Zhan and Matwin, section 2, in general form
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.inference.estimates import TrueTable
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stack import Stack, Table, along
from deniable.inference.invert.stacks import disguised, stacks_of, undisguised
from deniable.survey.question import Question


@dataclass(frozen=True)
class InverseEstimates:
    """Unbiased tables of the truth."""

    design: Design
    counts: Counts

    def table(self, names: Sequence[str], given: Mapping[str, int] | None = None) -> TrueTable:
        """Each reply counts with its signed weight; the variance is that of the sum of weights."""
        questions = [self.design.question(name) for name in [*names, *(given or {})]]
        stacks = stacks_of(self.design, questions)
        if any(stack.has_versions for stack in stacks):
            return given_cells(self._of_versions(names, questions), given)
        reported = self.counts.table([self.design.reported(question) for question in questions])
        counts = undisguised(reported, stacks)
        squares = undisguised(reported, stacks, np.square)
        variance = squares - counts**2 / max(float(reported.sum()), 1.0)
        return given_cells(TrueTable(tuple(names), counts, variance), given)

    def _of_versions(self, names: Sequence[str], questions: Sequence[Question]) -> TrueTable:
        """The same from those who were asked, for as many people as there are replies."""
        reported = Reported.of(self.design, self.counts, questions)
        scale = self.counts.n / max(float(reported.table.sum()), 1.0)
        counts, covariance = reported.estimated()
        shape = tuple(len(question) for question in questions)
        return TrueTable(tuple(names), scale * counts.reshape(shape), scale**2 * covariance.diagonal().reshape(shape))


def given_cells(table: TrueTable, given: Mapping[str, int] | None) -> TrueTable:
    """The part of a table in which the last questions have these cells."""
    where: Any = (..., *(given or {}).values())
    return TrueTable(table.names, table.counts[where], table.variance[where])


def even_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """The standard error that an estimated count would have if all answers were equally frequent."""
    stacks = stacks_of(design, questions)
    even = _even(questions, n)
    expected = Reported(disguised(even, stacks), stacks)
    if expected.has_versions:
        return float(np.sqrt(expected.estimated()[1].diagonal().max()))
    squares = undisguised(disguised(even, stacks), stacks, np.square)
    return float(np.sqrt(np.max(squares - even**2 / n)))


def even_dependence_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """The same for an estimated count minus its expectation under independence."""
    stacks = stacks_of(design, questions)
    squares = disguised(_even(questions, n), stacks)
    expected = Reported(squares, stacks)
    if expected.has_versions:
        values = reduce(np.multiply.outer, [_apart(len(question)) for question in questions])
        return float(np.sqrt(expected.estimated(_by_figure(values))[1].diagonal().max()))
    for stack in stacks:
        squares = along(squares, stack.axes, (_centring(stack) @ stack.inverse) ** 2, stack.true_shape)
    return float(np.sqrt(np.max(squares)))


def cell_noise(stacks: Sequence[Stack], truth: Table) -> tuple[Table, Table]:
    """Where the variance of each estimated count comes from: per person in its cell, and from all the others.

    Without the term of second order that sizes of versions and of the sample take off. Further axes of the truth are
    many tables at once.
    """
    own = np.ones([1] * truth.ndim)
    for stack in stacks:
        each = (stack.inverse**2 * stack.matrix.T).sum(axis=1).reshape(stack.true_shape)
        own = own * np.moveaxis(each[(..., *[None] * (truth.ndim - each.ndim))], range(each.ndim), stack.axes)
    squares = undisguised(disguised(truth, stacks), stacks, np.square)
    return own, np.maximum(squares - own * truth, 0.0)


def _even(questions: Sequence[Question], n: float) -> Table:
    shape = [len(question) for question in questions]
    return np.full(shape, n / np.prod(shape))


def _centring(stack: Stack) -> Table:
    """The matrix that takes from a part's cells what even shares along each of its axes explain."""
    return np.asarray(reduce(lambda one, two: np.asarray(np.kron(one, two)), map(_apart, stack.true_shape)))


def _apart(size: int) -> Table:
    """Each cell's indicator minus its share if all were equally frequent: [cell, figure]."""
    return np.eye(size) - 1 / size


def _by_figure(values: Table) -> Table:
    """Products [x1, i1, x2, i2, ...] as [x1, x2, ..., (i1, i2, ...)]."""
    count = values.ndim // 2
    front = np.moveaxis(values, range(0, 2 * count, 2), range(count))
    return front.reshape(*front.shape[:count], -1)
