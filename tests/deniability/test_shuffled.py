"""Amplification by shuffling, against the exact privacy of shuffled Warner reports."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import deniable as dn
from deniable.deniability.shuffled import DELTA, most_before_shuffling, shuffled_epsilon


def exact_delta(epsilon0, n, epsilon, ones):
    """The exact delta at this epsilon: n Warner reports counted, one person's answer changed, `ones` others true."""
    theta = exp(epsilon0) / (1 + exp(epsilon0))
    rest = np.convolve(binom.pmf(np.arange(n), n - 1 - ones, 1 - theta), binom.pmf(np.arange(n), ones, theta))[:n]
    no, yes = (np.convolve(rest, [1 - chance, chance]) for chance in (1 - theta, theta))
    return max(np.maximum(one - exp(epsilon) * two, 0).sum() for one, two in ((no, yes), (yes, no)))


@pytest.mark.parametrize("epsilon0", [0.5, 1.0, 1.4])
@pytest.mark.parametrize("ones", [0, 300, 999])
def test_the_bound_holds_for_shuffled_warner_reports(epsilon0, ones):
    assert exact_delta(epsilon0, 1000, shuffled_epsilon(epsilon0, 1000), ones) <= DELTA


def test_shuffling_is_worth_something():
    """Less than a reply's own epsilon, and less with more people."""
    found = [shuffled_epsilon(2, n) for n in (10_000, 100_000, 1_000_000)]
    assert 2 > found[0] > found[1] > found[2] > 0


@given(st.floats(0.01, 8), st.integers(300, 10**7))
def test_never_more_than_a_reply_and_refused_where_the_theorem_is_silent(epsilon, n):
    if epsilon <= log(n / (16 * log(2 / DELTA))):
        assert 0 < shuffled_epsilon(epsilon, n) <= epsilon + 1e-6
    else:
        with pytest.raises(dn.DeniableError, match="shuffled replies"):
            shuffled_epsilon(epsilon, n)


def test_the_limit_is_the_theorems():
    assert most_before_shuffling(10_000) == pytest.approx(log(10_000 / (16 * log(2e6))))
