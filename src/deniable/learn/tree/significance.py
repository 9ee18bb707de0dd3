"""Significance tests that stop a tree where noise begins.

A split is tested against independence of question and class: with G = T_ij T - T_i T_j over the table of
estimated counts, Wald's statistic G' cov(G)^-1 G is chi-square distributed under independence. For two
answers and two classes it is the square of z = phi / se(phi).

With 14 questions the largest |z| exceeds 2 in 47 % of pure nodes, and 3 in 3 %, so a tree requires 3. A node without
a majority of 2 standard errors inherits its parent's label.
"""

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from deniable.inference.independence import wald_of_independence

Floats = NDArray[np.float64]
Z_SPLIT = 3.0
Z_LABEL = 2.0


def tail(z: float) -> float:
    """The chance of a normal deviate beyond z on either side."""
    return 2 * float(ndtr(-z))


def is_pattern(counts: Floats, covariance: Floats, z: float = Z_SPLIT) -> bool:
    """Whether a table of estimated counts contradicts independence as much as z standard errors would."""
    statistic, degrees = wald_of_independence(counts, covariance)
    return bool(chdtrc(degrees, statistic) < tail(z))


def is_majority(counts: Floats, covariance: Floats, label: int, other: int, z: float = Z_LABEL) -> bool:
    """Whether one class outnumbers another by more than z standard errors."""
    contrast = np.zeros(len(counts))
    contrast[label], contrast[other] = 1, -1
    return bool(contrast @ counts > z * sqrt(max(float(contrast @ covariance @ contrast), 0.0)))
