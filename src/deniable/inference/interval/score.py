"""Score interval of a share or of a ratio of shares, under a smoothed truth.

A share p is a mean of weights a, a conditional share the ratio of that mean to the mean of b. Both are the value p at which
d = a - p b averages to zero (b = 1 for a share). The interval holds every p that the replies do not contradict: for
each p the smoothed truth is moved there, people in the figure against people beside it, and the mean of d over
the replies is held against its distribution under that truth, whose skewness bends the normal quantile (Wilson and
Hilferty 1931).

    edge(p, z) = sqrt(V / n) (2 / g) ((1 + g z / 6 - g^2 / 36)^3 - 1),     g = K / V^1.5 / sqrt(n)
    low = least p with mean(d) <= edge(p, z),     high = greatest p with mean(d) >= edge(p, -z)

Sizes of versions that were drawn are given: moments are those within versions, the mean weight of each kind taken away
block by block. With g = 0 and weights of two values this is the Wilson interval of a reported share, seen through the
inverse.

legend: V, K variance and third central moment of d where p is true; n replies
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from deniable.inference.error import CONFIDENCE
from deniable.inference.interval.weights import PowerSums
from deniable.inference.invert.stack import Table

CAP = 2.0  # of the skewness in Wilson and Hilferty's formula, which breaks down beyond it
HALVINGS = 26  # of the range in which an end lies
LEAST = 1e-12  # variance
OUTSIDE = 0.9  # standard errors by which an estimate may lie outside the possible
TINY = 1e-300
Z = float(ndtri((1 + CONFIDENCE) / 2))


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
        ends = [np.sqrt(self.moments(np.full_like(self.of, p))[0] / self.n) for p in (0.0, 1.0)]
        of = np.clip(self.of, -OUTSIDE * ends[0], np.maximum(self.base, 0.0) + OUTSIDE * ends[1])
        middle = np.clip(of / np.where(self.base > 0, self.base, 1.0), 0.0, 1.0)
        return self._end(of, middle, 0.0, z), self._end(of, middle, 1.0, -z)

    def _end(self, of: Table, inside: Table, end: float, z: float) -> Table:
        """The value farthest from the middle that is not rejected, by halving."""
        outside = np.full_like(of, end)
        inside = np.where(self._holds(of, outside, z), outside, inside)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            kept = self._holds(of, middle, z)
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        return inside

    def _holds(self, of: Table, p: Table, z: float) -> Table:
        """Whether the replies leave p in, on the side of z."""
        variance, third = self.moments(p)
        variance = np.maximum(variance, LEAST)
        error = np.sqrt(variance / self.n)
        skewness = third / (variance * error * self.n) if self.skewed else np.zeros(())
        apart = of - p * self.base
        return apart <= error * quantile(skewness, z) if z > 0 else apart >= error * quantile(skewness, z)

    def moments(self, p: Table) -> tuple[Table, Table]:
        """Variance and third central moment of a - p b within versions, where p is true."""
        inside, beside, outside = self.sums.sums
        total = self.sums.shares[0] + self.sums.shares[1]
        more = p * total / np.maximum(self.sums.shares[0], TINY)
        less = (1 - p) * total / np.maximum(self.sums.shares[1], TINY)
        raw = {key: outside[key] + more * inside[key] + less * beside[key] for key in outside}
        size, mean, square, cube = (_powers_of_difference(raw, p, power) for power in range(4))
        strata = tuple(range(size.ndim - p.ndim))
        centre = _centre(mean, size, strata)
        variance = square - centre * (2 * mean - centre * size)
        third = cube - centre * (3 * square - centre * (3 * mean - centre * size))
        return np.maximum(variance.sum(axis=strata), 0.0), third.sum(axis=strata)


def quantile(skewness: Table, z: float) -> Table:
    """The quantile of a skewed distribution; in a long tail beyond the cap, as far as Cornish and Fisher's first term."""
    capped = np.clip(skewness, -CAP, CAP)
    part = z / 6 - capped / 36
    beyond = np.maximum(np.sign(z) * skewness - CAP, 0.0) * (z**2 - 1) / 6
    return part * (6 + capped * part * (6 + 2 * capped * part)) + np.sign(z) * beyond


def _powers_of_difference(raw: dict[tuple[int, int], Table], p: Table, power: int) -> Table:
    """The sum of (a - p b)^power."""
    if (0, 1) not in raw:  # of a share: b is one
        raw = {(i, j): raw[i, 0] for i in range(power + 1) for j in range(power + 1 - i)}
    if power == 0:
        return raw[0, 0]
    if power == 1:
        return raw[1, 0] - p * raw[0, 1]
    if power == 2:
        return raw[2, 0] - p * (2 * raw[1, 1] - p * raw[0, 2])
    return raw[3, 0] - p * (3 * raw[2, 1] - p * (3 * raw[1, 2] - p * raw[0, 3]))


def _centre(totals: Table, size: Table, strata: tuple[int, ...]) -> Table:
    """The mean to be expected in each stratum: that of everybody, and what each block's kind adds to it."""
    mean = totals.sum(axis=strata, keepdims=True)
    centre = mean
    for axis in strata:
        others = tuple(each for each in strata if each != axis)
        share = np.maximum(size.sum(axis=others, keepdims=True), TINY)
        centre = centre + totals.sum(axis=others, keepdims=True) / share - mean
    return centre
