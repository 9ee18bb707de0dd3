"""Shares of all cells of a table at once, block by block.

legend: a the weights of a cell, b those of its condition (one without any); arrays are [*true cell, table]
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.inference.error import NOBODY
from deniable.inference.interval.intervals import ScoreIntervals
from deniable.inference.interval.weights import CellWeights
from deniable.inference.invert.stack import Table

ROUNDING = 1e-14  # of a mean square: no variance at all


@dataclass(frozen=True)
class CellShares:
    """What replies tell of every cell."""

    value: Table
    stderr: Table
    low: Table
    high: Table
    half_width: Table  # to be expected at an even truth
    people: Table  # who meet the condition
    met: NDArray[np.bool_]  # whether anybody does


def cell_shares(score: ScoreIntervals, among: Sequence[int] | None = None) -> CellShares:
    """The share of every cell, among those with the same answers to the questions of these axes."""
    weights, shares = CellWeights(score.stacks, among), score.reported / score.n
    of = weights.mean(shares, (1, 0))
    base = np.ones_like(of) if among is None else weights.mean(shares, (0, 1))
    met = base > NOBODY
    safe = np.where(met, base, 1.0)
    value = of / safe
    square = weights.mean(shares, (2, 0))
    if among is None:
        variance = square - of**2
    else:
        variance = square - value * (2 * weights.mean(shares, (1, 1)) - value * weights.mean(shares, (0, 2)))
    variance = np.where(variance > ROUNDING * square, variance, 0.0)
    low, high = score.interval(of, base, lambda some: CellWeights(some, among))
    half_width = np.broadcast_to(score.expected(lambda some: CellWeights(some, among)), of.shape)
    stderr = np.sqrt(variance / score.n) / safe
    return CellShares(value, stderr, low, high, half_width, base * score.n, met)
