"""Significance tests that stop a tree where noise begins.

A split is tested against independence of question and class: with G = T_ij T - T_i T_j over the table of
estimated counts, Wald's statistic G' cov(G)^-1 G is chi-square distributed under independence. For two
answers and two classes it is the square of z = phi / se(phi).

With 14 questions the largest |z| exceeds 2 in 47 % of pure nodes, and 3 in 3 %, so a tree requires 3. A node without
a majority of 2 standard errors inherits its parent's label.

Of all ways to group k answers the best one is significant by chance. Under independence its |z| is about the root of
2/pi (k - 1), the mean of so many absolute deviates, and spreads as much as that of two answers; so the limit moves by

    sqrt(2 / pi) (sqrt(k - 1) - 1)
"""

from collections.abc import Sequence
from functools import lru_cache
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr

from deniable.inference.independence import wald_of_independence, walds_of_independence
from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.splitter import Split

Floats = NDArray[np.float64]
Z_SPLIT = 3.0
Z_LABEL = 2.0


def tail(z: float) -> float:
    """The chance of a normal deviate beyond z on either side."""
    return 2 * float(ndtr(-z))


def is_pattern(counts: Floats, covariance: Floats, grouped: int = 2, z: float = Z_SPLIT) -> bool:
    """Whether a table of estimated counts contradicts independence as much as z standard errors would.

    Its rows are the best of all ways to part `grouped` answers.
    """
    statistic, degrees = wald_of_independence(counts, covariance)
    return sqrt(statistic) > _limit(degrees, grouped, z)


def are_patterns(counts: Floats, covariances: Floats, z: float) -> list[bool]:
    """The same of several tables, [table, row, class], none of whose rows were chosen."""
    statistics, degrees = walds_of_independence(counts, covariances)
    return [sqrt(statistic) > _limit(degrees, 2, z) for statistic in statistics.tolist()]


def first_pattern(branch: Subpopulation, splits: Sequence[Split]) -> Split | None:
    """The first of some splits whose table contradicts independence; all but the first are looked at together."""
    if not splits or is_pattern(*branch.table_with_covariance(splits[0].question, splits[0].parts), splits[0].grouped):
        return splits[0] if splits else None
    found = branch.tables_with_covariance([(split.question, split.parts) for split in splits[1:]])
    passed = []
    for those, tables, covariances in found:
        statistics, degrees = walds_of_independence(tables, covariances)
        passed += [each for each, statistic in zip(those, statistics.tolist(), strict=True)
                   if sqrt(statistic) > _limit(degrees, splits[1 + each].grouped, Z_SPLIT)]  # fmt: skip
    return splits[1 + min(passed)] if passed else None


@lru_cache(maxsize=1024)
def _limit(degrees: int, grouped: int, z: float) -> float:
    """What the root of a statistic must exceed."""
    by_chance = sqrt(2 / pi) * (sqrt(grouped - 1) - 1)
    return sqrt(float(chdtri(degrees, tail(z)))) + by_chance


def is_majority(counts: Floats, covariance: Floats, label: int, other: int, z: float = Z_LABEL) -> bool:
    """Whether one class outnumbers another by more than z standard errors."""
    contrast = np.zeros(len(counts))
    contrast[label], contrast[other] = 1, -1
    return bool(contrast @ counts > z * sqrt(max(float(contrast @ covariance @ contrast), 0.0)))
