"""Wald's test of independence: a table of two by two, which is worked out by itself, is one of many."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from deniable.inference.independence import wald_of_independence, walds_of_independence

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("counts", [RNG.normal(20, 15, (2, 2)) for _ in range(5)] + [np.zeros((2, 2)), np.ones((2, 2))])
@pytest.mark.parametrize("errors", [np.zeros((4, 4)), RNG.normal(size=(4, 4))])
def test_one_table_of_two_by_two_has_the_statistic_that_it_has_among_others(counts, errors):
    covariance = errors @ errors.T
    (expected, _), degrees = walds_of_independence(np.array([counts, counts]), np.array([covariance, covariance]))
    found = wald_of_independence(counts, covariance)
    assert found == (pytest.approx(expected, rel=1e-9, abs=1e-9), degrees)


def test_of_many_people_who_told_the_truth_it_is_pearsons():
    shares = np.array([[0.26, 0.24], [0.249, 0.251]])
    counts = 10_000 * shares
    covariance = 10_000 * (np.diag(shares.ravel()) - np.outer(shares, shares))
    pearson = chi2_contingency(counts, correction=False).statistic
    assert wald_of_independence(counts, covariance)[0] == pytest.approx(pearson, rel=2e-3)
