"""Accuracy under noise: boxes against tables that are known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from deniable.inference.em.one_step import RidgeInverse
from deniable.inference.em.regions import region_mixture
from deniable.inference.error import SMALL, Z
from sizes import in_short

AGE = dn.number("age", 0, 10, cells=2)
SMOKES, GROUP = dn.yes_no("smokes"), dn.Question("group", ["A", "B"])
DESIGNS = {
    "each its own": [dn.warner(0.8, SMOKES), dn.warner(0.9, GROUP)],
    "one draw for both": [dn.warner(0.8, SMOKES, GROUP)],
    "in the clear": [dn.clear(SMOKES, GROUP)],
    "unrelated": [dn.unrelated(0.7, SMOKES, GROUP)],
}


@pytest.mark.parametrize("channels", DESIGNS)
@pytest.mark.parametrize("asked", [(0,), (1,), (0, 1)], ids=["number", "answer", "both"])
def test_boxes_hold_as_many_people_as_there_are(channels, asked):
    """Every cell of the asked questions is a box: the table of all of them is known."""
    rng, n = np.random.default_rng(0), 60_000
    age, smokes = rng.uniform(0, 10, n), rng.random(n) < 0.3
    group = rng.random(n) < np.where((age > 5) ^ smokes, 0.8, 0.3)
    people = pd.DataFrame({"age": age, "smokes": np.where(smokes, "yes", "no"), "group": np.where(group, "B", "A")})
    design = dn.Design([dn.uniform(AGE, privacy=0.25), *DESIGNS[channels]], target="group")
    replies = dn.disguise(design, people, seed=1)
    told = [replies["age"].to_numpy(), (replies["smokes"] == "yes").to_numpy().astype(np.int8),
            (replies["group"] == "B").to_numpy().astype(np.int8)]  # fmt: skip
    shape = [2 for _ in asked]
    boxes = [{index: [cell] for index, cell in zip(asked, cells, strict=True)} for cells in np.ndindex(*shape)]
    cells = [(age > 5).astype(int), smokes.astype(int)]
    true = np.zeros((*shape, 2))
    np.add.at(true, (*(cells[index] for index in asked), group.astype(int)), 1 / n)
    found = region_mixture(design, [AGE, SMOKES, GROUP], told, boxes).people().reshape(true.shape)
    assert found == pytest.approx(true, abs=0.02)


def test_a_tree_of_one_question_is_scored_though_the_target_shares_a_draw():
    rng, n = np.random.default_rng(1), 20_000
    age = rng.uniform(0, 10, n)
    people = pd.DataFrame({"age": age, "smokes": rng.choice(["no", "yes"], n), "group": np.where(age > 4, "A", "B")})
    design = dn.Design([dn.gaussian(dn.number("age", 0, 10), privacy=0.25), dn.warner(0.7, SMOKES, GROUP)],
                       target="group")  # fmt: skip
    replies = dn.disguise(design, people, seed=2)
    tree = dn.TreeClassifier(design, max_depth=1).fit(replies[["age"]], replies["group"])
    right = float(np.mean(tree.predict(people[["age"]]) == people["group"]))
    found = dn.score(tree, design, replies)
    assert abs(found.value - right) < 0.03


def test_intervals_of_a_simple_tree_hold_its_accuracy(figure):
    """One split under mild noise, with errors on both sides: nothing is smoothed away."""
    rng, held = np.random.default_rng(2), []
    design = dn.Design([dn.gaussian(dn.number("age", 0, 10), privacy=0.5), dn.clear(GROUP)], target="group")

    def people(n):
        age = rng.uniform(0, 10, n)
        return pd.DataFrame({"age": age, "group": np.where(rng.random(n) < np.where(age > 5, 0.8, 0.2), "A", "B")})

    train = dn.disguise(design, people(5000), seed=1)
    tree = dn.TreeClassifier(design, max_depth=1).fit(train[["age"]], train["group"])
    everybody = people(200_000)
    right = float(np.mean(tree.predict(everybody[["age"]]) == everybody["group"]))
    for seed in range(60):
        found = dn.score(tree, design, dn.disguise(design, people(2000), seed=seed))
        held.append(found.low <= right <= found.high)
    figure("score of one split under noise: coverage", f"{np.mean(held):.3f}")
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize("scheme", [dn.gaussian, dn.uniform])
@pytest.mark.parametrize("method", ["auto", "local", "none"])
def test_a_tree_that_asks_nothing_is_scored(scheme, method):
    """The number tells nothing, so the tree has one leaf: right about nine in ten."""
    rng, n = np.random.default_rng(3), 2000
    people = pd.DataFrame({"age": rng.uniform(0, 10, n), "group": rng.choice(["A", "B"], n, p=[0.9, 0.1])})
    design = dn.Design([scheme(dn.number("age", 0, 10), privacy=0.5), dn.warner(0.9, GROUP)], target="group")
    replies = dn.disguise(design, people, seed=4)
    tree = dn.TreeClassifier(design, method=method, max_leaves=1).fit(replies[["age"]], replies["group"])
    found = dn.score(tree, design, replies)
    assert abs(found.value - (people["group"] == "A").mean()) < 4 * found.stderr
    assert sum(each.value for each in dn.confusion(tree, design, replies).cells.values()) == pytest.approx(1)


def test_a_foreign_tree_that_asks_nothing_is_scored():
    people = pd.DataFrame({"smokes": ["no", "yes"] * 500, "group": ["A"] * 700 + ["B"] * 300})
    design = dn.Design([dn.warner(0.8, SMOKES), dn.warner(0.9, GROUP)], target="group")
    tree = dn.TreeClassifier(max_leaves=1).fit(people[["smokes"]], people["group"])
    found = dn.score(tree, design, dn.disguise(design, people, seed=6))
    assert abs(found.value - 0.7) < 4 * found.stderr


def test_leaves_that_nobody_can_reach_hold_nobody():
    """An uncorrected tree splits on reports beyond the range, where no truth lies."""
    rng = np.random.default_rng(5)
    x = rng.gamma(2, 20, 3000).clip(0, 1000)
    people = pd.DataFrame({"x": x, "group": np.where(x > 40, "A", "B")})
    design = dn.Design([dn.uniform(dn.number("x", 0, 1000), privacy=0.5), dn.clear(GROUP)], target="group")
    replies = dn.disguise(design, people, seed=1)
    tree = dn.TreeClassifier(design, method="none").fit(replies[["x"]], replies["group"])
    found = dn.score(tree, design, replies)
    assert 0 <= found.low <= found.value <= found.high <= 1


PLANE = [dn.number("age", 0, 10), dn.number("pay", 0, 10)]


def plane(rng, n, corner=(5.0, 4.0), both=True, exceptions=0.1):
    """The class depends on both numbers (or on their sum), with some exceptions."""
    age, pay = rng.uniform(0, 10, n), rng.uniform(0, 10, n)
    there = (age > corner[0]) & (pay > corner[1]) if both else age + pay > sum(corner) + 2
    other = there ^ (rng.random(n) < exceptions)
    return pd.DataFrame({"age": age, "pay": pay, "group": np.where(other, "B", "A")})


@pytest.mark.filterwarnings("ignore:the replies do not tell which answer")  # some of the 30 truths are even
@pytest.mark.parametrize("scheme", in_short([dn.gaussian, dn.uniform], dn.gaussian))
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(dn.clear(GROUP), id="in the clear", marks=pytest.mark.studies),
        pytest.param(dn.warner(0.95, GROUP), id="disguised"),
    ],
)
def test_intervals_of_two_questions_under_strong_noise_hold(scheme, target, figure):
    """30 trees of 30 truths at 100 % of privacy: at a coverage of .9 fewer than 23 have a chance of 3e-3."""
    rng, found, rights = np.random.default_rng(7), [], []
    design = dn.Design([*(scheme(each, privacy=1.0) for each in PLANE), target], target="group")
    for run in range(30):
        truth = {"corner": rng.uniform(2, 5, 2), "both": run % 2 == 0, "exceptions": rng.uniform(0, 0.2)}
        train, test = (dn.disguise(design, plane(rng, 2500, **truth), seed=2 * run + part) for part in (0, 1))
        tree = dn.TreeClassifier(design, method="byclass", max_depth=3).fit(train[["age", "pay"]], train["group"])
        everybody = plane(rng, 50_000, **truth)
        rights.append(float(np.mean(tree.predict(everybody[["age", "pay"]]) == everybody["group"])))
        found.append(dn.score(tree, design, test))
    held = sum(each.low <= right <= each.high for each, right in zip(found, rights, strict=True))
    width = np.mean([each.high - each.low for each in found])
    figure(f"score of two numbers, {scheme.__name__} 100 %: held of 30", f"{held}, mean width {width:.3f}")
    assert held >= 23


def test_the_confusion_table_on_a_grid_adds_up():
    """To one in all, and to the unbiased share of each class: the correction moves people between predictions only."""
    rng = np.random.default_rng(8)
    design = dn.Design([*(dn.gaussian(each, privacy=0.5) for each in PLANE), dn.warner(0.8, GROUP)], target="group")
    replies = dn.disguise(design, plane(rng, 3000), seed=2)
    tree = dn.TreeClassifier(design, method="local").fit(replies[["age", "pay"]], replies["group"])
    cells = dn.confusion(tree, design, replies).cells
    for group in "AB":
        share = sum(each.value for (true, _), each in cells.items() if true == group)
        assert share == pytest.approx(dn.estimate(design, replies, f"group == '{group}'").value, abs=1e-9)
    assert dn.score(tree, design, replies).value == pytest.approx(cells["A", "A"].value + cells["B", "B"].value)


def test_any_classifier_of_two_questions_is_scored_on_a_grid():
    rng = np.random.default_rng(9)
    people = plane(rng, 20_000)
    design = dn.Design([*(dn.uniform(each, privacy=0.5) for each in PLANE), dn.clear(GROUP)], target="group")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(people[["age", "pay"]], people["group"])
    found = dn.score(model, design, dn.disguise(design, people, seed=3))
    right = float(np.mean(model.predict(people[["age", "pay"]]) == people["group"]))
    assert found.low <= right <= found.high
    assert found.high - found.low < 0.1


def test_wide_trees_get_a_wide_interval_and_say_so():
    rng = np.random.default_rng(10)
    others = [dn.number(name, 0, 1) for name in "xyz"]
    people = plane(rng, 8000).assign(**{each.name: rng.random(8000) for each in others})
    design = dn.Design([*(dn.gaussian(each, privacy=0.5) for each in (*PLANE, *others)), dn.clear(GROUP)],
                       target="group")  # fmt: skip
    replies = dn.disguise(design, people, seed=4)
    tree = dn.TreeClassifier(design, method="byclass", prune=None).fit(replies.drop(columns="group"), replies["group"])
    found = dn.score(tree, design, replies)
    right = float(np.mean(tree.predict(people.drop(columns="group")) == people["group"]))
    assert "interval widened" in found.note
    assert found.low <= right <= found.high
    assert found.high - found.low > 0.1


def test_ridge_weights_become_the_inverse_as_the_ridge_vanishes():
    """Of two lotteries: the weights of a sum are the sum's row of the product of their inverses."""
    matrices = [dn.warner(0.8, SMOKES).matrix(), dn.k_ary(0.6, dn.Question("c", ["a", "b", "c"])).matrix()]
    shares = np.random.default_rng(0).dirichlet(np.ones(6)).reshape(2, 3)
    inverse = RidgeInverse.of(matrices, shares)
    sums = np.arange(6.0).reshape(2, 3)
    exact = np.kron(*(np.linalg.inv(each) for each in matrices)).T @ sums.ravel()
    assert inverse.weights(sums, 1e-12).ravel() == pytest.approx(exact, abs=1e-9)
    assert np.abs(inverse.hidden(sums, 1e-12)).max() < 1e-9
    assert inverse.weights(np.ones((2, 3)), 0.25) == pytest.approx(
        0.8
    )  # people in all cells are seen but for the ridge
    assert np.abs(inverse.hidden(np.ones((2, 3)), 0.25)).max() < 1e-9


@pytest.mark.parametrize("number", [dn.clear(PLANE[0]), dn.gaussian(PLANE[0], privacy=0.1)], ids=["clear", "noise"])
def test_an_accuracy_that_seems_impossible_is_not_certain(number):
    """All replies agree with the tree, though a fifth of the reported classes should not: some 1.3 is estimated."""
    age = np.linspace(0.5, 9.5, 400)
    people = pd.DataFrame({"age": age, "group": np.where(age > 5, "B", "A")})
    design = dn.Design([number, dn.warner(0.8, GROUP)], target="group")
    tree = dn.TreeClassifier(max_depth=1).fit(people[["age"]], people["group"])
    found = dn.score(tree, design, people)
    assert found.value > 1 + 3 * found.stderr
    assert found.high == 1
    assert 0.9 < found.low < 0.99
    assert all(each.high - each.low > 0.002 for each in dn.confusion(tree, design, people).cells.values())


@pytest.mark.parametrize("n", [5, 30, 400])
def test_all_are_right_in_the_clear(n):
    """Wilson's interval, with which no accuracy is certain."""
    people = pd.DataFrame({"smokes": ["yes", "no"] * n, "group": ["A", "B"] * n}).iloc[:n]
    design = dn.Design([dn.clear(SMOKES, GROUP)], target="group")
    tree = dn.TreeClassifier(max_depth=1).fit(people[["smokes"]], people["group"])
    found, wrong = dn.score(tree, design, people), dn.confusion(tree, design, people).cells["A", "B"]
    z = Z * (1 + SMALL / n**2)
    assert (found.low, found.high) == pytest.approx((n / (n + z**2), 1))
    assert (wrong.low, wrong.high) == pytest.approx((0, z**2 / (n + z**2)))
