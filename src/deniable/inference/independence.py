"""Independence of two questions: measures of dependence, and a test.

    I = sum over cells of  p_ij log(p_ij / (p_i p_j))        mutual information; Shannon 1948
    W = g' V^-1 g  with  g_ij = T_ij T - T_i T_j             Wald's statistic, V the covariance of g by the delta method

legend: T counts or shares of a table [i, j], p shares
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MIN_SHARE = 1e-12  # a share of zero has no logarithm


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
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), float(counts.sum())
    gaps, slopes = [], []
    for row, column in np.ndindex(counts.shape[0] - 1, counts.shape[1] - 1):
        gaps.append(counts[row, column] * total - rows[row] * columns[column])
        slope = np.full(counts.shape, counts[row, column])
        slope[row, column] += total
        slope[row, :] -= columns[column]
        slope[:, column] -= rows[row]
        slopes.append(slope.ravel())
    slope_matrix = np.array(slopes)
    return wald(np.array(gaps), slope_matrix @ covariance @ slope_matrix.T), len(gaps)


def wald(gap: Floats, covariance: Floats) -> float:
    """The squared distance of an estimate from zero in standard errors; infinite where it has none and is not zero."""
    if not covariance.any():
        return float("inf") if gap.any() else 0.0
    inverse = np.linalg.pinv(covariance, hermitian=True) if len(gap) > 1 else 1 / covariance
    return max(float(gap @ inverse @ gap), 0.0)
