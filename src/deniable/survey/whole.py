"""Whole numbers, as arguments and files give them."""

from math import inf
from numbers import Integral


def is_whole(value: object, least: float = -inf, most: float = inf) -> bool:
    """Whether a value is a whole number within limits, of Python or numpy; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most
