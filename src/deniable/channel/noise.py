"""Noise to be added to a number, as a published table of chances.

Noise is a whole number of grid steps (the grid is the question's range divided by 1024), drawn by
one look into a table of cumulative chances out of 2^32. No floating-point noise exists anywhere, so
nothing leaks through rounding, and estimates use the very table that the devices use.

The Gaussian is the discrete one, chance ~ exp(-k^2 / 2 sd^2), computed in whole numbers so that
every machine builds the same table.  Agrawal and Srikant 2000, section 2.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from deniable.channel.chances import SCALE, shares, uniform

BITS = 192  # of the fixed-point numbers that build a Gaussian table


@dataclass(frozen=True)
class Noise:
    """A table of noise: `first` is the least step, thresholds cumulate the chances from there on."""

    first: int
    thresholds: tuple[int, ...]

    @property
    def last(self) -> int:
        """The greatest step."""
        return self.first + len(self.thresholds) - 1

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The chance of each step, from the first to the last."""
        return shares(self.thresholds)

    @property
    def sd(self) -> float:
        """Its standard deviation about zero, in points of the grid."""
        return float(np.sqrt(self.chances @ np.arange(self.first, self.last + 1) ** 2.0))

    @property
    def mean(self) -> float:
        """The average step: zero but for the rounding of chances."""
        return float(self.chances @ np.arange(self.first, self.last + 1))

    def at_most(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chance that the noise is at most so many steps."""
        padded = np.concatenate([[0], np.asarray(self.thresholds, dtype=np.int64)]) / SCALE
        return np.asarray(padded[np.clip(steps - self.first + 1, 0, len(self.thresholds))])

    def width(self, confidence: float) -> float:
        """Steps of the shortest interval that holds the noise with this confidence (interval privacy)."""
        densest = np.cumsum(np.sort(self.chances)[::-1])
        whole = int(np.searchsorted(densest, confidence - 1e-12))
        before = densest[whole - 1] if whole else 0.0
        return whole + float((confidence - before) / (densest[whole] - before))


@lru_cache(maxsize=256)
def gaussian_noise(sd: float) -> Noise:
    """Noise with a bell curve of this standard deviation, in grid steps."""
    with localcontext() as context:
        context.prec = 80
        ratio = int((Decimal(-1) / (2 * Decimal(sd) ** 2)).exp() * 2**BITS)
    # weights exp(-k^2/2sd^2): each is the one before times ratio^(2k+1)
    weights, weight, factor, square = [], 1 << BITS, ratio, ratio * ratio >> BITS
    while weight >> (BITS - 40):
        weights.append(weight)
        weight, factor = weight * factor >> BITS, factor * square >> BITS
    return _table(list(reversed(weights[1:])) + weights)


@lru_cache(maxsize=256)
def uniform_noise(half_width: int) -> Noise:
    """Noise that takes every step from -half_width to half_width alike."""
    return Noise(-half_width, uniform(2 * half_width + 1))


def _table(weights: list[int]) -> Noise:
    """A symmetric table from whole-number weights; steps without any chance are left away."""
    total = sum(weights)
    cumulated = [(2 * SCALE * part + total) // (2 * total) for part in accumulate(weights)]
    start = next(index for index, threshold in enumerate(cumulated) if threshold > 0)
    stop = cumulated.index(SCALE) + 1
    return Noise(start - len(weights) // 2, tuple(cumulated[start:stop]))
