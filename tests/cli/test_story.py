"""The demo: what it tells is held against the truth by other means."""

import re
from dataclasses import replace

import numpy as np
import pytest

from deniable.cli.demo import sent
from deniable.demo.samples import census, made_up
from deniable.demo.story import Story, page

SCHOOLED = ["some college", "bachelor or more"]
CENSUS = {
    "income == '>50K'": lambda p: p["income"] == ">50K",
    "married == 'yes'": lambda p: p["married"] == "yes",
    "gains == 'yes'": lambda p: p["gains"] == "yes",
    "school >= 'some college'": lambda p: p["school"].isin(SCHOOLED),
    "age > 50": lambda p: p["age"] > 50,
    "married == 'yes' and income == '>50K'": lambda p: (p["married"] == "yes") & (p["income"] == ">50K"),
    "sex == 'Female' and income == '>50K'": lambda p: (p["sex"] == "Female") & (p["income"] == ">50K"),
    "age > 50 and income == '>50K'": lambda p: (p["age"] > 50) & (p["income"] == ">50K"),
}


def test_the_census_is_estimated_and_its_tree_beats_the_baselines(tmp_path):
    """Five standard errors: one false alarm in a million runs, and the draw is seeded."""
    sample = census()
    story = Story(sample, sent(sample, tmp_path, seed=5))
    people, replies = sample.people.to_pandas(), story.replies.to_pandas()
    assert [each.text for each in story.shares] == list(CENSUS)
    for text, true, reported, found in story.shares:
        assert true == pytest.approx(CENSUS[text](people).mean())
        assert reported == pytest.approx(CENSUS[text](replies).mean(), abs=0.001)  # numbers by their grid point
        assert abs(found.value - true) < 5 * found.stderr, text
    right = {each.name: each.true for each in story.accuracies}
    best = max(right["always <=50K"], right["tree from replies as if they were true"])
    assert right["tree from disguised replies"] > best
    assert right["tree from the truth"] > right["tree from disguised replies"] - 0.01
    for _, true, found in story.accuracies[1:]:
        assert abs(found.value - true) < 5 * found.stderr


def test_a_few_people_make_a_page_too(tmp_path):
    """Of whom nothing is learnt: a tree of one leaf, hardly a rule."""
    sample = made_up(np.random.default_rng(1))
    few = replace(sample, people=sample.people.slice(0, 300), training=200)
    shares = []
    told = page(Story(few, sent(few, tmp_path, seed=1)), shares.append)
    assert shares[-1] == 1
    assert "rough" in told
    assert not re.search(r"\bnan\b", told)
