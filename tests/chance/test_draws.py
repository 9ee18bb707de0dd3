"""Does the disguise draw what the channel says? Chi-square tests with real randomness.

Each test raises a false alarm once in a million runs.
"""

import numpy as np
import pytest
from scipy.stats import chi2

from deniable.channel.chances import SCALE, uniform
from deniable.count.counts import reported_cells
from deniable.device.follow import follow_lottery
from deniable.device.randomness import Stream, secure, seeded
from laws.family import MEMBERS

FALSE_ALARM = 1e-6
PEOPLE = 200_000
CELLS_AND_NOISE = {
    name: member for name, member in MEMBERS.items() if not name.startswith("multiply")
}  # test_multiplied


def p_value(observed, expected):
    """Pearson's test; reports that cannot happen must not have happened."""
    possible = expected > 0
    assert not observed[~possible].any()
    rare = possible & (expected < 10)
    observed = np.append(observed[possible & ~rare], observed[rare].sum())
    expected = np.append(expected[possible & ~rare], expected[rare].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), max(1, len(expected) - 1))


def spread(channel, stream, true_cell):
    """How often each report occurs among people who are all in one true cell, and how often it should."""
    true = {}
    for question, cell in zip(channel.group, true_cell, strict=True):
        if question.is_number:
            low = question.range.middles[cell]
            true[question.name] = np.full(PEOPLE, round(low) if question.range.integer else low)
        else:
            true[question.name] = np.full(PEOPLE, cell, dtype=np.int8)
    report = follow_lottery(channel, true, stream)
    told = [channel.reported(question) for question in channel.group]
    cells = [reported_cells(question, report[question.name]) for question in told]
    shape = [len(question) for question in told]
    return np.bincount(np.ravel_multi_index(cells, shape), minlength=np.prod(shape)).astype(float)


def expected(channel, index):
    """Expected reports; a cell of noise is narrowed to the one number that people here have."""
    (question, *_) = channel.group
    if channel.has_noise:
        limits, middle = question.range, question.range.middles[index]
        value = round(middle) if limits.integer else middle
        point = limits.points(np.array([value]))[0]
        bounds = (np.asarray(channel.reported(question).range.edges) - limits.low) / limits.step
        noise = channel.instructions[0].noise
        return PEOPLE * np.diff(noise.at_most(np.floor(bounds + 0.25).astype(int) - point))
    return PEOPLE * channel.matrix()[:, index]


@pytest.mark.parametrize("make", [secure, lambda: seeded(5)], ids=["secure", "seeded"])
@pytest.mark.parametrize("member", CELLS_AND_NOISE.values(), ids=CELLS_AND_NOISE)
def test_reports_are_distributed_as_the_channel_says(member, make):
    channel = member(0.73, 0.31)
    shape = [len(question) for question in channel.group]
    indices = {0, int(np.prod(shape)) // 2, int(np.prod(shape)) - 1}
    for index in indices:
        observed = spread(channel, make(), np.unravel_index(index, shape))
        assert p_value(observed, expected(channel, index)) > FALSE_ALARM / len(MEMBERS)


def test_a_modulo_bias_is_caught():
    """byte % 10 prefers the answers 0 to 5 by 4 %: the same test must see it.

    With 200,000 people it would miss it in 8 of 1,000 runs, with twice as many in 2 of a billion.
    """
    people = 2 * PEOPLE
    biased = secure().pick([round((index + 1) * SCALE / 256) for index in range(256)], people) % 10
    fair = secure().pick(uniform(10), people)
    alike = np.full(10, people / 10)
    assert p_value(np.bincount(fair, minlength=10).astype(float), alike) > FALSE_ALARM
    assert p_value(np.bincount(biased, minlength=10).astype(float), alike) < FALSE_ALARM


def test_a_theta_that_is_off_by_a_hundredth_is_caught():
    picked = secure().pick([round(0.71 * SCALE), SCALE], PEOPLE)
    assert p_value(np.bincount(picked, minlength=2).astype(float), PEOPLE * np.array([0.7, 0.3])) < FALSE_ALARM


def test_a_source_that_repeats_itself_is_caught():
    """Two groups that get the same draws are no longer independent."""
    once = secure().words(PEOPLE)
    stream = Stream(lambda count: once.view(np.uint8)[:count].copy())
    both = [stream.pick([SCALE // 2, SCALE], PEOPLE) for _ in range(2)]
    table = np.bincount(2 * both[0] + both[1], minlength=4).astype(float)
    assert p_value(table, np.full(4, PEOPLE / 4)) < FALSE_ALARM
