"""Chances as whole numbers out of 2^32.

A device decides by comparing a random 32-bit number u with whole-number thresholds (u < T), never
with a fraction, so that Python, JavaScript and our estimates agree to the last bit. A chance becomes
T = round(chance * 2^32), cumulated over a lottery, and the last threshold is 2^32.

>>> thresholds([0.25, 0.75])
(1073741824, 4294967296)
>>> shares(thresholds([0.25, 0.75]))
array([0.25, 0.75])
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import isclose
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadChance, BadLottery, NotNumbers

SCALE = 2**32


def chance(name: str, value: object, where: str = "") -> float:
    """The value, if it is a chance."""
    if isinstance(value, bool | str) or not isinstance(value, SupportsFloat) or not 0 <= float(value) <= 1:
        raise BadChance(name, value, where)
    return float(value)


def numbers(what: str, values: object) -> tuple[float, ...]:
    """The values, if they are a list of numbers."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise NotNumbers(what, values)
    found = tuple(values)
    if any(isinstance(value, bool | str) or not isinstance(value, SupportsFloat) for value in found):
        raise NotNumbers(what, list(found))
    return tuple(float(value) for value in found)


def distribution(chances: Iterable[float], what: str = "lottery chances") -> tuple[float, ...]:
    """The chances, if they are a probability distribution."""
    chances = numbers(what, chances)
    if not chances or not min(chances) >= 0 or not isclose(sum(chances), 1.0, abs_tol=1e-9):
        raise BadLottery(chances, what)
    return chances


def thresholds(chances: Sequence[float]) -> tuple[int, ...]:
    """Cumulative thresholds out of 2^32; the outcome is the first one above u."""
    cumulated = [round(total * SCALE) for total in accumulate(chances)]
    return (*(min(threshold, SCALE) for threshold in cumulated[:-1]), SCALE)


@lru_cache(maxsize=1024)
def uniform(outcomes: int) -> tuple[int, ...]:
    """Thresholds of a choice among so many outcomes, all alike."""
    return tuple(round(outcome * SCALE / outcomes) for outcome in range(1, outcomes + 1))


def shares(cumulated: Sequence[int]) -> NDArray[np.float64]:
    """The chances that thresholds really give."""
    return np.asarray(np.diff(np.array([0, *cumulated], dtype=np.float64)) / SCALE)
