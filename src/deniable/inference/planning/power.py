"""Power of a test of a stated share, and the replies that it takes.

The test is two-sided. It rejects the stated share where the estimate lies more than z standard errors away from it, and
takes the standard error that holds *if the stated share is true*, as Wilson's interval does: an interval of
`dn.estimate` that leaves the stated share out is such a test. The estimate itself spreads about the true share with the
standard error that holds there:

    power = P(|estimate - stated| > z s0 / sqrt(n)) = Phi((|d| sqrt(n) - z s0) / s1) + Phi((-|d| sqrt(n) - z s0) / s1)

This is the z-test that the R package rr plans for (Blair, Imai and Zhou 2015).

legend: n replies, d true share minus stated share, z normal quantile, s0^2 and s1^2 the spread (n times the variance of
the estimate) at the stated and at the true share
"""

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

TINY = 1e-300
GRID = 100  # steps between the least and the greatest share, before the worst one is refined
MAX_REPLIES = 2**62


def power_of(replies: float, difference: float, stated: float, true: float, z: float) -> float:
    """The chance that so many replies reject the stated share, from the spreads at the stated and the true share."""
    moved, edge, spread = abs(difference) * sqrt(replies), z * sqrt(stated), sqrt(max(true, TINY))
    return float(ndtr((moved - edge) / spread) + ndtr((-moved - edge) / spread))


def replies_for(power: float, difference: float, stated: float, true: float, z: float) -> int:
    """The fewest replies with this power."""
    enough = needed(power, stated, true, z) / abs(difference)
    low, high = 0, min(max(1, ceil(max(0.0, enough) ** 2)), MAX_REPLIES)
    while high - low > 1:  # the far tail, which `enough` leaves out, saves a reply or two
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle, difference, stated, true, z) >= power else (middle, high)
    return high


def needed(power: float, stated: float, true: float, z: float) -> float:
    """What |d| sqrt(n) must be, but for the far tail."""
    return z * sqrt(stated) + float(ndtri(power)) * sqrt(true)


def worst_share(loss: Callable[[float], float], low: float = 0.0, high: float = 1.0) -> float:
    """The share at which a smooth loss is largest."""
    shares = np.linspace(low, high, GRID + 1)
    losses = [loss(float(share)) for share in shares]
    best = int(np.argmax(losses))
    around = float(shares[max(0, best - 1)]), float(shares[min(GRID, best + 1)])
    if not around[0] < around[1]:
        return float(shares[best])
    found = minimize_scalar(lambda share: -loss(float(share)), bounds=around, method="bounded")
    return float(found.x) if -found.fun > losses[best] else float(shares[best])
