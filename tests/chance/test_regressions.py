"""Regressions of many surveys: hardly biased, and intervals that hold as often as they say.

A bias of one survey in `count` has an error of 1 / sqrt(count) standard errors. Bounds are four errors wide, so that of
some 90 figures one is beyond them by chance in less than one run of a hundred.
"""

import numpy as np
import pytest

from regression.surveys import NUMBERS, SURVEYS, by_counts, collected, one_by_one
from serving import AUDIT

MANY, FEW = (2_000, 300) if AUDIT else (500, 100)  # surveys, drawn as counts or reply by reply


@pytest.mark.studies
@pytest.mark.parametrize("n", [1_000, 10_000])
@pytest.mark.parametrize("name", [*SURVEYS, *NUMBERS])
def test_estimates_are_hardly_biased_and_intervals_hold(name, n, figure):
    survey, count = (SURVEYS[name], MANY) if name in SURVEYS else (NUMBERS[name], FEW)
    found = collected(survey, by_counts(survey, n, count) if name in SURVEYS else one_by_one(survey, n, range(count)))
    figure(f"{name}, n = {n:,}: largest bias in standard errors", round(float(np.abs(found.bias).max()), 3))
    figure(f"{name}, n = {n:,}: coverage", found.coverage.round(3).tolist())
    assert found.failed == 0
    assert np.abs(found.bias).max() < 0.1 + 4 / np.sqrt(count)
    assert np.abs(found.coverage - 0.95).max() < 0.01 + 4 * np.sqrt(0.95 * 0.05 / count)
    assert found.errors.mean(axis=0) == pytest.approx(found.estimates.std(axis=0), rel=0.02 + 4 / np.sqrt(2 * count))
