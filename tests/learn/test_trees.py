"""Trees grown on disguised replies are the trees that the truth would grow."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

import deniable as dn
from deniable.learn.tree import TreeClassifier
from deniable.papers.data import TARGET, adult, binary


@pytest.fixture(scope="module")
def census():
    """The first 10,000 people of the Adult census."""
    return adult().head(10_000)


@pytest.fixture(scope="module")
def codings(census):
    return {coding: binary(census, coding) for coding in ("alphabetical", "mid", "med")}


def parted(frame, order=None):
    """8,000 people to learn from and 2,000 to test on, each as questions and target."""
    frame = frame if order is None else frame.iloc[order]
    return [(part.drop(columns=TARGET), part[TARGET]) for part in (frame.iloc[:8000], frame.iloc[8000:])]


def accuracy(tree, test):
    return float(np.mean(tree.predict(test[0]) == test[1].to_numpy()))


TEXTBOOK = {
    ("alphabetical", "entropy"): 0.7770, ("alphabetical", "gini"): 0.7765,
    ("mid", "entropy"): 0.7930, ("mid", "gini"): 0.7935,
    ("med", "entropy"): 0.8200, ("med", "gini"): 0.8205,
}  # fmt: skip


@pytest.mark.parametrize(("coding", "criterion"), TEXTBOOK)
def test_undisguised_trees_are_the_textbook_ones(codings, coding, criterion):
    train, test = parted(codings[coding])
    tree = TreeClassifier(criterion=criterion, stop=None).fit(*train)
    assert accuracy(tree, test) == pytest.approx(TEXTBOOK[coding, criterion], abs=5e-5)


def one_group(theta, frame):
    return dn.Design([dn.warner(theta, *[dn.Question(name, ["0", "1"]) for name in frame.columns])], target=TARGET)


def disguised(design, frame, seed=1):
    replies = dn.disguise(design, frame, seed=seed)
    return replies.drop(columns=TARGET), replies[TARGET]


@pytest.mark.parametrize("theta", [0, 1])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_with_theta_of_zero_or_one_the_tree_is_the_undisguised_one(codings, theta, criterion):
    frame = codings["mid"].iloc[:3000]
    design = one_group(theta, frame)
    tree = TreeClassifier(design, criterion=criterion, method="inverse", stop=None).fit(*disguised(design, frame))
    plain = TreeClassifier(criterion=criterion, stop=None).fit(frame.drop(columns=TARGET), frame[TARGET])
    everybody = codings["mid"].drop(columns=TARGET)
    assert np.array_equal(tree.predict(everybody), plain.predict(everybody))


SPLIT = np.random.default_rng(1).permutation(10_000)
PAPER = {0.9: 0.7762, 0.7: 0.7734, 0.6: 0.7633}  # faithful ID3, "mid", mean of many repeats


@pytest.mark.parametrize("theta", PAPER)
def test_faithful_trees_are_as_good_as_measured_elsewhere(codings, theta, figure):
    """Six repeats; the spread of one is at most .013, so .02 is more than three standard errors."""
    train, test = parted(codings["mid"], SPLIT)
    design = one_group(theta, codings["mid"])
    frame = pd.concat(train, axis=1)
    found = [
        accuracy(TreeClassifier(design, stop=None).fit(*disguised(design, frame, seed)), test) for seed in range(6)
    ]
    figure(f"faithful ID3, one group, theta {theta}", f"{np.mean(found):.4f} (expected {PAPER[theta]})")
    assert np.mean(found) == pytest.approx(PAPER[theta], abs=0.02)


@pytest.mark.filterwarnings("ignore:the replies do not tell which answer")  # at .51 the margin does not
@pytest.mark.parametrize("theta", [0.51, 0.6, 0.9, 0.4])
def test_one_group_learns_as_well_as_from_the_truth(codings, theta, figure):
    train, test = parted(codings["mid"], SPLIT)
    design = one_group(theta, codings["mid"])
    tree = TreeClassifier(design).fit(*disguised(design, pd.concat(train, axis=1)))
    plain = TreeClassifier().fit(*train)
    figure(
        f"latent tree, one group, theta {theta}",
        f"{accuracy(tree, test):.4f} (undisguised {accuracy(plain, test):.4f})",
    )
    assert tree.method_ == "latent"
    assert accuracy(tree, test) >= accuracy(plain, test) - 0.005


def test_one_lottery_per_question_learns_by_pairs(codings, figure):
    train, test = parted(codings["med"], SPLIT)
    frame = pd.concat(train, axis=1)
    design = dn.Design([dn.warner(0.8, dn.Question(name, ["0", "1"])) for name in frame.columns], target=TARGET)
    tree = TreeClassifier(design).fit(*disguised(design, frame))
    figure("distilled tree, one lottery per question, theta 0.8", f"{accuracy(tree, test):.4f}")
    assert tree.method_ == "pairs"
    assert accuracy(tree, test) > 0.79  # the majority is .7510


MIXED = [
    dn.k_ary(0.9, dn.Question("color", ["red", "green", "blue"])),
    dn.unrelated(0.8, dn.yes_no("a"), dn.yes_no("b"), chances={"a": [0.3, 0.7]}),
    dn.forced(0.05, 0.1, dn.yes_no("c")),
    dn.lookup(dn.yes_no("d"), [[0.8, 0.1], [0.1, 0.1], [0.1, 0.8]], ["x", "y", "z"]),
    dn.clear(dn.number("age", 0, 10, cells=5), dn.yes_no("e")),
    dn.warner(0.85, dn.yes_no("t")),
]


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("method", ["inverse", "pairs"])
def test_any_mixture_of_schemes_can_be_learnt_from(criterion, method):
    rng = np.random.default_rng(5)
    n = 20_000
    yes_no = {name: np.where(rng.random(n) < 0.5, "yes", "no") for name in "abcde"}
    color, age = rng.choice(["red", "green", "blue"], n), rng.random(n) * 10
    true = (color == "red").astype(int) + (yes_no["a"] == "yes") + (age > 6) >= 2
    people = pd.DataFrame({**yes_no, "color": color, "age": age, "t": np.where(true, "yes", "no")})
    design = dn.Design(MIXED, target="t")
    replies = dn.disguise(design, people, seed=6)
    tree = TreeClassifier(design, criterion=criterion, method=method)
    tree.fit(replies.drop(columns="t"), replies["t"])
    assert np.mean(tree.predict(people.drop(columns="t")) == people["t"].to_numpy()) > 0.93


@pytest.mark.parametrize("settings", [{}, {"criterion": "gini", "stop": None}], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks_all_pass(settings):
    results = check_estimator(TreeClassifier(**settings), on_fail=None, on_skip=None)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []


ONE_GROUP = dn.Design([dn.warner(0.8, dn.Question("a", ["0", "1"]), dn.Question("t", ["0", "1"]))], target="t")


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.int8, bool, float, str, object])
def test_replies_of_any_kind_grow_the_same_tree(kind):
    rng = np.random.default_rng(4)
    a, t = rng.integers(0, 2, 500), rng.integers(0, 2, 500) * rng.integers(0, 2, 500)
    grown = [
        TreeClassifier(ONE_GROUP, method="inverse", stop=None).fit(pd.DataFrame({"a": a.astype(kind)}), t.astype(kind))
        for kind in (kind, np.uint8)
    ]
    assert np.array_equal(grown[0].tree_.counts, grown[1].tree_.counts)
    assert grown[0].tree_.split == grown[1].tree_.split


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.int16])
def test_a_number_that_is_no_answer_is_refused_by_name(kind):
    with pytest.raises(dn.DeniableError, match="question 'a' has no answer '7'"):
        TreeClassifier(ONE_GROUP).fit(pd.DataFrame({"a": np.array([0, 1, 7], kind)}), np.array([0, 1, 1], kind))
    with pytest.raises(dn.DeniableError, match="question 't' has no answer '2'"):
        TreeClassifier(ONE_GROUP).fit(pd.DataFrame({"a": np.array([0, 1, 1], kind)}), np.array([0, 1, 2], kind))


def test_missing_and_unequal_replies_are_refused():
    with pytest.raises(dn.DeniableError, match=r"missing values in 'a' \(1\)"):
        TreeClassifier(ONE_GROUP).fit(pd.DataFrame({"a": pd.array([0, 1, None], "UInt8")}), np.array([0, 1, 1]))
    with pytest.raises(dn.DeniableError, match="y must be as long as X"):
        TreeClassifier(ONE_GROUP).fit(pd.DataFrame({"a": np.array([0, 1, 1], np.uint8)}), np.array([0, 1, 1, 1]))
    left_out = dn.Design([dn.clear(dn.number("age", 0, 10, omit=True)), dn.warner(0.8, dn.yes_no("t"))], target="t")
    with pytest.raises(dn.DeniableError, match=r"missing values in 'age' \(1\)"):
        TreeClassifier(left_out).fit(pd.DataFrame({"age": [1.0, np.nan]}), np.array(["yes", "no"]))


def test_an_ordered_question_is_narrowed_step_by_step():
    """Each condition leaves fewer cells, so that a tree of one question ends."""
    rng = np.random.default_rng(6)
    size = rng.choice(["s", "m", "l", "xl"], 20_000, p=[0.2, 0.2, 0.4, 0.2])
    people = pd.DataFrame({"size": size, "t": np.where(np.isin(size, ["m", "xl"]), "yes", "no")})
    question = dn.Question("size", ["s", "m", "l", "xl"], ordered=True)
    design = dn.Design([dn.k_ary(0.9, question), dn.warner(0.9, dn.yes_no("t"))], target="t")
    replies = dn.disguise(design, people, seed=6)
    tree = TreeClassifier(design, method="inverse").fit(replies[["size"]], replies["t"])
    assert np.array_equal(tree.predict(people[["size"]]), people["t"].to_numpy())


@pytest.mark.parametrize(
    "setting", [{"stop": "never"}, {"prune": "mdl"}, {"method": "magic"}, {"criterion": "luck"}], ids=str
)
def test_a_setting_that_does_nothing_is_refused(setting):
    people = pd.DataFrame({"a": [0, 1, 1, 0], "t": [0, 1, 1, 0]})
    with pytest.raises(dn.DeniableError, match=f"{next(iter(setting))} must be"):
        TreeClassifier(**setting).fit(people[["a"]], people["t"])
