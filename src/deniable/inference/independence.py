"""Independence of two questions: measures of dependence, and a test.

    I = sum over cells of  p_ij log(p_ij / (p_i p_j))        mutual information; Shannon 1948
    W = g' V^-1 g  with  g_ij = T_ij T - T_i T_j             Wald's statistic, V the covariance of g by the delta method

legend: T counts or shares of a table [i, j], p shares
"""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MIN_SHARE = 1e-12  # a share of zero has no logarithm


def chi_square_text(statistic: float, degrees: int, p: float) -> str:
    """A test in words."""
    return f"chi-square {statistic:.2f} on {degrees} degree{'s' * (degrees != 1)} of freedom, p = {p:.4g}"


def mutual_information(table: Floats) -> float:
    """The mutual information of two questions, from the table of their shares or counts."""
    shares = np.maximum(table / table.sum(), MIN_SHARE)
    return float((shares * np.log(over_expected(shares))).sum())


def over_expected(table: Floats) -> Floats:
    """Pairwise association: observed over expected under independence, cell by cell."""
    shares = np.maximum(table / table.sum(), MIN_SHARE)
    return np.asarray(shares / np.outer(shares.sum(axis=1), shares.sum(axis=0)))


def wald_of_independence(counts: Floats, covariance: Floats) -> tuple[float, int]:
    """Wald's statistic of independence in a table whose cells have this covariance, and its degrees of freedom."""
    if counts.shape == (2, 2):  # g is the determinant: sooner worked out as plain numbers
        (a, b), (c, d) = counts.tolist()
        slope = np.array((d, -c, -b, a))
        return _squared(a * d - b * c, float(slope @ covariance @ slope)), 1
    statistics, degrees = walds_of_independence(counts[None], covariance[None])
    return float(statistics[0]), degrees


def walds_of_independence(counts: Floats, covariances: Floats) -> tuple[Floats, int]:
    """The same for several tables of one shape, [table, i, j], with covariances [table, (i, j), (i, j)]."""
    rows, columns = np.add.reduce(counts, axis=2), np.add.reduce(counts, axis=1)
    total = np.add.reduce(rows, axis=1)
    tests = list(product(range(counts.shape[1] - 1), range(counts.shape[2] - 1)))
    gaps, slopes = np.empty((len(counts), len(tests))), np.empty((len(counts), len(tests), *counts.shape[1:]))
    for index, (row, column) in enumerate(tests):
        cell, slope = counts[:, row, column], slopes[:, index]
        gaps[:, index] = cell * total - rows[:, row] * columns[:, column]
        slope[:] = cell[:, None, None]
        slope[:, row, column] += total
        slope[:, row, :] -= columns[:, column, None]
        slope[:, :, column] -= rows[:, row, None]
    slopes = slopes.reshape(len(counts), len(tests), -1)
    variances = slopes @ covariances @ slopes.swapaxes(1, 2)
    return np.array([wald(*each) for each in zip(gaps, variances, strict=True)]), len(tests)


def wald(gap: Floats, covariance: Floats) -> float:
    """The squared distance of an estimate from zero in standard errors; infinite where it has none and is not zero."""
    if len(gap) == 1:
        return _squared(float(gap[0]), float(covariance[0, 0]))
    if not covariance.any():
        return float("inf") if gap.any() else 0.0
    return max(float(gap @ np.linalg.pinv(covariance, hermitian=True) @ gap), 0.0)


def _squared(gap: float, variance: float) -> float:
    return max(gap * (1 / variance) * gap, 0.0) if variance else float("inf") if gap else 0.0
