"""The demo: what it tells is held against the truth by other means."""

import re
from dataclasses import replace

import numpy as np
import pytest

from deniable.cli.demo import sent, shares_heading
from deniable.demo.chapters import page
from deniable.demo.samples import census, made_up
from deniable.demo.story import Share, Story
from deniable.deniability.privacy import privacy
from deniable.inference.estimates import Estimate

CENSUS = {
    "income == '>50K'": lambda p: p["income"] == ">50K",
    "married == 'yes'": lambda p: p["married"] == "yes",
    "gains == 'yes'": lambda p: p["gains"] == "yes",
    "school == 'bachelor or more'": lambda p: p["school"] == "bachelor or more",
    "age >= 30": lambda p: p["age"] >= 30,
    "married == 'yes' and income == '>50K'": lambda p: (p["married"] == "yes") & (p["income"] == ">50K"),
    "sex == 'Female' and income == '>50K'": lambda p: (p["sex"] == "Female") & (p["income"] == ">50K"),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    sample = census()
    return Story(sample, sent(sample, tmp_path_factory.mktemp("census"), seed=5), seed=5)


@pytest.mark.docs
def test_the_census_is_estimated_and_its_tree_beats_guessing(told):
    """Five standard errors: one false alarm in a million runs, and the draw is seeded."""
    people = told.sample.people.to_pandas()
    assert [each.text for each in told.shares] == list(CENSUS)
    for text, true, _, found in told.shares:
        assert true == pytest.approx(CENSUS[text](people).mean())
        assert abs(found.value - true) < 5 * found.stderr, text
    right = {each.name: each.true for each in told.accuracies}
    assert right["tree from disguised replies"] > right["always <=50K"] + 0.04
    assert right["tree from the truth"] > right["tree from disguised replies"] - 0.01
    (small,) = [each for each in told.accuracies if each.name.startswith("small")]
    assert abs(small.found.value - small.true) < 5 * small.found.stderr


@pytest.mark.docs
def test_the_census_keeps_an_epsilon_of_the_whole_reply_where_the_paper_gives_everybody_away(told):
    assert privacy(told.design).epsilon <= 2
    ours, paper = told.attacks.values()
    assert ours.records.guessed < 0.25
    assert paper.records.guessed > 0.9
    assert told.regression.converged


def test_the_tree_of_made_up_people_beats_guessing(tmp_path):
    sample = made_up(np.random.default_rng(2003))
    right = {each.name: each.true for each in Story(sample, sent(sample, tmp_path, seed=1), seed=1).accuracies}
    assert right["tree from disguised replies"] > right["always no"] + 0.02


def test_a_few_people_make_a_page_too(tmp_path):
    """Of whom nothing is learnt: a tree of one leaf, hardly a rule."""
    sample = made_up(np.random.default_rng(1))
    few = replace(sample, people=sample.people.slice(0, 300), training=200)
    shares = []
    told = page(Story(few, sent(few, tmp_path, seed=1)), shares.append)
    assert shares[-1] == 1
    assert "rough" in told
    assert not re.search(r"\bnan\b", told)


@pytest.mark.parametrize(("reported", "words"), [(0.4, "true, what was reported, and what"), (None, "true and what")])
def test_the_heading_names_reports_only_where_there_are_some(reported, words):
    found = Estimate(0.3, 0.01, 0.28, 0.32, 1000, "inverse")
    assert shares_heading([Share("smokes == 'yes'", 0.3, reported, found)]) == f"What is {words} we estimate"
