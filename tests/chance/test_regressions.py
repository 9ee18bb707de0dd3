"""Regressions of many surveys: hardly biased, and intervals that hold as often as they say.

With 150 surveys a bias has an error of .08 standard errors, and a coverage of 95 % one of 1.8 points. The bounds are
four of them, so that of some 90 figures one is beyond them by chance in less than one run of a hundred.
"""

import numpy as np
import pytest

from regression.surveys import SURVEYS, repeated

COUNT = 150


@pytest.mark.studies
@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.parametrize("name", SURVEYS)
def test_estimates_are_hardly_biased_and_intervals_hold(name, n, figure):
    found = repeated(SURVEYS[name], n, range(COUNT))
    figure(f"{name}, n = {n:,}: largest bias in standard errors", round(float(np.abs(found.bias).max()), 3))
    figure(f"{name}, n = {n:,}: coverage", found.coverage.round(3).tolist())
    assert found.failed == 0
    assert np.abs(found.bias).max() < 0.1 + 4 / np.sqrt(COUNT)
    assert found.coverage.min() > 0.95 - 4 * np.sqrt(0.95 * 0.05 / COUNT)
    assert found.errors.mean(axis=0) == pytest.approx(found.estimates.std(axis=0), rel=4 / np.sqrt(2 * COUNT))
