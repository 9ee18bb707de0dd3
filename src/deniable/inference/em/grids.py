"""Several questions reconstructed together: iterative Bayes on the product of their cells.

Each question keeps its own small matrix, applied along its own axis; the product of all is never built. Tables of many
groups of people (classes, say) are worked out at once, each for itself.
Agrawal and Srikant 2000, equation 3, in several dimensions

legend: tables come first, then one axis for each question: reported [t, b1, b2, ...], true [t, x1, x2, ...]
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix, kernel_between
from deniable.count.counts import is_answered, reported_cells
from deniable.frame.columns import Column
from deniable.inference.em.em import moved, noticed
from deniable.inference.em.noisy_column import even_shares
from deniable.inference.population.records import Floats, Rows
from deniable.survey.question import Question

REACH = 3.0  # standard deviations by which bins reach beyond the range; the outermost hold the rest
MIN = 1e-300
CHECKED = 10  # steps between two looks at those held out
PATIENCE = 5  # looks without gain
MAX_STEPS = 1500


@dataclass(frozen=True, eq=False)
class Axis:
    """A question of a grid: its true cells, its matrix, and the bin of each reply (-1: left out)."""

    question: Question
    matrix: Matrix
    bins: NDArray[np.intp]

    @classmethod
    def of(cls, channel: Channel, question: Question, reported: Column, bins: int) -> "Axis":
        """Reports under noise fall into so many bins; answers and numbers in the clear into their own cells."""
        if channel.noise is None:
            matrix = np.eye(len(question)) if channel.is_clear else channel.matrix([question])
            indices = np.where(is_answered(reported), reported_cells(channel.reported(question), reported), -1)
            return cls(question, matrix, indices.astype(np.intp))
        limits, noise = question.range, channel.noise
        assert limits is not None
        reach = min(noise.last, round(REACH * noise.sd)) * limits.step
        inner = np.linspace(limits.low - reach, limits.high + reach, bins + 1)[1:-1]
        steps = np.rint((inner - limits.low) / limits.step - 0.5) + 0.5  # halfway between points of the grid
        bounds = np.concatenate([[-np.inf], steps, [np.inf]])
        points = (np.where(is_answered(reported), reported, limits.low) - limits.low) / limits.step
        indices = np.where(is_answered(reported), np.searchsorted(steps, np.rint(points)), -1)
        return cls(question, kernel_between(noise, limits, bounds), indices.astype(np.intp))

    def part(self, rows: Rows) -> "Axis":
        """The same for some replies only."""
        return replace(self, bins=self.bins[rows])


def counted(axes: Sequence[Axis], groups: NDArray[np.intp], count: int) -> Floats:
    """How often each combination of bins occurs in each group; replies that leave a question out do not count."""
    shape = (count, *(len(axis.matrix) for axis in axes))
    given = np.logical_and.reduce([axis.bins >= 0 for axis in axes])
    keys = np.ravel_multi_index((groups[given], *(axis.bins[given] for axis in axes)), shape)
    return np.bincount(keys, minlength=prod(shape)).astype(float).reshape(shape)


def steps_to_stop(reported: Floats, axes: Sequence[Axis], tolerance: float, most: int) -> Floats:
    """True shares of each table, stopped where none moves more than `tolerance` of what a test would notice."""
    n, y = _totals(reported)
    shares = _start(axes, len(y))
    enough = tolerance * noticed(shares[0].size)
    for _ in range(most):
        after = step(shares, y, axes)
        change, shares = n * _sums(moved(shares, after)), after
        if (change < enough).all():
            break
    return shares


def steps_by_held_out(reported: Floats, held_out: Floats, axes: Sequence[Axis]) -> Floats:
    """True shares of everybody, after as many steps as were best for people held out of a first run."""
    _, y = _totals(reported)
    shares, best, found, idle = _start(axes, len(y)), -np.inf, 0, 0
    for done in range(CHECKED, MAX_STEPS + 1, CHECKED):
        for _ in range(CHECKED):
            shares = step(shares, y, axes)
        likelihood = float((held_out * np.log(np.maximum(disguised(shares, axes), MIN))).sum())
        idle = 0 if likelihood > best else idle + 1
        if likelihood > best:
            best, found = likelihood, done
        if idle == PATIENCE:
            break
    _, y = _totals(reported + held_out)
    shares = _start(axes, len(y))
    for _ in range(found):
        shares = step(shares, y, axes)
    return shares


def step(shares: Floats, y: Floats, axes: Sequence[Axis]) -> Floats:
    """What share of each report each truth accounts for, counted again."""
    ratio = y / np.maximum(disguised(shares, axes), MIN)
    for axis in axes:
        ratio = np.tensordot(ratio, axis.matrix, (1, 0))
    return np.asarray(shares * ratio)


def disguised(shares: Floats, axes: Sequence[Axis]) -> Floats:
    """The reported tables to be expected from true ones."""
    for axis in axes:
        shares = np.tensordot(shares, axis.matrix, (1, 1))
    return shares


def _start(axes: Sequence[Axis], tables: int) -> Floats:
    even = np.ones(())
    for axis in axes:
        even = np.multiply.outer(even, even_shares(axis.question))
    return np.repeat(even[None], tables, axis=0)


def _totals(reported: Floats) -> tuple[Floats, Floats]:
    """The people of each table, and their shares."""
    n = _sums(reported)
    return n, reported / np.maximum(n, 1.0).reshape(-1, *[1] * (reported.ndim - 1))


def _sums(tables: Floats) -> Floats:
    return np.asarray(tables.reshape(len(tables), -1).sum(axis=1))
