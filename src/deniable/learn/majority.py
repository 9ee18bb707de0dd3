"""Majority: the class that is predicted from the chances of all classes.

The likeliest one, and of equally likely ones the first; chances that differ by rounding alone are equal.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDING = 1e-12  # of chances


def majority(chances: Sequence[float]) -> int:
    """The class of one record; classes are few, and sooner looked through as plain numbers."""
    least = max(chances) - ROUNDING
    return next(index for index, chance in enumerate(chances) if chance >= least)


def majorities(chances: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class of each record, from its chances [record, class]."""
    return np.asarray(np.argmax(chances >= chances.max(axis=1, keepdims=True) - ROUNDING, axis=1))
