"""scikit-learn's own tools on disguised replies: the default scorer warns, `dn.scorer` tells the truth."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import deniable as dn

NAMES = ["a", "b", "c", "t"]
DESIGN = dn.Design([dn.warner(0.8, dn.Question(name, ["0", "1"])) for name in NAMES], target="t")
LEARNERS = [
    dn.TreeClassifier(DESIGN, method="inverse", max_depth=3),
    dn.NaiveBayes(DESIGN),
    dn.PairwiseClassifier(DESIGN),
]


def people(count, seed):
    rng = np.random.default_rng(seed)
    answers = rng.random((count, 3)) < 0.4
    chance = np.array([0.03, 0.05, 0.9, 0.97])[answers.sum(axis=1)]
    return pd.DataFrame(np.column_stack([answers, rng.random(count) < chance]), columns=NAMES).astype(int)


PEOPLE = people(6000, 1)
REPLIES = dn.disguise(DESIGN, PEOPLE, seed=2)
X, Y = REPLIES[NAMES[:3]], REPLIES["t"]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
def test_cross_validation_gives_on_every_fold_what_score_gives(learner):
    folds = KFold(4, shuffle=True, random_state=0)
    found = cross_val_score(learner, X, Y, scoring=dn.scorer(DESIGN), cv=folds)
    for value, (train, test) in zip(found, folds.split(X), strict=True):
        fitted = type(learner)(**learner.get_params()).fit(X.iloc[train], Y.iloc[train])
        assert value == dn.score(fitted, DESIGN, REPLIES.iloc[test]).value


def test_the_default_scorer_warns_names_the_right_one_and_is_far_off():
    """The tree is right about .93 of people; replies taken for the truth give less than .7."""
    tree = LEARNERS[0]
    with pytest.warns(UserWarning, match=r"takes X and y as true.*a, b, c, t.*dn\.scorer\(design\)"):
        wrong = cross_val_score(tree, X, Y, cv=3).mean()
    right = cross_val_score(tree, X, Y, cv=3, scoring=dn.scorer(DESIGN)).mean()
    truth = np.mean(tree.fit(X, Y).predict(PEOPLE[NAMES[:3]]) == PEOPLE["t"])
    assert abs(right - truth) < 0.04
    assert wrong < 0.7 < 0.9 < truth


def test_no_warning_where_nothing_that_the_learner_sees_is_disguised():
    plain = dn.NaiveBayes().fit(PEOPLE[NAMES[:3]], PEOPLE["t"])
    channels = [dn.clear(*DESIGN.questions[:2], DESIGN.questions[3]), dn.warner(0.8, DESIGN.questions[2])]
    design = dn.Design(channels, target="t")
    partly = dn.NaiveBayes(design).fit(PEOPLE[["a", "b"]], PEOPLE["t"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain.score(PEOPLE[NAMES[:3]], PEOPLE["t"])
        partly.score(PEOPLE[["a", "b"]], PEOPLE["t"])


def test_a_grid_search_finds_the_depth_that_the_truth_needs():
    search = GridSearchCV(LEARNERS[0], {"max_depth": [1, 3]}, scoring=dn.scorer(DESIGN), cv=3).fit(X, Y)
    assert search.best_params_ == {"max_depth": 3}
    fresh = dn.disguise(DESIGN, people(4000, 3), seed=4)
    assert search.score(fresh[NAMES[:3]], fresh["t"]) == dn.score(search.best_estimator_, DESIGN, fresh).value
    nested = cross_val_score(search, X, Y, scoring=dn.scorer(DESIGN), cv=2)
    assert nested.mean() > 0.8


def test_arrays_are_scored_like_frames():
    for learner in LEARNERS:
        fitted = learner.fit(X.to_numpy(), Y.to_numpy())
        found = dn.scorer(DESIGN)(fitted, X.to_numpy(), Y.to_numpy())
        assert found == pytest.approx(dn.score(fitted, DESIGN, REPLIES).value, abs=1e-12)


def test_a_pipeline_that_picks_columns_is_scored_by_its_learner():
    """Sixteen more questions, which the pipeline drops: the whole of it could not be asked about 2^20 combinations."""
    more = [f"m{index}" for index in range(16)]
    wide = dn.Design([dn.warner(0.8, dn.Question(name, ["0", "1"])) for name in [*more, *NAMES]], target="t")
    everybody = people(4000, 5)
    everybody[more] = np.random.default_rng(6).integers(0, 2, (4000, 16))
    replies = dn.disguise(wide, everybody, seed=7)
    kept = ColumnTransformer([("kept", "passthrough", ["b", "a"])], verbose_feature_names_out=False)
    line = make_pipeline(kept.set_output(transform="pandas"), dn.NaiveBayes(wide))
    line.fit(replies[[*more, *NAMES[:3]]], replies["t"])
    found = dn.scorer(wide)(line, replies[[*more, *NAMES[:3]]], replies["t"])
    assert found == dn.score(line[-1], wide, replies).value


def test_a_pipeline_of_scikit_learn_alone_is_asked_about_every_combination():
    line = Pipeline([("bits", OneHotEncoder()), ("model", LogisticRegression())])
    line.fit(PEOPLE[NAMES[:3]], PEOPLE["t"])
    assert dn.scorer(DESIGN)(line, X, Y) == dn.score(line, DESIGN, REPLIES).value
    truth = line.score(PEOPLE[NAMES[:3]], PEOPLE["t"])
    assert abs(dn.scorer(DESIGN)(line, X, Y) - truth) < 0.05


def test_a_classifier_that_learnt_from_arrays_is_asked_with_arrays():
    fitted = CategoricalNB().fit(PEOPLE[NAMES[:3]].to_numpy(), PEOPLE["t"].to_numpy())
    found = dn.scorer(DESIGN)(fitted, X.to_numpy(), Y.to_numpy())
    assert abs(found - fitted.score(PEOPLE[NAMES[:3]].to_numpy(), PEOPLE["t"])) < 0.05


def test_the_scorer_travels_to_other_processes_and_refuses_what_is_no_design():
    fitted = LEARNERS[1].fit(X, Y)
    there = pickle.loads(pickle.dumps(dn.scorer(DESIGN)))
    assert there(fitted, X, Y) == dn.scorer(DESIGN)(fitted, X, Y)
    with pytest.raises(dn.DeniableError, match="design must be a Design"):
        dn.scorer(None)
