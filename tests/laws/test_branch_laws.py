"""Along every path, expected replies give back the true counts, whatever the scheme."""

from math import prod

import numpy as np
import pytest
from hypothesis import assume, given

import deniable as dn
from deniable.errors import DeniableError
from deniable.inference.em.joint import likeliest_records
from deniable.inference.invert.factored import InverseDesign
from deniable.inference.invert.stacks import disguised, stacks_of
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from laws.family import FAMILY, MEMBERS, chance, chances_of_each, seeds

NOISE = [f"{scheme}: {variant}" for scheme in ("gaussian", "uniform") for variant in FAMILY[scheme]]
INVERTIBLE = {name: member for name, member in MEMBERS.items() if name not in NOISE}
TARGET = dn.Question("target", ("0", "1", "2"))


def expected_replies(design, questions, truth):
    """The replies that a true table leads to on average, as records of fractional times."""
    reported = disguised(truth[..., None], stacks_of(design, questions))[..., 0]
    cells = np.unravel_index(np.arange(reported.size), reported.shape)
    return Records(cells, reported.shape, reported.ravel())


def made(member, p, q):
    """A design of this channel and a target of its own; not every draw of chances makes one that can be inverted."""
    try:
        channel = member(p, q)
        design = dn.Design([channel, dn.k_ary(0.8, TARGET)], target="target")
        questions = [*channel.group, TARGET]
        disguise = InverseDesign.of(design, questions)
    except DeniableError:
        assume(False)
    assume(max(np.abs(factor).max() for factor in disguise.factors) < 1e3)
    assume(max(np.abs(each.coefficients).max() for each in disguise.factored) < 1e3)
    return design, questions, disguise


@pytest.mark.parametrize("member", INVERTIBLE.values(), ids=INVERTIBLE)
@given(p=chance, q=chance, seed=seeds)
@chances_of_each(100, 30)
def test_branches_recover_the_true_counts(member, p, q, seed):
    design, questions, disguise = made(member, p, q)
    rng = np.random.default_rng(seed)
    truth = rng.random([len(question) for question in questions])
    branch = WeightedSubpopulation.root(expected_replies(design, questions, truth), disguise)
    size = len(questions[0])
    stack = tuple(range(1 + seed % (size - 1)))
    narrowed = branch.restrict(0, stack)
    kept = truth[list(stack)]
    close = {"abs": 1e-6 * truth.sum()}
    assert narrowed.target() == pytest.approx(kept.sum(axis=tuple(range(kept.ndim - 1))), **close)
    for question, table in enumerate(narrowed.tables()[1:], 1):
        others = tuple(axis for axis in range(kept.ndim - 1) if axis != question)
        assert table == pytest.approx(kept.sum(axis=others), **close)


@pytest.mark.parametrize("theta", [0.2, 0.7, 0.9])
def test_likeliest_records_are_the_truth_where_replies_are_as_expected(theta):
    """And they never leave the possible: all weights are positive and add up to the replies."""
    questions = [*[dn.yes_no(name) for name in "abc"], dn.Question("d", ("x", "y", "z")), TARGET]
    design = dn.Design([dn.warner(theta, *questions[:3]), dn.k_ary(0.6, *questions[3:])], target="target")
    truth = np.random.default_rng(4).random([len(question) for question in questions])
    found = likeliest_records(expected_replies(design, questions, 1e5 * truth / truth.sum()), design, questions)
    assert found.counts.sum() == pytest.approx(1e5)
    assert len(found.counts) == prod(truth.shape)
    shares = found.counts.reshape(truth.shape) / 1e5
    assert np.abs(shares - truth / truth.sum()).sum() < 0.05
