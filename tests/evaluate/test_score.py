"""Accuracy from disguised replies alone is right on average, and its interval honest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB

import deniable as dn
from deniable.evaluate.score import confusion, score
from deniable.inference.error import moments
from deniable.inference.estimates import share_estimate
from deniable.learn.decision_tree import TreeClassifier

NAMES = ["a", "b", "c", "t"]
QUESTIONS = [dn.Question(name, ["0", "1"]) for name in NAMES]
DESIGNS = {
    "one group": [dn.warner(0.75, *QUESTIONS)],
    "two groups": [dn.warner(0.8, *QUESTIONS[:2]), dn.warner(0.7, *QUESTIONS[2:])],
    "each its own": [dn.warner(0.85, question) for question in QUESTIONS],
    "unrelated": [dn.unrelated(0.5, *QUESTIONS)],
    "class in the clear": [dn.k_ary(0.8, *QUESTIONS[:1]), dn.forced(0.1, 0.1, *QUESTIONS[1:3]), dn.clear(QUESTIONS[3])],
}
YES_OF_THREE = np.array([0, 1, 1, 2, 1, 2, 2, 3])  # of a, b, c
CHANCES = np.column_stack([1 - (share := np.array([0.03, 0.1, 0.6, 0.9])[YES_OF_THREE]), share]).ravel() / 8
RUNS = 2000
MODELS = {"tree": TreeClassifier(max_depth=2), "any classifier": CategoricalNB()}


def people(rng, count):
    cells = np.unravel_index(rng.choice(16, count, p=CHANCES), (2, 2, 2, 2))
    return pd.DataFrame(dict(zip(NAMES, cells, strict=True))).astype("uint8")


@pytest.fixture(scope="module", params=DESIGNS)
def surveys(request):
    """The name of a design, people to learn from, the design, and the replies of all surveys."""
    rng, plan = np.random.default_rng(8), dn.Design(DESIGNS[request.param], target="t")
    train = people(rng, 5000)
    return request.param, train, plan, dn.disguise(plan, people(rng, RUNS * 1000), seed=8)


@pytest.mark.xdist_group("scores")  # the surveys are the same for every model
@pytest.mark.parametrize("model", MODELS)
def test_scores_are_unbiased_and_their_intervals_cover(surveys, model, figure):
    """2,000 seeded tests of 1,000 people: |bias| under three standard errors, coverage of 93 to 97 %.

    A score is the mean of the replies' weights, and a reply's weight is the score of that reply alone.
    """
    design, train, plan, replies = surveys
    fitted = MODELS[model].fit(train[NAMES[:3]], train["t"])
    everybody = pd.DataFrame(np.array(np.unravel_index(np.arange(16), (2, 2, 2, 2))).T, columns=NAMES).astype("uint8")
    truth = CHANCES @ (fitted.predict(everybody[NAMES[:3]]) == everybody["t"])
    cells = replies.to_numpy(dtype=np.intp) @ [8, 4, 2, 1]
    counts = (
        np.bincount(16 * np.repeat(np.arange(RUNS), 1000) + cells, minlength=RUNS * 16).reshape(RUNS, 16).astype(float)
    )
    weights = np.array([score(fitted, plan, everybody[cell : cell + 1]).value for cell in range(16)])
    scores = [share_estimate(moments(each, weights)) for each in counts]
    for run in range(10):
        alone = score(fitted, plan, replies[1000 * run : 1000 * (run + 1)])
        assert (alone.value, alone.low, alone.high) == pytest.approx(
            (scores[run].value, scores[run].low, scores[run].high)
        )
    values = np.array([each.value for each in scores])
    covered = np.mean([each.low <= truth <= each.high for each in scores])
    figure(f"score of {model}, {design}", f"bias {values.mean() - truth:+.4f}, coverage {covered:.3f}")
    assert abs(values.mean() - truth) < 3 * values.std() / np.sqrt(RUNS)
    assert 0.93 <= covered <= 0.97


def test_the_confusion_table_adds_up_to_the_score():
    rng = np.random.default_rng(9)
    train, design = people(rng, 3000), dn.Design(DESIGNS["two groups"], target="t")
    fitted = TreeClassifier(max_depth=2).fit(train[NAMES[:3]], train["t"])
    replies = dn.disguise(design, people(rng, 2000), seed=1)
    table = confusion(fitted, design, replies)
    assert sum(each.value for each in table.cells.values()) == pytest.approx(1)
    right = table.cells["0", "0"].value + table.cells["1", "1"].value
    assert right == pytest.approx(score(fitted, design, replies).value)


def test_the_paper_s_two_equations_for_one_group():
    """Du and Zhan 4.3: from the replies' accuracy and that of their opposites, both as they are."""
    rng = np.random.default_rng(10)
    theta, train = 0.7, people(rng, 3000)
    design = dn.Design([dn.warner(theta, *QUESTIONS)], target="t")
    fitted = TreeClassifier(max_depth=3).fit(train[NAMES[:3]], train["t"])
    replies = dn.disguise(design, people(rng, 2000), seed=2)
    told = np.mean(fitted.predict(replies[NAMES[:3]]) == replies["t"])
    opposed = np.mean(fitted.predict(1 - replies[NAMES[:3]]) == 1 - replies["t"])
    expected = (theta * told - (1 - theta) * opposed) / (2 * theta - 1)
    assert score(fitted, design, replies).value == pytest.approx(expected, abs=1e-7)


def test_folds_are_scored_without_the_truth():
    rng = np.random.default_rng(11)
    design = dn.Design(DESIGNS["one group"], target="t")
    everybody = people(rng, 6000)
    replies = dn.disguise(design, everybody, seed=3)
    found = dn.cross_val_score(TreeClassifier(design, method="inverse"), design, replies, cv=4)
    plain = TreeClassifier().fit(everybody[NAMES[:3]], everybody["t"])
    truth = np.mean(plain.predict(everybody[NAMES[:3]]) == everybody["t"])
    assert len(found) == 4
    assert abs(np.mean([each.value for each in found]) - truth) < 0.05


def test_pruning_with_disguised_people_takes_noise_away():
    rng = np.random.default_rng(12)
    design = dn.Design(DESIGNS["one group"], target="t")
    train, held_out, test = (people(rng, count) for count in (600, 3000, 5000))
    replies, others = dn.disguise(design, train, seed=4), dn.disguise(design, held_out, seed=5)
    grown, pruned = (
        TreeClassifier(design, stop=None, prune=prune).fit(replies[NAMES[:3]], replies["t"]) for prune in (None, others)
    )
    right = [np.mean(tree.predict(test[NAMES[:3]]) == test["t"]) for tree in (grown, pruned)]
    assert right[1] >= right[0] - 0.005


def test_a_majority_that_the_replies_do_not_tell_is_warned_of():
    rng = np.random.default_rng(13)
    design = dn.Design([dn.warner(0.51, *QUESTIONS)], target="t")
    replies = dn.disguise(design, people(rng, 300), seed=6)
    with pytest.warns(UserWarning, match="which answer to t is the most frequent"):
        TreeClassifier(design).fit(replies[NAMES[:3]], replies["t"])


def test_the_pairwise_model_predicts_by_itself():
    rng = np.random.default_rng(14)
    everybody = people(rng, 5000)
    design = dn.Design(DESIGNS["each its own"], target="t")
    replies = dn.disguise(design, everybody, seed=7)
    fitted = dn.PairwiseClassifier(design).fit(replies[NAMES[:3]], replies["t"])
    plain = dn.PairwiseClassifier().fit(everybody[NAMES[:3]], everybody["t"])
    right = [np.mean(model.predict(everybody[NAMES[:3]]) == everybody["t"]) for model in (fitted, plain)]
    assert right[0] > right[1] - 0.03


@pytest.mark.parametrize("theta", [0.6, 0.9])
def test_a_classifier_too_wide_to_test_is_refused_with_the_error_it_would_have(theta):
    """For one lottery per question the mean square of a weight is 1 + theta (1 - theta) / (2 theta - 1)^2 each."""
    names = [f"q{index}" for index in range(16)] + ["t"]
    design = dn.Design([dn.warner(theta, dn.Question(name, ["0", "1"])) for name in names], target="t")
    rng = np.random.default_rng(15)
    everybody = pd.DataFrame(rng.integers(0, 2, (500, 17)), columns=names).astype("uint8")
    model = CategoricalNB().fit(everybody[names[:-1]], everybody["t"])
    expected = np.sqrt((1 + theta * (1 - theta) / (2 * theta - 1) ** 2) ** 17 / 500)
    with pytest.raises(dn.DeniableError, match=f"needs 131,072 .* about {expected:.2g};".replace("+", r"\+")):
        score(model, design, dn.disguise(design, everybody, seed=8))


def test_an_evaluation_counts_once_what_score_and_confusion_tell():
    design = dn.Design([dn.warner(0.9, dn.yes_no(name)) for name in ("a", "b", "t")], target="t")
    people = pd.DataFrame({name: ["no", "no", "yes", "yes", "yes"] * 200 for name in design.names})
    replies = dn.disguise(design, people, seed=4)
    tree = dn.TreeClassifier(design).fit(replies)
    found = dn.evaluation(tree, design, replies)
    assert found.accuracy == dn.score(tree, design, replies)
    assert found.confusion == dn.confusion(tree, design, replies)
    other = dn.evaluation(dn.TreeClassifier(design).fit(replies, "a"), design, replies, target="a")
    assert found.accuracy.n == other.accuracy.n == 1000


def test_errors_tell_their_problem_and_the_way_out():
    with pytest.raises(dn.DeniableError) as error:
        dn.warner(80, dn.yes_no("a"))
    assert error.value.way_out == "write 0.8 for 80 %"
    assert str(error.value) == f"{error.value.problem}; {error.value.way_out}"


def test_a_tree_without_a_split_is_scored_over_versions():
    names = ("leave", "smokes", "drinks")
    design = dn.Design([dn.draw(dn.epsilon(2), *map(dn.yes_no, names), always=["leave"], ask=1)], target="leave")
    rng = np.random.default_rng(1)
    people = pd.DataFrame({name: rng.choice(["yes", "no", "no", "no"], 2_000) for name in names})
    replies = dn.disguise(design, people, seed=1)
    tree = dn.TreeClassifier(design).fit(replies)
    tree.tree_.split, tree.tree_.children = None, []
    found = dn.score(tree, design, replies)
    assert abs(found.value - (people.leave == "no").mean()) < 4 * found.stderr
