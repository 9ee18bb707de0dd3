"""Epsilon with versions is tight from both sides: against every reply, its version included, and every two truths."""

from itertools import product
from math import inf, isinf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deniable as dn
from deniable.deniability.epsilon import reply_epsilon
from deniable.errors import NothingLeft

A, B, C = dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("c")
COLOUR = dn.Question("colour", ["red", "green", "blue"])
FAMILY = {
    "one of three": lambda p, q: [dn.draw(p, A, B, COLOUR, ask=1)],
    "the target and one": lambda p, q: [dn.draw(dn.epsilon(0.1 + 3 * p), A, B, COLOUR, always=["a"], ask=1)],
    "arms": lambda p, q: [dn.versions({"warner": [dn.warner(p, A)], "forced": [dn.forced(p / 3, q / 2, A)]})],
    "an arm in the clear": lambda p, q: [dn.versions({"warner": [dn.warner(p, A)], "direct": [dn.clear(A)]})],
    "two channels in a version": lambda p, q: [
        dn.versions(
            {"both": [dn.warner(p, A), dn.k_ary(q, COLOUR)], "one": [dn.draw(q, A, B)]}, shares=[0.3, 0.7], column="arm"
        )
    ],
    "two blocks and a channel": lambda p, q: [
        dn.draw(p, A, B, ask=1),
        dn.versions({"little": [dn.k_ary(q, COLOUR)], "much": [dn.draw(p, COLOUR)]}, column="arm"),
        dn.unrelated(q, C, chances=[p, 1 - p]),
    ],
    "more reports than answers": lambda p, q: [
        dn.versions({"cards": [dn.hadamard(dn.epsilon(0.1 + 2 * q), COLOUR)], "k_ary": [dn.k_ary(p, COLOUR)]})
    ],
    "extended crosswise": lambda p, q: [dn.extended_crosswise(p, A), dn.k_ary(q, COLOUR)],
    "cheating detection": lambda p, q: [dn.cheating_detection(p, q, A), dn.k_ary(q, COLOUR)],
    "lie detector": lambda p, q: [dn.lie_detector(p, q, A)],
}
every_design = pytest.mark.parametrize("make", FAMILY.values(), ids=FAMILY)
chance = st.floats(0.02, 0.98)


def made(make, p, q):
    try:
        return dn.Design(make(p, q))
    except NothingLeft:
        assume(False)


def whole_replies(design):
    """P(whole reply, its versions included | truth): [reply, truth], of those who do not lie."""
    truths = list(product(*(range(len(question.plain)) for question in design.questions)))
    index = {name: number for number, name in enumerate(design.names)}
    columns = []
    for truth in truths:
        chances = np.ones(1)
        for block in design.blocks:
            replies = []
            for version, share in zip(block.versions, block.shares, strict=True):
                reports = np.array([share])
                for channel in version.channels:
                    cells = [truth[index[name]] for name in channel.names]
                    true = np.ravel_multi_index(cells, [len(question) for question in channel.group])
                    reports = np.multiply.outer(reports, channel.matrix()[:, true]).ravel()
                replies.append(reports)
            chances = np.multiply.outer(chances, np.concatenate(replies)).ravel()
        columns.append(chances)
    return np.column_stack(columns)


def largest_ratio(replies):
    """The logarithm of the largest ratio of a reply's chances under two truths."""
    possible = replies.max(axis=1) > 0
    with np.errstate(divide="ignore"):
        return float(np.log(replies[possible].max(axis=1) / replies[possible].min(axis=1)).max())


@every_design
@given(chance, chance)
@settings(max_examples=25, deadline=None)
def test_epsilon_is_the_enumerated_one(make, p, q):
    design = made(make, p, q)
    enumerated, found = largest_ratio(whole_replies(design)), dn.privacy(design).epsilon
    assert whole_replies(design).sum(axis=0) == pytest.approx(1)
    assert isinf(found) == isinf(enumerated)
    if not isinf(found):
        assert enumerated - 1e-9 <= found <= enumerated + 1e-6
        assert reply_epsilon(design) == pytest.approx(enumerated, abs=1e-9)


@every_design
@given(chance, chance)
@settings(max_examples=10, deadline=None)
def test_epsilon_of_a_question_is_that_of_its_worst_version(make, p, q):
    design = made(make, p, q)
    for each in dn.privacy(design).questions:
        channels = design.block(each.name).channels_of(each.name)
        asked = design.question(each.name).plain
        enumerated = max(largest_ratio(channel.matrix([asked])) for channel in channels)
        assert each.epsilon == inf if isinf(enumerated) else enumerated - 1e-9 <= each.epsilon <= enumerated + 1e-6


@every_design
@given(chance, chance, st.floats(0.05, 0.95))
@settings(max_examples=10, deadline=None)
def test_beliefs_are_those_of_the_worst_version(make, p, q, prior):
    """Enumerated over whole replies: the surest belief is exact, and guesses are wrong at least as often as told."""
    design = made(make, p, q)
    priors = {"a": prior} if "a" in design.names else {}
    questions = [question.plain for question in design.questions]
    replies, shape = whole_replies(design), [len(question) for question in questions]
    believed = np.ones(())
    for question in questions:
        given_share = priors.get(question.name)
        shares = np.full(len(question), 1 / len(question)) if given_share is None else [1 - prior, prior]
        believed = np.multiply.outer(believed, shares)
    joint = (replies * believed.ravel()).reshape(-1, *shape)
    for axis, (question, each) in enumerate(zip(questions, dn.privacy(design, priors).questions, strict=True)):
        both = np.moveaxis(joint, axis + 1, -1).reshape(len(joint), -1, len(question)).sum(axis=1)
        both = both[both.sum(axis=1) > 0]
        posterior = both / both.sum(axis=1, keepdims=True)
        cell = question.sensitive_cell
        assert each.posterior == pytest.approx(posterior[:, cell].max(), abs=1e-9)
        assert each.posterior_other == pytest.approx(np.delete(posterior, cell, axis=1).max(), abs=1e-9)
        assert each.pse <= 1 - (both * posterior).sum() + 1e-9
        assert each.group_pse <= each.pse + 1e-12
