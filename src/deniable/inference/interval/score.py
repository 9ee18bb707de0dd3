"""Score interval of a share or of a ratio of shares, under a smoothed truth.

A share p is a mean of weights a, a conditional share the ratio of that mean to the mean of b. Both are the value p at
which d = a - p b averages to zero (b = 1 for a share). The interval holds every p that the replies do not contradict:
for each p the smoothed truth is moved there, people in the figure against people beside it, and the mean of d over the
replies is held against its distribution under that truth, whose skewness bends the normal quantile.
Wilson and Hilferty 1931

    edge(p, z) = sqrt(V / n) (2 / g) ((1 + g z / 6 - g^2 / 36)^3 - 1),     g = K / V^1.5 / sqrt(n)
    low = least p with mean(d) <= edge(p, z),     high = greatest p with mean(d) >= edge(p, -z)

Sizes of versions that were drawn are given: moments are those within versions, the mean weight of each kind taken away
block by block. With g = 0 and weights of two values this is the Wilson interval of a reported share, seen through the
inverse.

legend: V, K variance and third central moment of d where p is true; n replies
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from deniable.inference.error import Z
from deniable.inference.interval.weights import Powers, PowerSums
from deniable.inference.invert.stack import Table

CAP = 2.0  # of the skewness in Wilson and Hilferty's formula, which breaks down beyond it
HALVINGS = 26  # of the range in which an end lies
LEAST = 1e-12  # variance
OUTSIDE = 0.9  # standard errors by which an estimate may lie outside the possible
TINY = 1e-300


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
        ends = [np.sqrt(self.variance(np.full_like(self.of, p)) / self.n) for p in (0.0, 1.0)]
        of = np.clip(self.of, -OUTSIDE * ends[0], np.maximum(self.base, 0.0) + OUTSIDE * ends[1])
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
        second, third = self._polynomials
        variance = np.maximum(_value(second, p), LEAST)
        error = np.sqrt(variance / self.n)
        skewness = _value(third, p) / (variance * error * self.n) if self.skewed else np.zeros(())
        apart = of - p * self.base
        edge = error * quantile(skewness, z)
        return np.asarray(apart <= edge if z > 0 else apart >= edge)

    @cached_property
    def _polynomials(self) -> tuple[Table, Table]:
        """Variance and third moment as polynomials in p, [power, *figure, table]: of degree 3, of a ratio 6."""
        degree = 6 if (0, 1) in self.sums.sums[0] else 3
        nodes = (1 - np.cos(np.pi * np.arange(degree + 1) / degree)) / 2
        at = [self._moved(np.full_like(self.of, node)) for node in nodes]
        values = np.array([[each.sum(axis=self._kinds) for each in (_variance(*some), _third(*some))] for some in at])
        found = np.tensordot(np.linalg.inv(np.vander(nodes, increasing=True)), values, 1)
        return found[:, 0], found[:, 1]

    def variance(self, p: Table) -> Table:
        """The variance of a - p b within versions, where p is true."""
        return np.asarray(np.maximum(_variance(*self._moved(p)).sum(axis=self._kinds), 0.0))

    def _moved(self, p: Table) -> tuple[list[Table], Table]:
        """Sums of the powers of a - p b where p is true, [*kind, *figure, table], and its mean by kind of version."""
        inside, beside, outside = self.sums.sums
        total = self.sums.shares[0] + self.sums.shares[1]
        more = p * total / np.maximum(self.sums.shares[0], TINY)
        less = (1 - p) * total / np.maximum(self.sums.shares[1], TINY)
        raw = {key: outside[key] + more * inside[key] + less * beside[key] for key in outside}
        most = max(i for i, _ in raw)
        sums = [_power_of_difference(raw, p, power) for power in range(most + 1)]
        return sums, _centre(sums[1], sums[0], self._kinds)

    @property
    def _kinds(self) -> tuple[int, ...]:
        """The axes of sums that count kinds of versions."""
        return tuple(range(self.sums.sums[0][0, 0].ndim - self.of.ndim))


def quantile(skewness: Table, z: float) -> Table:
    """The quantile of a skewed distribution; a long tail beyond the cap grows by Cornish and Fisher's first term."""
    capped = np.clip(skewness, -CAP, CAP)
    part = z / 6 - capped / 36
    beyond = np.maximum(np.sign(z) * skewness - CAP, 0.0) * (z**2 - 1) / 6
    return np.asarray(part * (6 + capped * part * (6 + 2 * capped * part)) + np.sign(z) * beyond)


def _value(polynomial: Table, p: Table) -> Table:
    found = polynomial[-1]
    for coefficient in polynomial[-2::-1]:
        found = found * p + coefficient
    return np.asarray(found)


def _power_of_difference(raw: Mapping[Powers, Table], p: Table, power: int) -> Table:
    """The sum of (a - p b)^power; b is one where its powers are not told apart."""
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


def _variance(sums: Sequence[Table], centre: Table) -> Table:
    size, mean, square = sums[:3]
    return np.asarray(square - centre * (2 * mean - centre * size))


def _third(sums: Sequence[Table], centre: Table) -> Table:
    size, mean, square, cube = sums
    return np.asarray(cube - centre * (3 * square - centre * (3 * mean - centre * size)))
