"""Simulated replies come as often as the lottery says."""

import numpy as np
import pytest
from scipy.stats import chisquare

import deniable as dn
from deniable.count.counts import is_answered
from deniable.judge.simulate import simulated_replies
from laws.family import members_without_noise
from laws.versions_family import DRAWN

PEOPLE = 4000
RARE = 1e-5  # false alarms: fewer than one run of these tests in a thousand


def people_of(design, rng):
    return {question.name: rng.integers(0, len(question), PEOPLE) for question in design.questions}


@members_without_noise
def test_reports_of_a_group_come_by_its_matrix(member):
    channel = member(0.7, 0.2)
    if any(question.is_number for question in channel.group):
        people = {each.name: np.arange(3) + (0.5 if each.is_number else 0) for each in channel.group}
        replies = simulated_replies(dn.Design([channel]), {**people, "a": np.zeros(3, int)}, np.random.default_rng(0))
        assert all((replies.columns[each.name] == people[each.name]).all() for each in channel.group if each.is_number)
        return
    design, rng = dn.Design([channel]), np.random.default_rng(1)
    people = people_of(design, rng)
    replies = simulated_replies(design, people, rng)
    true = [len(question) for question in channel.group]
    reported = [len(channel.reported(name)) for name in channel.names]
    told = np.ravel_multi_index([replies.columns[name] for name in channel.names], reported)
    meant = np.ravel_multi_index([people[name] for name in channel.names], true)
    matrix = channel.matrix()
    for cell in np.unique(meant):
        counts = np.bincount(told[meant == cell], minlength=len(matrix))
        possible = matrix[:, cell] > 0
        assert not counts[~possible].any()
        if possible.sum() > 1:
            expected = matrix[possible, cell] / matrix[possible, cell].sum() * counts.sum()
            assert chisquare(counts[possible], expected).pvalue > RARE


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
def test_versions_come_by_their_shares_and_ask_what_is_theirs(make):
    design, rng = make(0.6), np.random.default_rng(2)
    replies = simulated_replies(design, people_of(design, rng), rng)
    assert list(replies.columns) == design.columns
    for block in design.versioned:
        versions = replies.columns[block.column]
        counts = np.bincount(versions, minlength=len(block.versions))
        assert len(counts) == 1 or chisquare(counts, block.shares * PEOPLE).pvalue > RARE
        for index, version in enumerate(block.versions):
            for name in block.names:
                assert (is_answered(replies.columns[name][versions == index]) == (name in version.names)).all()
