"""Designs of hundreds of questions are learnt from those that tell most about the target."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.learn.wide import MAX_QUESTIONS

TELLING = ["q003", "q077", "q140"]
NAMES = [f"q{index:03}" for index in range(150)]


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(5)
    people = pd.DataFrame((rng.random((4000, len(NAMES))) < 0.65).astype(int), columns=NAMES)
    votes = people[TELLING].sum(axis=1) >= 2
    people["leave"] = np.where(votes, "yes", "no")
    people[NAMES] = people[NAMES].replace({0: "no", 1: "yes"})
    design = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in [*NAMES, "leave"]], target="leave")
    return design, people, dn.disguise(design, people, seed=1)


@pytest.mark.filterwarnings("ignore:the pairwise model has room")
@pytest.mark.parametrize("learner", [dn.NaiveBayes, dn.TreeClassifier, dn.PairwiseClassifier])
def test_what_tells_most_is_kept(survey, learner):
    design, people, replies = survey
    fitted = learner(design).fit(replies)
    assert set(TELLING) <= set(fitted.columns_.names)
    assert len(fitted.columns_.names) == MAX_QUESTIONS
    assert f"the {MAX_QUESTIONS} of {len(NAMES)} questions that tell most about leave" in fitted.note_
    assert (fitted.predict(people) == people["leave"]).mean() > 0.8


def test_narrow_designs_keep_all(survey):
    design, _, replies = survey
    fitted = dn.NaiveBayes(design).fit(replies[[*NAMES[:50], "leave"]])
    assert list(fitted.columns_.names) == NAMES[:50]
    assert not fitted.note_
