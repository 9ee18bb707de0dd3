"""Shares of all cells of a table at once, with errors and intervals, and no cell's weights written out.

Sums over reports are products over the blocks of the design, so many cells cost little more than one.

legend: a the weights of a cell, b those of its condition (one without any); arrays are [*true cell, table]
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.inference.error import NOBODY
from deniable.inference.interval.intervals import ScoreIntervals
from deniable.inference.interval.score import power_of_difference
from deniable.inference.interval.weights import CellWeights, Powers
from deniable.inference.invert.stack import Table
from deniable.inference.invert.versions import strata

ROUNDING = 1e-14  # of a mean square: no variance at all
SECOND: dict[bool, tuple[Powers, ...]] = {
    False: ((0, 0), (1, 0), (2, 0)),
    True: ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)),
}  # powers that a variance needs: of a share, of a ratio


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
    raw = CellWeights(score.stacks, among).sums(score.reported / score.n, SECOND[among is not None])
    kinds = tuple(range(raw[0, 0].ndim - score.reported.ndim))
    of = raw[1, 0].sum(axis=kinds)
    base = np.ones_like(of) if among is None else raw[0, 1].sum(axis=kinds)
    met = base > NOBODY
    safe = np.where(met, base, 1.0)
    value = of / safe
    size, total, square = (power_of_difference(raw, np.zeros(()) if among is None else value, i) for i in range(3))
    variance = _within(size, total, square, score.n, kinds)
    low, high = score.interval(of, base, lambda some: CellWeights(some, among))
    half_width = np.broadcast_to(score.expected(lambda some: CellWeights(some, among)), of.shape)
    stderr = np.sqrt(variance / score.n) / safe
    return CellShares(value, stderr, low, high, half_width, base * score.n, met)


def _within(size: Table, total: Table, square: Table, n: Table, kinds: tuple[int, ...]) -> Table:
    """The variance of weights whose versions' sizes are given, from shares of replies and sums over them, by kinds."""
    mean = total.sum(axis=kinds)
    scale, shift = np.ones_like(total), np.zeros_like(total)  # weights become scale times weight, plus shift
    for axis in kinds:
        others = tuple(each for each in kinds if each != axis)
        sizes, totals = (n * each.sum(axis=others, keepdims=True) for each in (size, scale * total + shift * size))
        found = strata(sizes, totals, axis)
        scale, shift = scale * found.scale, mean + (shift - found.mean) * found.scale
    variance = (scale**2 * square + 2 * scale * shift * total + shift**2 * size).sum(axis=kinds) - mean**2
    return np.where(variance > ROUNDING * square.sum(axis=kinds), variance, 0.0)
