"""Replies with missing cells: every figure is that of the replies which answer what it needs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from laws.family import every_member

pytestmark = pytest.mark.filterwarnings("ignore:.*whatever the truth")  # replies are made up
COUNT = 300
OTHER = dn.warner(0.7, dn.yes_no("x"), dn.yes_no("y"))


def gappy(design, seed=1):
    """Random replies to a design, a tenth of whose cells are missing, and where."""
    rng = np.random.default_rng(seed)
    columns, holes = {}, {}
    for question in map(design.reported, design.names):
        if question.is_number:
            values = rng.integers(np.ceil(question.range.low), np.floor(question.range.high) + 1, COUNT).astype(float)
        else:
            values = rng.choice(question.answers, COUNT).astype(object)
        holes[question.name] = (rng.random(COUNT) < 0.1) & (not question.optional)
        columns[question.name] = np.where(holes[question.name], np.nan if question.is_number else None, values)
    return pd.DataFrame(columns), pd.DataFrame(holes)


@pytest.fixture
def survey(member):
    design = dn.Design([member(0.7, 0.2), OTHER])
    return design, *gappy(design)


def plain(found):
    return replace(found, caveat="")


@every_member
def test_a_table_is_that_of_the_replies_that_answer_its_questions(survey):
    design, replies, holes = survey
    names = [design.names[0], "x"]
    lacking = holes[names].any(axis=1)
    found, expected = dn.table(design, replies, names), dn.table(design, replies[~lacking], names)
    figures = ["share", "stderr", "low", "high"]
    assert found[figures].equals(expected[figures])
    assert (
        found["note"].str.contains(f"rests on {COUNT - lacking.sum()} of {COUNT} replies: {lacking.sum()} lack ").all()
    )
    assert not expected["note"].str.contains("lack").any()


@every_member
def test_an_estimate_counts_nothing_but_what_it_needs(survey):
    design, replies, holes = survey
    found = dn.estimate(design, replies, "x == 'yes'", given="y == 'no'")
    lacking = holes[["x", "y"]].any(axis=1)
    assert plain(found) == dn.estimate(design, replies[~lacking][["x", "y"]], "x == 'yes'", given="y == 'no'")
    used = COUNT - lacking.sum()
    assert 0 < found.n < used
    assert found.note.endswith(
        f"rests on {used} of {COUNT} replies: {lacking.sum()} lack x or y; they may differ from the rest"
    )


@every_member
def test_the_old_way_refuses_them_all(survey):
    design, replies, holes = survey
    every = ", ".join(f"'{name}' ({holes[name].sum()})" for name in design.names if holes[name].any())
    with pytest.raises(dn.DeniableError) as refused:
        dn.estimate(design, replies, "x == 'yes'", missing="refuse")
    assert str(refused.value).startswith(f"missing values in {every}; ")
