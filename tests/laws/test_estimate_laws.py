"""What every estimate obeys, whatever the scheme."""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from hypothesis import assume, given, settings

import deniable as dn
from deniable.inference.em.likeliest import likeliest
from deniable.inference.invert.factored import left_inverse
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.invert.stacks import disguised, stacks_of
from laws.family import (
    A,
    B,
    C,
    chance,
    chances_of_each,
    drawn,
    every_member,
    members_without_noise,
    ordered_subsets,
    seeds,
)

OTHER = dn.warner(0.7, dn.yes_no("x"), dn.yes_no("y"))


@dataclass(frozen=True)
class Expected:
    """The reported counts to be expected, exactly, of a population with this true table."""

    design: dn.Design
    true: np.ndarray

    @property
    def n(self):
        return round(self.true.sum())

    def margin(self, names):
        indices = [self.design.names.index(name) for name in names]
        front = np.moveaxis(self.true, indices, range(len(indices)))
        return front.reshape(*front.shape[: len(indices)], -1).sum(axis=-1)

    def table(self, reported):
        questions = [self.design.question(question.name) for question in reported]
        return disguised(self.margin([question.name for question in questions]), stacks_of(self.design, questions))

    def distinct(self, names):
        raise AssertionError("tables are enough")


def population(design, seed):
    rng = np.random.default_rng(seed)
    return Expected(design, 1000 * rng.dirichlet(np.ones(50), size=tuple(map(len, design.questions)))[..., 0])


@every_member
@given(chance, chance, seeds)
@chances_of_each(25, 8)
def test_expected_counts_give_back_the_true_table(member, p, q, seed):
    channel = drawn(member, p, q)
    design = dn.Design([channel, OTHER])
    people = population(design, seed)
    estimates, can_be_told = InverseEstimates(design, people), cache(partial(invertible, design))  # in whatever order
    for names in ordered_subsets(design.names):
        if can_be_told(tuple(sorted(names))):
            table = estimates.table(names)
            assert np.abs(table.counts - people.margin(names)).max() <= 1e-9 * people.true.sum()  # as a share


def invertible(design, names):
    questions = [design.question(name) for name in names]
    return np.prod([np.linalg.cond(stack.matrix) for stack in stacks_of(design, questions)]) < 1e6


@every_member
@given(chance, chance)
@chances_of_each(100, 30)
def test_an_untouched_group_keeps_the_weight_one(member, p, q):
    channel = drawn(member, p, q)
    assume(np.linalg.cond(channel.matrix()) < 1e6)
    possible = channel.matrix().any(axis=1)
    assert np.allclose(left_inverse(channel.matrix()).sum(axis=0)[possible], 1, atol=1e-8)


@every_member
@given(chance, chance, seeds)
@settings(max_examples=25)
def test_tables_agree_with_each_other(member, p, q, seed):
    channel = drawn(member, p, q)
    assume(invertible(dn.Design([channel]), channel.names))
    design = dn.Design([channel, OTHER])
    estimates = InverseEstimates(design, population(design, seed))
    both = estimates.table([channel.names[0], "x"]).counts
    assert np.allclose(both.sum(axis=1), estimates.table([channel.names[0]]).counts)
    given_yes = estimates.table([channel.names[0]], given={"x": 1}).counts
    assert np.allclose(both[:, 1], given_yes)


@members_without_noise  # under noise the steps stop before the inverse is reached, on purpose
@given(chance, chance, seeds)
@settings(max_examples=10)
def test_iterative_bayes_finds_the_inverse_where_that_is_feasible(member, p, q, seed):
    channel = drawn(member, p, q)
    assume(np.linalg.cond(channel.matrix(channel.names[:1])) <= 20)
    design = dn.Design([channel, OTHER])
    people = population(design, seed)
    question = design.question(channel.names[0])
    reported = people.table([design.reported(question)])
    counts = reported.sum() * likeliest(reported[..., None], stacks_of(design, [question]))[..., 0]
    assert np.allclose(counts, people.margin([question.name]), atol=1e-2)
    assert (counts >= 0).all()


@given(chance, seeds)
def test_theta_and_its_mirror_tell_the_same(theta, seed):
    assume(abs(theta - 0.5) >= 1e-3)
    one, two = (dn.Design([dn.warner(chance, A, B, C)]) for chance in (theta, 1 - theta))
    true = population(one, seed).true
    tables = [InverseEstimates(design, Expected(design, true)).table(["a", "c"]) for design in (one, two)]
    assert np.allclose(tables[0].counts, tables[1].counts, atol=1e-6)
    assert np.allclose(tables[0].variance, tables[1].variance, rtol=1e-4)
