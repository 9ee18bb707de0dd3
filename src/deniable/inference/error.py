"""Standard errors, and intervals from the replies seen.

Every estimate is a mean of weights w over the n replies. Its interval holds all values p that the
replies do not contradict, where the variance is allowed to change with p as far as the weights'
skewness tells:

    (p - mean)^2 <= (z^2 / n) * (variance + (third / variance) (p - mean) - (p - mean)^2)

If w takes two values only (any share that is a function of one reported share), this is exactly the
Wilson interval of the reported share, seen through the inverse; Wald's interval covers but 75 % at
n = 20, theta = .95 and a share of .02, this one 96 %. For all other weights it corrects Wald's interval
for skewness, as means and accuracies have it; in surveys of a few dozen z is a touch larger (docs/decisions/0003).
Shares in tables and expressions have the score interval (docs/decisions/0036).

legend: n replies, mean, variance and third central moment of the weights, z normal quantile
"""

from dataclasses import dataclass
from math import copysign, inf, sqrt

import numpy as np
from scipy.special import ndtri

from deniable.errors import NobodyMet
from deniable.inference.invert.stack import Table

CONFIDENCE = 0.95
NOBODY = 1e-9
OUTSIDE = 0.9  # standard errors by which an estimate may lie outside the possible
SMALL = 17  # z grows by SMALL / n^2: 2 % at n = 30, nothing to speak of from n = 100 on


def quantile_of(confidence: float) -> float:
    """How many standard errors an interval of this confidence reaches, either way."""
    return float(ndtri((1 + confidence) / 2))


Z = quantile_of(CONFIDENCE)


@dataclass(frozen=True)
class Moments:
    """The moments of the weights of n replies."""

    mean: float
    variance: float
    third: float
    n: float
    least: float
    greatest: float

    @property
    def stderr(self) -> float:
        """Standard error of the mean, for the population that the respondents were drawn from."""
        return sqrt(self.variance / self.n)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """All values that the replies do not contradict at this confidence."""
        slope = self.third / self.variance if self.variance > 0 else self.least + self.greatest - 2 * self.mean
        z = quantile_of(confidence) * (1 + SMALL / self.n**2)
        share = z**2 / self.n
        root = sqrt((share * slope) ** 2 + 4 * (1 + share) * share * self.variance)
        offsets = ((share * slope - root) / (2 * (1 + share)), (share * slope + root) / (2 * (1 + share)))
        return self.mean + offsets[0], self.mean + offsets[1]


def z_of(value: float, stderr: float) -> float:
    """How many standard errors a figure is from zero; infinitely many where it has none and is not zero."""
    return value / stderr if stderr > 0 else copysign(inf, value) if value else 0.0


def moments(counts: Table, weights: Table, possible: Table | None = None) -> Moments:
    """Moments of weights that occur so many times; `possible` are all weights a reply might have."""
    n = float(counts.sum())
    mean = float((counts * weights).sum() / n)
    apart = weights - mean
    variance = float((counts * apart**2).sum() / n)
    tiny = 1e-18 * float(np.abs(weights).max()) ** 2
    third = float((counts * apart**3).sum() / n)
    bounds = weights if possible is None else possible
    return Moments(mean, variance if variance > tiny else 0.0, third, n, float(bounds.min()), float(bounds.max()))


def met(shares: Table) -> Table:
    """The shares of those who meet a condition, if anybody does: the first is that of the replies themselves."""
    if not shares[0] > NOBODY:
        raise NobodyMet(float(shares[0]))
    return np.maximum(shares, NOBODY)
