"""Noise to be added to a number, as a published table of chances.

Noise is a whole number of grid steps (the grid is the question's range divided by 1024), drawn by
one look into a table of cumulative chances out of 2^32. No floating-point noise exists anywhere, so
nothing leaks through rounding, and estimates use the very table that the devices use.

The Gaussian is the discrete one, chance ~ exp(-k^2 / 2 sd^2), computed in whole numbers so that
every machine builds the same table.  Agrawal and Srikant 2000, section 2.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache, cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from deniable.channel.chances import SCALE, shares, uniform

BITS = 192  # of the fixed-point numbers that build a Gaussian table
UNIT = 64  # steps of a factor between 0 and 1
MAX_FACTOR = 24  # beyond which no factor is drawn
RAREST = 30  # logarithms below the likeliest step: rarer than one in 2^32


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


@lru_cache(maxsize=256)
def gamma_factors(shape: float, truth: float) -> Noise:
    """Factors of mean 1 with a gamma curve of this shape, in steps of 1/UNIT; with the chance `truth` exactly 1.

    chance ~ f^(shape - 1) exp(-shape f), computed in whole numbers like the Gaussian.
    """
    with localcontext(prec=40):
        power, decay = Decimal(shape) - 1, -Decimal(shape) / UNIT
        top = (power / -decay).max(Decimal(1))  # the likeliest step
        peak = power * top.ln() + decay * top
        logs = (power * log + decay * step - peak for step, log in enumerate(_logarithms(), 1))
        weights = [int(each.exp() * 2**BITS) if each > -RAREST else 0 for each in logs]
    drawn, kept = sum(weights), Decimal(truth)
    spike = int(kept * drawn / (1 - kept))
    weights[UNIT - 1] += spike
    total = sum(weights)
    cumulated = [(2 * SCALE * part + total) // (2 * total) for part in accumulate(weights)]
    start = next(index for index, threshold in enumerate(cumulated) if threshold > 0)
    return Noise(start + 1, tuple(cumulated[start : cumulated.index(SCALE) + 1]))


@cache
def _logarithms() -> tuple[Decimal, ...]:
    """Of all steps of a factor, in order."""
    with localcontext(prec=40):
        return tuple(Decimal(step).ln() for step in range(1, MAX_FACTOR * UNIT + 1))


def _table(weights: list[int]) -> Noise:
    """A symmetric table from whole-number weights; steps without any chance are left away."""
    total = sum(weights)
    cumulated = [(2 * SCALE * part + total) // (2 * total) for part in accumulate(weights)]
    start = next(index for index, threshold in enumerate(cumulated) if threshold > 0)
    stop = cumulated.index(SCALE) + 1
    return Noise(start - len(weights) // 2, tuple(cumulated[start:stop]))
