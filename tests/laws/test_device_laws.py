"""What every device obeys: it does exactly what the channel says.

Decisions compare a draw with whole-number thresholds, so between two thresholds all draws lead to the
same report. One draw from each interval, weighted by its length, enumerates the whole distribution.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable.channel.chances import SCALE
from deniable.channel.noise import UNIT
from deniable.count.counts import reported_cells
from deniable.device.follow import draws_needed, follow_lottery
from deniable.device.randomness import Script, Stream, outcomes, secure, seeded
from laws.family import chance, drawn, members_with_factors, members_with_noise, members_without_noise


def breaks(channel):
    """Every threshold that a draw for this channel may be compared with."""
    found = {0, SCALE, *channel.thresholds}
    for instruction in channel.instructions:
        published = instruction.published(channel.group)
        pending = [published.get("thresholds", [])]
        while pending:
            some = pending.pop()
            pending += some.values() if isinstance(some, dict) else [each for each in some if isinstance(each, list)]
            found |= {each for each in some if isinstance(each, int)}
    for question in channel.group:
        found |= {round(index * SCALE / (len(question) - 1)) for index in range(len(question))}
    return np.array(sorted(found))


def true_columns(channel, cells):
    """Columns of the true cells; a number lies in the middle of its cell."""
    columns = {}
    for question, column in zip(channel.group, np.array(cells).T, strict=True):
        columns[question.name] = question.range.middles[column] if question.is_number else column.astype(np.int8)
    return columns


@members_without_noise  # it is averaged over a cell's numbers: see the next law
@given(chance, chance)
@settings(max_examples=3)
def test_following_the_lottery_gives_the_matrix(member, p, q):
    channel = drawn(member, p, q)
    cuts = breaks(channel)
    starts, lengths = cuts[:-1].astype(np.uint32), np.diff(cuts) / SCALE
    draws = np.array(list(product(range(len(starts)), repeat=draws_needed(channel))), dtype=int)
    mass = lengths[draws].prod(axis=1)
    shape = [len(channel.reported(question)) for question in channel.group]
    for index, cells in enumerate(np.ndindex(*[len(question) for question in channel.group])):
        true = true_columns(channel, [cells] * len(draws))
        report = follow_lottery(channel, true, Script(starts[draws].T))
        told = [reported_cells(channel.reported(question), report[question.name]) for question in channel.group]
        distribution = np.bincount(np.ravel_multi_index(told, shape), mass, minlength=np.prod(shape))
        assert np.allclose(distribution, channel.matrix()[:, index], rtol=0, atol=1e-12)


@members_with_noise
@given(chance, chance)
@settings(max_examples=3)
def test_noise_follows_its_published_table(member, p, q):
    channel = drawn(member, p, q)
    noise, (question,) = channel.instructions[0].noise, channel.group
    draws = np.array([0, *noise.thresholds[:-1]], dtype=np.uint32)  # the least draw of every step
    true = np.full(len(draws), question.range.low)
    report = follow_lottery(channel, {question.name: true}, Script(draws[None, :]))[question.name]
    steps = np.rint((report - question.range.low) / question.range.step).astype(int)
    lengths = np.diff([0, *noise.thresholds])
    assert (steps[lengths > 0] == np.arange(noise.first, noise.last + 1)[lengths > 0]).all()


@members_with_factors
@given(chance, chance)
@settings(max_examples=3)
def test_factors_follow_their_published_table(member, p, q):
    """Every factor of the table, drawn for the greatest number, the least, and one between."""
    channel = drawn(member, p, q)
    factors, (question,) = channel.factors, channel.group
    draws = np.array([0, *factors.thresholds[:-1]], dtype=np.uint32)  # the least draw of every factor
    possible = np.diff([0, *factors.thresholds]) > 0
    low, high, step = question.range.low, question.range.high, question.range.step
    for number in (low, low + 300 * step, high):
        true = np.full(len(draws), number)
        report = follow_lottery(channel, {question.name: true}, Script(draws[None, :]))[question.name]
        products = number * np.arange(factors.first, factors.last + 1) / UNIT
        assert np.abs(report - products)[possible].max() <= step / 2 + 1e-9 * high
        assert number > 0 or (report == 0).all()
    assert factors.mean / UNIT == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("make", [secure, lambda: seeded(3)], ids=["secure", "seeded"])
@given(st.lists(st.integers(0, SCALE), max_size=20))
@settings(max_examples=20)
def test_every_outcome_is_possible_or_not_as_its_threshold_says(make, inner):
    thresholds = [*sorted(inner), SCALE]
    picked = make().pick(thresholds, 2000)
    lengths = np.diff([0, *thresholds])
    assert (lengths[np.unique(picked)] > 0).all()


@given(st.lists(st.integers(0, SCALE), min_size=1, max_size=5), st.integers(0, 255))
def test_a_first_byte_and_three_more_are_the_draw_itself(inner, first):
    thresholds, rest = [*sorted(inner), SCALE], np.arange(999, dtype=np.uint8)
    served = iter([np.full(333, first, dtype=np.uint8), rest])
    picked = Stream(lambda count: next(served)[:count]).pick(thresholds, 333)
    low = rest.reshape(-1, 3).astype(np.uint32)
    draws = (first << 24) + (low[:, 2] << 16) + (low[:, 1] << 8) + low[:, 0]
    assert np.array_equal(picked, outcomes(thresholds, draws.astype(np.uint32)))


def test_two_secure_streams_differ_and_two_seeded_do_not():
    assert not np.array_equal(secure().words(8), secure().words(8))
    assert np.array_equal(seeded(1).words(8), seeded(1).words(8))
