"""Estimates by inversion: unbiased, simple, and sometimes negative.

The expected reported table is the matrix times the true one, so the inverse of the matrix, applied to
the reported table, is right on average. Tables agree with each other, but cells may be negative.
Du and Zhan 2003, equation 3; Zhan and Matwin, section 2, in general form
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.inference.estimates import TrueTable
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
        reported = self.counts.table([self.design.reported(question) for question in questions])
        counts = undisguised(reported, stacks)
        squares = undisguised(reported, stacks, np.square)
        variance = squares - counts**2 / max(float(reported.sum()), 1.0)
        return given_cells(TrueTable(tuple(names), counts, variance), given)


def given_cells(table: TrueTable, given: Mapping[str, int] | None) -> TrueTable:
    """The part of a table in which the last questions have these cells."""
    where: Any = (..., *(given or {}).values())
    return TrueTable(table.names, table.counts[where], table.variance[where])


def even_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """The standard error that an estimated count would have if all answers were equally frequent."""
    stacks = stacks_of(design, questions)
    even = _even(questions, n)
    squares = undisguised(disguised(even, stacks), stacks, np.square)
    return float(np.sqrt(np.max(squares - even**2 / n)))


def even_dependence_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """The same for an estimated count minus its expectation under independence."""
    stacks = stacks_of(design, questions)
    squares = disguised(_even(questions, n), stacks)
    for stack in stacks:
        squares = along(squares, stack.axes, (_centring(stack) @ stack.inverse) ** 2, stack.true_shape)
    return float(np.sqrt(np.max(squares)))


def _even(questions: Sequence[Question], n: float) -> Table:
    shape = [len(question) for question in questions]
    return np.full(shape, n / np.prod(shape))


def _centring(stack: Stack) -> Table:
    """The matrix that takes from a part's cells what even shares along each of its axes explain."""
    found = np.asarray(1.0)
    for size in stack.true_shape:
        found = np.asarray(np.kron(found, np.eye(size) - 1 / size))
    return found
