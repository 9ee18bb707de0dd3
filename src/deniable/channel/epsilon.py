"""Theta from epsilon: the largest chance of the truth with which a lottery keeps a promised epsilon.

Chances are whole numbers out of 2^32, and so is theta: the exact epsilon of what devices draw never exceeds the
promise.

>>> import deniable as dn
>>> round(dn.warner(dn.epsilon(1), dn.yes_no("smokes")).theta, 6)
0.731059
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, expm1, floor, isfinite, prod
from typing import Any, SupportsFloat

import numpy as np

from deniable.channel.chances import SCALE, chance, shares, thresholds
from deniable.channel.instruction import Instruction, Truth
from deniable.channel.ratio import worst_ratio
from deniable.errors import BadRequest
from deniable.survey.question import Question

MAX_EPSILON = 500.0  # beyond it every lottery of 2^32 chances keeps the promise


@dataclass(frozen=True)
class Epsilon:
    """A promised epsilon, wherever a scheme has a theta."""

    value: float


def epsilon(value: float) -> Epsilon:
    """Epsilon instead of theta: `dn.warner(dn.epsilon(1), question)` draws the truth as often as epsilon 1 allows."""
    proper = isinstance(value, SupportsFloat) and not isinstance(value, bool | str)
    if not proper or not isfinite(float(value)) or not float(value) > 0:
        raise BadRequest("epsilon", "a number above 0", value, "write 1, or leave it out and give theta")
    return Epsilon(float(value))


def truth_chance(
    theta: float | Epsilon, group: Sequence[Question], others: Mapping[Instruction, float]
) -> tuple[float, dict[str, Any]]:
    """The chance of the truth, given or from epsilon, and the setting as the design file says it.

    `others` are the other instructions and their shares among themselves.
    """
    names = ", ".join(question.name for question in group)
    if not isinstance(theta, Epsilon):
        found = chance("theta", theta, names)
        return found, {"theta": found}
    kernels = [np.array([each.kernel(question) for each in (Truth(), *others)]) for question in group]
    if len(others) == 1 and all(np.ptp(each[1], axis=1).max() == 0 for each in kernels):
        least = prod(float(each[1].min()) for each in kernels)
        return _largest_beside(least, theta.value), {"epsilon": theta.value}

    largest = _largest(theta.value, tuple(others.values()), tuple((each.tobytes(), each.shape) for each in kernels))
    if largest is None:
        raise BadRequest(
            f"epsilon of the channel on {names}", "one that some theta reaches", theta.value,
            "use draw, or a channel for each question: one draw for all rules some answers out",
        )  # fmt: skip
    return largest, {"epsilon": theta.value}


@lru_cache(maxsize=1024)
def _largest(
    epsilon: float, others: tuple[float, ...], kernels: tuple[tuple[bytes, tuple[int, ...]], ...]
) -> float | None:
    """The largest theta that keeps epsilon, if any does; many questions of one size ask for it again and again."""
    found = [np.frombuffer(each).reshape(shape) for each, shape in kernels]

    def ratio(whole: int) -> float:
        rest = [(1 - whole / SCALE) * share for share in others]
        return worst_ratio(shares(thresholds([whole / SCALE, *rest])), found)

    most = exp(min(epsilon, MAX_EPSILON))
    low, high = _kept(ratio, most), SCALE  # the ratio rises from there on, and is infinite at theta 1
    if low is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ratio(middle) <= most else (low, middle)
    return low / SCALE


def _largest_beside(least: float, epsilon: float) -> float:
    """The largest theta beside one draw that ignores the truth, whose rarest report has the chance `least`.

    That report's ratio is 1 + theta / ((1 - theta) least).
    """
    odds = expm1(min(epsilon, MAX_EPSILON)) * least
    whole = min(floor(SCALE * odds / (1 + odds)) + 1, SCALE - 1)
    while whole / (SCALE - whole) > odds * (1 - 1e-15):
        whole -= 1
    return whole / SCALE


def _kept(ratio: Callable[[int], float], most: float) -> int | None:
    """A threshold at which a ratio that falls and then rises is at most so large, if there is one."""
    low, high = 0, SCALE
    while high - low > 2:
        first, second = low + (high - low) // 3, high - (high - low) // 3
        one, two = ratio(first), ratio(second)
        if min(one, two) <= most:
            return first if one <= two else second
        low, high = (low, second) if one <= two else (first, high)
    return next((each for each in range(low, high + 1) if ratio(each) <= most), None)
