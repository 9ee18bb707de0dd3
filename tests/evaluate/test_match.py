"""A model is tested by what answers mean, not by where they stand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import deniable as dn

WORDS = ["never", "weekly", "daily"]


def everybody(rng, count):
    drinks = rng.choice(WORDS, count)
    age = rng.integers(18, 81, count)
    leave = np.where((drinks == "daily") | (age > 60), "yes", "no")
    return pd.DataFrame({"drinks": drinks, "age": age, "leave": np.where(rng.random(count) < 0.05, "no", leave)})


def survey(words=WORDS, answers=("no", "yes"), **age):
    return dn.Design(
        [
            dn.k_ary(0.9, dn.Question("drinks", words)),
            dn.clear(dn.number("age", 18, 80, integer=True, **(age or {"cuts": [30, 61]}))),
            dn.warner(0.9, dn.Question("leave", answers)),
        ],
        target="leave",
    )


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(21)
    return everybody(rng, 6000), everybody(rng, 6000)


def fitted(people, model, columns=("drinks", "age")):
    return model.fit(people[list(columns)], people["leave"])


def truth(model, people, columns=("drinks", "age")):
    return np.mean(model.predict(people[list(columns)]) == people["leave"].to_numpy())


@pytest.mark.parametrize("model", [dn.TreeClassifier(), dn.NaiveBayes()], ids=lambda model: type(model).__name__)
def test_an_undisguised_model_is_tested_by_words(people, model):
    train, test = people
    model = fitted(train, model, ["drinks"])
    design = survey()
    found = dn.score(model, design, dn.disguise(design, test, seed=1))
    assert abs(found.value - truth(model, test, ["drinks"])) < 4 * found.stderr


@pytest.mark.parametrize("method", ["inverse", "pairs"])
def test_another_order_of_answers_does_not_matter(people, method):
    train, test = people
    design, other = survey(), survey(["daily", "never", "weekly"], ("yes", "no"))
    replies = dn.disguise(design, train, seed=2)
    tree = fitted(replies, dn.TreeClassifier(design, method=method))
    found = dn.score(tree, other, dn.disguise(other, test, seed=3))
    assert abs(found.value - truth(tree, test)) < 4 * found.stderr


def test_other_answers_are_refused(people):
    train, test = people
    design, other = survey(), survey(["never", "sometimes", "daily"])
    tree = fitted(dn.disguise(design, train, seed=2), dn.TreeClassifier(design))
    replies = dn.disguise(other, test.replace({"weekly": "sometimes"}), seed=4)
    with pytest.raises(dn.DeniableError, match="'drinks' of the test must be with the model's answers"):
        dn.score(tree, other, replies)


@pytest.mark.parametrize("cuts", [[30, 45, 61], [25, 50]], ids=["finer", "other"])
def test_numbers_in_the_clear_may_be_cut_in_any_way(people, cuts):
    train, test = people
    design, recut = survey(), survey(cuts=cuts)
    tree = fitted(dn.disguise(design, train, seed=2), dn.TreeClassifier(design))
    found = dn.score(tree, recut, dn.disguise(recut, test, seed=5))
    assert abs(found.value - truth(tree, test)) < 4 * found.stderr


def test_other_intervals_are_refused_and_finer_ones_accepted(people):
    train, test = people

    def told_by_interval(cuts):
        age = dn.k_ary(0.9, dn.number("age", 18, 80, integer=True, cuts=cuts))
        return dn.Design([age, dn.warner(0.9, dn.yes_no("leave"))], target="leave")

    design, finer, other = (told_by_interval(cuts) for cuts in ([30, 61], [30, 45, 61], [25, 50]))
    tree = fitted(dn.disguise(design, train, seed=2), dn.TreeClassifier(design, method="inverse"), ["age"])
    found = dn.score(tree, finer, dn.disguise(finer, test, seed=5))
    assert abs(found.value - truth(tree, test, ["age"])) < 4 * found.stderr
    with pytest.raises(dn.DeniableError, match="'age' of the test"):
        dn.score(tree, other, dn.disguise(other, test, seed=6))


def test_classes_that_are_no_answers_are_refused(people):
    train, test = people
    model = fitted(train.assign(leave=train["leave"].map({"no": "well", "yes": "ill"})), dn.TreeClassifier())
    design = survey()
    with pytest.raises(dn.DeniableError, match="a prediction of leave must be one of no, yes"):
        dn.score(model, design, dn.disguise(design, test, seed=7))


def test_any_classifier_may_take_numbers(people):
    train, test = people
    design = survey(cells=63)
    model = DecisionTreeClassifier(max_depth=2).fit(train[["age"]], train["leave"])
    found = dn.score(model, design, dn.disguise(design, test, seed=8))
    assert abs(found.value - truth(model, test, ["age"])) < 4 * found.stderr
