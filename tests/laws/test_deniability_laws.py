"""What every privacy figure obeys: tight from both sides, and never better than the truth."""

from math import exp, inf, isfinite

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.deniability.epsilon import channel_epsilon, question_epsilon, rounded_up
from deniable.deniability.posterior import posterior, retention
from laws.family import (
    chance,
    drawn,
    every_member,
    members_where,
    members_with_numbers,
    members_with_words,
    members_without_numbers,
)


def enumerated(matrix):
    """Epsilon by looking at every report and every two truths."""
    with np.errstate(divide="ignore"):
        return float(np.log(matrix.max(axis=1) / matrix.min(axis=1))[matrix.max(axis=1) > 0].max())


@members_without_numbers
@given(chance, chance)
@settings(max_examples=25)
def test_epsilon_is_the_enumerated_one(member, p, q):
    channel = drawn(member, p, q)
    assert np.isclose(channel_epsilon(channel), enumerated(channel.matrix()), rtol=1e-9, atol=1e-9)
    for name in channel.names:
        assert np.isclose(question_epsilon(channel, name), enumerated(channel.matrix([name])), rtol=1e-9, atol=1e-9)


@members_where(lambda channel: isfinite(channel_epsilon(channel)))
@given(chance, chance)
@settings(max_examples=25)
def test_epsilon_is_tight_from_both_sides(member, p, q):
    channel = drawn(member, p, q)
    epsilon = channel_epsilon(channel)
    assume(isfinite(epsilon))
    matrix = channel.matrix()
    pairs = matrix[:, :, None], matrix[:, None, :]
    assert (pairs[0] <= exp(rounded_up(epsilon)) * pairs[1] + 1e-15).all()
    assert epsilon < 1e-6 or (pairs[0] > exp(epsilon - 1e-6) * pairs[1]).any()


@given(st.floats(0, 50))
def test_rounding_epsilon_never_flatters(epsilon):
    assert epsilon <= rounded_up(epsilon) < epsilon + 1.1e-6


@members_with_numbers
@given(chance, chance)
@settings(max_examples=10)
def test_numbers_can_never_be_denied_by_epsilon_alone(member, p, q):
    assert channel_epsilon(drawn(member, p, q)) == inf


@members_with_words
@given(chance, chance)
@settings(max_examples=10)
def test_beliefs_are_distributions_and_retention_is_the_least_diagonal(member, p, q):
    channel = drawn(member, p, q)
    for question in channel.group:
        if not question.is_number:
            believed = posterior(channel, question.name)
            possible = channel.matrix([question.name]).sum(axis=1) > 0
            assert np.allclose(believed[possible].sum(axis=1), 1)
            if channel.reported(question) == question:
                least = channel.matrix([question.name]).diagonal().min()
                assert retention(channel, question.name) == pytest.approx(least, rel=1e-12)


@every_member
@given(chance, chance)
@settings(max_examples=5)
def test_the_report_of_every_design_can_be_told(member, p, q):
    channel = drawn(member, p, q)
    report = dn.privacy(dn.Design([channel])).to_json()
    assert [row["name"] for row in report["questions"]] == channel.names
    assert all(row["sentence"].endswith(".") for row in report["questions"])
    assert "nan" not in str(report).lower()
