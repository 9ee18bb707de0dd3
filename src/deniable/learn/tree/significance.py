"""Is it a pattern or the lottery? Tests that stop a tree where noise begins.

A split is tested against independence of question and class: with G = T_ij T - T_i T_j over the table of
estimated counts, Wald's statistic G' cov(G)^-1 G is chi-square distributed if nothing hangs together. Two
answers and two classes give the square of z = phi / se(phi).

Of 14 questions some |z| exceeds 2 in 47 % of pure nodes, and 3 in 3 %: a tree uses 3. And a leaf keeps its
parent's label unless its own majority passes 2 standard errors.
"""

from itertools import product
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

Floats = NDArray[np.float64]
Z_SPLIT = 3.0
Z_LABEL = 2.0


def tail(z: float) -> float:
    """The chance of a normal deviate beyond z on either side."""
    return 2 * float(ndtr(-z))


def is_pattern(counts: Floats, covariance: Floats, z: float = Z_SPLIT) -> bool:
    """Whether a table of estimated counts contradicts independence as much as z standard errors would."""
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), float(counts.sum())
    gaps, slopes = [], []
    for row, column in product(range(counts.shape[0] - 1), range(counts.shape[1] - 1)):
        gaps.append(counts[row, column] * total - rows[row] * columns[column])
        slope = np.full(counts.shape, counts[row, column])
        slope[row, column] += total
        slope[row, :] -= columns[column]
        slope[:, column] -= rows[row]
        slopes.append(slope.ravel())
    gap, slope_matrix = np.array(gaps), np.array(slopes)
    spread = slope_matrix @ covariance @ slope_matrix.T
    if not spread.any():
        return bool(gap.any())
    inverse = np.linalg.pinv(spread, hermitian=True) if len(gap) > 1 else 1 / spread
    statistic = float(gap @ inverse @ gap)
    return bool(chdtrc(len(gap), max(statistic, 0.0)) < tail(z))


def is_majority(counts: Floats, covariance: Floats, label: int, other: int, z: float = Z_LABEL) -> bool:
    """Whether one class outnumbers another by more than z standard errors."""
    contrast = np.zeros(len(counts))
    contrast[label], contrast[other] = 1, -1
    return bool(contrast @ counts > z * sqrt(max(float(contrast @ covariance @ contrast), 0.0)))
