"""No truth makes honest replies look impossible: simulated for every scheme, also with lopsided truths."""

import warnings

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.count.replies import counts_of
from laws.family import MEMBERS, every_member, some

DESIGNS = 20  # of each scheme, each with two truths: some 800 calls, of which one in a million may warn


def truths(design, rng, n):
    """People who all say the same, and people who say anything."""
    for spread in (0, 1):
        columns = {}
        for question in design.questions:
            if question.range is not None:
                values = np.full(n, rng.uniform(question.range.low, question.range.high))
                if spread:
                    values = rng.uniform(question.range.low, question.range.high, n)
                columns[question.name] = np.rint(values) if question.range.integer else values
            else:
                shares = rng.dirichlet(np.full(len(question), 0.3)) if spread else np.eye(len(question))[0]
                columns[question.name] = rng.choice(question.answers, n, p=shares)
        yield pd.DataFrame(columns)


@every_member
def test_honest_replies_never_look_impossible(member):
    rng = np.random.default_rng(11)
    for seed in range(DESIGNS):
        channel = some(member, *rng.uniform(0.05, 0.95, 2))
        if channel is None:
            continue
        design = dn.Design([channel])
        for people in truths(design, rng, int(rng.choice([30, 300, 3000]))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                counts_of(design, dn.disguise(design, people, seed=seed)).distinct(design.names, answered=False)


@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_a_lottery_that_always_says_the_same_excludes_nothing(theta):
    design = dn.Design([dn.warner(theta, dn.yes_no("a"), dn.yes_no("b"))])
    replies = pd.DataFrame({"a": ["no"] * 5000, "b": ["yes"] * 5000})
    counts_of(design, replies).distinct(design.names)


@pytest.mark.parametrize(
    "name", [name for name in MEMBERS if not name.startswith(("clear", "interval", "uniform", "gaussian", "multiply"))]
)
def test_people_who_all_say_the_same_cannot_be_replies_of_any_scheme(name):
    design = dn.Design([MEMBERS[name](0.7, 0.4)])
    told = [design.reported(question) for question in design.questions]
    replies = pd.DataFrame({question.name: [question.answers[0]] * 3000 for question in told})
    with pytest.warns(UserWarning, match="whatever the truth"):
        counts_of(design, replies).distinct(design.names, answered=False)
