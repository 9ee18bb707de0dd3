"""Score interval of a share or of a ratio of shares, under a smoothed truth.

A share p is a mean of weights a, a conditional share the ratio of that mean to the mean of b. Both are the value p at
which d = a - p b averages to zero (b = 1 for a share). The interval holds every p that the replies do not contradict:
the mean of d over the replies is held against the distribution that it would have if p were true, whose skewness bends
the normal quantile.  Wilson and Hilferty 1931

    edge(p, z) = sqrt(v / n) (2 / g) ((1 + g z / 6 - g^2 / 36)^3 - 1),     g = slope / sqrt(v n)
    low = least p with mean(d) <= edge(p, z),     high = greatest p with mean(d) >= edge(p, -z)

v is the variance of d where p is true, and slope how fast it grows with the mean of d. The smoothed truth is moved
there by tilting reports by their weights, which changes the variance as far as its skewness tells:

    v = V - T m - m^2,     slope = T + 2 m,     T = K / V

Of a ratio this would move the condition as well. So the truth is also moved by itself, people in the figure against
people beside it, the condition as large as it is; the larger variance of the two counts.

Sizes of versions that were drawn are given: moments are those within versions, the mean weight of each kind taken away
block by block. With g = 0 and weights of two values this is the Wilson interval of a reported share, seen through the
inverse.

legend: m, V, K mean, variance and third central moment of d under the smoothed truth; n replies
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from deniable.inference.error import OUTSIDE, Z
from deniable.inference.interval.weights import Powers, PowerSums
from deniable.inference.invert.stack import Table

CAP = 2.0  # of the skewness in Wilson and Hilferty's formula, which breaks down beyond it
HALVINGS = 24  # of the range in which an end lies
LEAST = 1e-12  # variance
TINY = 1e-300

Polynomial = Table  # [power of p, *figure, table]


@dataclass(frozen=True)
class ScoreTest:
    """The test of every value of some figures: their means of a and b in the replies, and sums under the truth."""

    of: Table  # [*figure, table]
    base: Table  # one for a share
    sums: PowerSums
    n: Table
    skewed: bool = True

    def interval(self, z: float = Z) -> tuple[Table, Table]:
        """All values between 0 and 1 that the replies do not contradict."""
        ends = [OUTSIDE * np.sqrt(self.moved(np.full_like(self.of, p))[0] / self.n) for p in (0.0, 1.0)]
        of = np.clip(self.of, -ends[0], np.maximum(self.base, 0.0) + ends[1])
        middle = np.clip(of / np.where(self.base > 0, self.base, 1.0), 0.0, 1.0)
        low, high = self._end(of, middle, 0.0, z), self._end(of, middle, 1.0, -z)
        nobody, everybody = (share == 0 for share in self.sums.shares)  # as a matter of logic
        return (
            np.where(nobody, 0.0, np.where(everybody, 1.0, low)),
            np.where(nobody, 0.0, np.where(everybody, 1.0, high)),
        )

    def _end(self, of: Table, inside: Table, end: float, z: float) -> Table:
        """The value farthest from the middle that is not rejected, by halving."""
        outside = np.full_like(of, end)
        inside = np.where(self._holds(of, outside, z), outside, inside)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            kept = self._holds(of, middle, z)
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        return inside

    def _holds(self, of: Table, p: Table, z: float) -> NDArray[np.bool_]:
        """Whether the replies leave p in, on the side of z."""
        variance, slope = self.moved(p)
        error = np.sqrt(variance / self.n)
        edge = error * quantile(slope / (error * self.n) if self.skewed else np.zeros(()), z)
        apart = of - p * self.base
        return np.asarray(apart <= edge if z > 0 else apart >= edge)

    def moved(self, p: Table) -> tuple[Table, Table]:
        """The variance of a - p b where p is true, and how fast it grows with its mean."""
        mean, variance, third = (_value(each, p) for each in self._smoothed)
        slope = third / np.maximum(variance, LEAST)
        variance, slope = variance - mean * (slope + mean), slope + 2 * mean
        if self.sums.parts is not None:
            other, third = (np.maximum(_value(self._kept[0], p), LEAST), _value(self._kept[1], p))
            slope, variance = np.where(other > variance, third / other, slope), np.maximum(variance, other)
        return np.maximum(variance, LEAST), slope

    def unmoved(self, p: Table) -> Table:
        """The variance of a - p b, where p is what the smoothed truth itself says."""
        return self._moments(self.sums.whole, p)[0]

    @cached_property
    def _smoothed(self) -> Sequence[Polynomial]:
        """Mean, variance and third central moment of a - p b under the smoothed truth."""
        found = _fitted(0 if self.sums.parts is None else 3, lambda p: self._moments(self.sums.whole, p), self.of)
        base = [] if self.sums.parts is None else [self.sums.whole[0, 1].sum(axis=self._kinds)]
        mean = self.sums.whole[1, 0].sum(axis=self._kinds)
        return np.stack([mean, -(base[0] if base else np.ones_like(mean))]), *found

    @cached_property
    def _kept(self) -> Sequence[Polynomial]:
        """Variance and third moment of a - p b where people in the figure are moved against people beside it."""
        assert self.sums.parts is not None
        inside, beside = self.sums.parts
        own, other = (np.maximum(each, TINY) for each in self.sums.shares)

        def moments(p: Table) -> tuple[Table, Table]:
            more, less = p * (own + other) / own - 1, (1 - p) * (own + other) / other - 1
            raw = {key: each + more * inside[key] + less * beside[key] for key, each in self.sums.whole.items()}
            return self._moments(raw, p)

        return _fitted(6 if self._kinds else 4, moments, self.of)  # without versions its mean is zero

    def _moments(self, raw: Mapping[Powers, Table], p: Table) -> tuple[Table, Table]:
        """Variance and third central moment of a - p b within versions, from sums of a^i b^j."""
        size, mean, square, cube = (power_of_difference(raw, p, power) for power in range(4))
        centre = _centre(mean, size, self._kinds)
        variance = square - centre * (2 * mean - centre * size)
        third = cube - centre * (3 * square - centre * (3 * mean - centre * size))
        return variance.sum(axis=self._kinds), third.sum(axis=self._kinds)

    @property
    def _kinds(self) -> tuple[int, ...]:
        """The axes of sums that count kinds of versions."""
        return tuple(range(self.sums.whole[0, 0].ndim - self.of.ndim))


def quantile(skewness: Table, z: float) -> Table:
    """The quantile of a skewed distribution; a long tail beyond the cap grows by Cornish and Fisher's first term."""
    capped = np.clip(skewness, -CAP, CAP)
    part = z / 6 - capped / 36
    beyond = np.maximum(np.sign(z) * skewness - CAP, 0.0) * (z**2 - 1) / 6
    return np.asarray(part * (6 + capped * part * (6 + 2 * capped * part)) + np.sign(z) * beyond)


def _fitted(degree: int, function: Callable[[Table], Sequence[Table]], like: Table) -> Sequence[Polynomial]:
    """Functions of p that are polynomials of at most this degree, from their values."""
    nodes = (1 - np.cos(np.pi * np.arange(degree + 1) / max(degree, 1))) / 2
    values = np.array([function(np.full_like(like, node)) for node in nodes])
    found = np.tensordot(np.linalg.inv(np.vander(nodes, increasing=True)), values, 1)
    return list(np.moveaxis(found, 1, 0))


def _value(polynomial: Polynomial, p: Table) -> Table:
    found = polynomial[-1]
    for coefficient in polynomial[-2::-1]:
        found = found * p + coefficient
    return np.asarray(found)


def power_of_difference(raw: Mapping[Powers, Table], p: Table, power: int) -> Table:
    """The sum of (a - p b)^power; b is one where its powers are all alike."""
    found = np.zeros(())
    for j in range(power, -1, -1):
        found = raw.get((power - j, j), raw[power - j, 0]) * comb(power, j) - p * found
    return found


def _centre(totals: Table, size: Table, every: tuple[int, ...]) -> Table:
    """The mean to be expected of each kind: that of everybody, and what each block's kind adds to it."""
    mean = totals.sum(axis=every, keepdims=True)
    centre = mean
    for axis in every:
        others = tuple(each for each in every if each != axis)
        share = np.maximum(size.sum(axis=others, keepdims=True), TINY)
        centre = centre + totals.sum(axis=others, keepdims=True) / share - mean
    return np.asarray(centre)
