"""Trees and naive Bayes from numbers under noise: Agrawal and Srikant 2000, and beyond."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.em.observed import ObservedQuestion
from deniable.learn.noisy.training_replies import assigned_cells
from deniable.papers.synthetic import FUNCTIONS, questions

NUMERIC = ["global", "byclass", "local", "joint", "auto", "none"]
GROUP = dn.Question("group", ["A", "B"])


def survey(noise, level, target=None):
    target = dn.clear(GROUP) if target is None else target
    return dn.Design([*(noise(each, privacy=level) for each in questions()), target], target="group")


@pytest.fixture(scope="module")
def applicants():
    rng = np.random.default_rng(3)
    return dn.papers.agrawal(1, 6000, rng), dn.papers.agrawal(1, 2000, rng)


def accuracy(model, test):
    return float(np.mean(model.predict(test.drop(columns="group")) == test["group"].to_numpy()))


@pytest.mark.parametrize("method", NUMERIC)
@pytest.mark.parametrize("noise", [dn.uniform, dn.gaussian], ids=["uniform", "gaussian"])
def test_every_method_learns_and_travels(method, noise, applicants, tmp_path, figure):
    train, test = applicants
    design = survey(noise, 0.5)
    replies = dn.disguise(design, train, seed=1)
    tree = dn.TreeClassifier(design, criterion="gini", method=method).fit(replies.drop(columns="group"), replies.group)
    right = accuracy(tree, test)
    figure(f"function 1, {noise.__name__} 50 %, 6,000 replies, {method}", f"{right:.3f}")
    if method in ("byclass", "local", "joint", "auto"):
        assert right > 0.9
    tree.save(tmp_path / "tree.json")
    again = dn.load_model(tmp_path / "tree.json")
    assert np.array_equal(
        tree.predict_proba(test.drop(columns="group")), again.predict_proba(test.drop(columns="group"))
    )


def test_without_a_design_it_is_an_ordinary_pruned_cart(applicants):
    train, test = applicants
    full = dn.TreeClassifier(criterion="gini", stop=None).fit(train.drop(columns="group"), train["group"])
    pruned = dn.TreeClassifier(criterion="gini", prune="mdl").fit(train.drop(columns="group"), train["group"])
    assert accuracy(full, test) > 0.99
    assert accuracy(pruned, test) > 0.99
    noisy = train.assign(group=np.where(np.random.default_rng(0).random(len(train)) < 0.1, "A", train["group"]))
    full, pruned = (
        dn.TreeClassifier(criterion="gini", stop=None, prune=how).fit(noisy.drop(columns="group"), noisy["group"])
        for how in (None, "mdl")
    )
    assert len(pruned.tree_.nodes()) < len(full.tree_.nodes()) / 10


@pytest.mark.parametrize(("wrong", "kept"), [(3, False), (4, True)])
def test_a_split_stays_if_it_saves_more_errors_than_bits(wrong, kept):
    """A leaf costs one bit and its errors; a split one, its threshold one, and two leaves: four against 1 + errors."""
    people = pd.DataFrame({"x": [0] * 50 + [1] * wrong, "group": ["A"] * 50 + ["B"] * wrong})
    tree = dn.TreeClassifier(criterion="gini", stop=None, prune="mdl").fit(people[["x"]], people["group"])
    assert (tree.tree_.split is not None) is kept


@pytest.mark.parametrize("method", ["byclass", "local", "auto"])
def test_numbers_mix_with_disguised_and_clear_answers_and_a_disguised_target(method):
    rng = np.random.default_rng(5)
    n = 20_000
    people = pd.DataFrame({"age": rng.uniform(20, 80, n), "smokes": rng.choice(["no", "yes"], n),
                           "region": rng.choice(["n", "s", "w"], n)})  # fmt: skip
    people["group"] = np.where((people["age"] > 50) & (people["smokes"] == "yes"), "A", "B")
    design = dn.Design(
        [
            dn.gaussian(dn.number("age", 20, 80), privacy=0.5),
            dn.warner(0.85, dn.yes_no("smokes")),
            dn.clear(dn.Question("region", ["n", "s", "w"])),
            dn.warner(0.85, GROUP),
        ],
        target="group",
    )
    replies = dn.disguise(design, people, seed=2)
    tree = dn.TreeClassifier(design, criterion="gini", method=method).fit(replies.drop(columns="group"), replies.group)
    assert accuracy(tree, people) > 0.85


@pytest.mark.parametrize("matters", [False, True])
def test_a_disguised_class_is_learnt_without_a_number_that_tells_little(matters, tmp_path, figure):
    """Of a class that depends on answers, age under noise tells less than its reconstruction errs."""
    rng, n = np.random.default_rng(7), 24_000
    people = pd.DataFrame({"age": rng.uniform(20, 80, n), **{name: rng.choice(list("nyx"), n) for name in "abc"}})
    likely = (people[list("abc")] == "y").sum(axis=1) / 4 + 0.05
    likely = likely / 3 + 0.6 * (people["age"] > 50) if matters else likely + 0.002 * (people["age"] - 50)
    people["group"] = np.where(rng.random(n) < likely, "A", "B")
    answers = [dn.k_ary(0.75, dn.Question(name, list("nyx"))) for name in "abc"]
    design = dn.Design([dn.gaussian(dn.number("age", 20, 80), privacy=0.5), *answers, dn.warner(0.8, GROUP)],
                       target="group")  # fmt: skip
    replies, test = dn.disguise(design, people[:4000], seed=1), people[4000:]
    trees = {method: dn.TreeClassifier(design, method=method).fit(replies) for method in ("auto", "local")}
    right = {method: accuracy(tree, test) for method, tree in trees.items()}
    figure(f"disguised class, age tells {'much' if matters else 'little'}: auto and local", f"{right}")
    assert right["auto"] > right["local"] - 0.01
    assert trees["auto"].method_ == ("local" if matters else "shrunk")
    trees["auto"].save(tmp_path / "tree.json")
    assert (dn.load_model(tmp_path / "tree.json").predict(test.drop(columns="group"))
            == trees["auto"].predict(test.drop(columns="group"))).all()  # fmt: skip


def test_joint_finds_the_three_questions_that_the_class_depends_on():
    """The class turns round for some people with two disguised answers; the best pair overlooks one of them."""
    rng, n = np.random.default_rng(2), 14_000
    x, z, smokes = rng.uniform(0, 100, n), rng.integers(0, 11, n), rng.random(n) < 0.5
    kind, w = rng.choice(list("abc"), n), rng.choice(["u", "v"], n)
    people = pd.DataFrame({"x": x, "z": z, "smokes": np.where(smokes, "yes", "no"), "kind": kind, "w": w,
                           "group": np.where((x > 50) ^ (smokes & (kind == "a")), "B", "A")})  # fmt: skip
    design = dn.Design(
        [dn.gaussian(dn.number("x", 0, 100), privacy=0.5), dn.uniform(dn.number("z", 0, 10, integer=True), privacy=0.5),
         dn.warner(0.8, dn.yes_no("smokes")), dn.k_ary(0.7, dn.Question("kind", list("abc"))),
         dn.clear(dn.Question("w", ["u", "v"]), GROUP)], target="group"
    )  # fmt: skip
    replies = dn.disguise(design, people[:10_000], seed=2)
    right = {}
    for method in ("local", "joint", "auto"):
        tree = dn.TreeClassifier(design, criterion="gini", method=method)
        right[method] = accuracy(tree.fit(replies.drop(columns="group"), replies["group"]), people[10_000:])
    assert right["joint"] > 0.99
    assert right["auto"] > right["local"] - 0.01


def test_joint_takes_no_third_question_in_cells_coarser_than_the_noise():
    """Function 2 depends on age and salary; in the coarse cells that three questions leave it would lose two points."""
    rng = np.random.default_rng(11)
    design = dn.Design([*(dn.gaussian(each, privacy=0.1) for each in questions()), dn.clear(GROUP)], target="group")
    replies, test = dn.disguise(design, dn.papers.agrawal(2, 10_000, rng), seed=1), dn.papers.agrawal(2, 5_000, rng)
    tree = dn.TreeClassifier(design, criterion="gini").fit(replies.drop(columns="group"), replies["group"])
    asked = {tree.columns_.names[node.split.question] for node in tree.tree_.nodes() if node.split}
    assert asked == {"age", "salary"}
    assert accuracy(tree, test) > 0.98


def test_joint_finds_what_no_single_number_tells():
    """Function 2 at 100 % privacy, where the groups hang on age and salary together."""
    rng = np.random.default_rng(2)
    design = survey(dn.uniform, 1.0)
    replies, test = dn.disguise(design, dn.papers.agrawal(2, 20_000, rng), seed=1), dn.papers.agrawal(2, 2_000, rng)
    right = {}
    for method in ("byclass", "joint"):
        tree = dn.TreeClassifier(design, criterion="gini", method=method)
        right[method] = accuracy(tree.fit(replies.drop(columns="group"), replies["group"]), test)
    assert right["joint"] > 0.9
    assert right["joint"] > right["byclass"] + 0.05


@pytest.mark.parametrize("method", ["global", "byclass", "local", "joint", "auto", "none"])
@pytest.mark.parametrize("beside", ["a number in the clear", "chosen cells", "a group with the target", "intervals"])
def test_numbers_under_noise_beside_everything_else(beside, method, tmp_path):
    rng, n = np.random.default_rng(4), 3000
    age, income = rng.uniform(0, 10, n), rng.uniform(0, 100, n)
    people = pd.DataFrame({"age": age, "income": income, "smokes": rng.choice(["no", "yes"], n),
                           "group": np.where(age + income / 50 > 5, "A", "B")})  # fmt: skip
    number, smokes = dn.gaussian(dn.number("age", 0, 10), privacy=0.25), dn.yes_no("smokes")
    channels = {
        "a number in the clear": [number, dn.clear(dn.number("income", 0, 100), smokes, GROUP)],
        "chosen cells": [dn.gaussian(dn.number("age", 0, 10, cells=31), privacy=0.25),
                         dn.uniform(dn.number("income", 0, 100, cells=40), privacy=0.25), dn.clear(smokes, GROUP)],
        "a group with the target": [number, dn.clear(dn.number("income", 0, 100)), dn.warner(0.9, smokes, GROUP)],
        "intervals": [number, dn.k_ary(0.8, dn.number("income", 0, 100, cuts=[25, 50])), dn.clear(smokes, GROUP)],
    }  # fmt: skip
    design = dn.Design(channels[beside], target="group", order=["age", "income", "smokes", "group"])
    replies = dn.disguise(design, people, seed=1)
    tree = dn.TreeClassifier(design, method=method).fit(replies.drop(columns="group"), replies["group"])
    assert accuracy(tree, people) > 0.75
    tree.save(tmp_path / "tree.json")
    assert accuracy(dn.load_model(tmp_path / "tree.json"), people) == accuracy(tree, people)
    found = dn.score(tree, design, replies)
    assert abs(found.value - accuracy(tree, people)) < 0.12
    assert found.n == n


@pytest.mark.parametrize("method", ["byclass", "local", "joint"])
def test_who_leaves_a_number_out_goes_down_every_branch(method, tmp_path):
    rng = np.random.default_rng(6)
    age = rng.uniform(0, 10, 8000)
    people = pd.DataFrame({"age": age, "group": np.where(age > 8, "A", "B")})
    people.loc[rng.random(8000) < 0.3, "age"] = np.nan
    design = dn.Design([dn.uniform(dn.number("age", 0, 10, omit=True), privacy=0.5), dn.clear(GROUP)], target="group")
    replies = dn.disguise(design, people, seed=3)
    assert replies["age"].isna().sum() == people["age"].isna().sum()
    tree = dn.TreeClassifier(design, criterion="gini", method=method).fit(replies[["age"]], replies["group"])
    known = people.dropna()
    assert accuracy(tree, known) > 0.95
    silent = tree.predict_proba(pd.DataFrame({"age": [np.nan, 1.0, 9.0]}))
    assert silent[0] == pytest.approx([0.2, 0.8], abs=0.06)
    tree.save(tmp_path / "tree.json")
    again = dn.load_model(tmp_path / "tree.json").predict_proba(pd.DataFrame({"age": [np.nan, 1.0, 9.0]}))
    assert np.array_equal(silent, again)


AGE = dn.number("age", 0, 10, cuts=[2, 4, 8], omit=True)
OMITTED = {
    "noise": dn.uniform(AGE, privacy=0.5),
    "clear": dn.clear(AGE),
    "k-ary": dn.k_ary(0.8, AGE),
}


@pytest.mark.parametrize("method", ["auto", "none"])
@pytest.mark.parametrize("learner", [dn.TreeClassifier, dn.NaiveBayes])
@pytest.mark.parametrize("disguise", OMITTED)
def test_numbers_may_be_left_out_under_every_disguise(disguise, learner, method):
    rng = np.random.default_rng(7)
    age, n = rng.uniform(0, 10, 10_000), 10_000
    people = pd.DataFrame({"age": age, "smokes": rng.choice(["no", "yes"], n), "group": np.where(age > 4, "A", "B")})
    people.loc[rng.random(n) < np.where(age > 5, 0.4, 0.1), "age"] = np.nan  # the old are shy
    design = dn.Design([OMITTED[disguise], dn.warner(0.8, dn.yes_no("smokes")), dn.warner(0.9, GROUP)], target="group")
    train, test = dn.disguise(design, people[:5000], seed=3), dn.disguise(design, people[5000:], seed=4)
    model = learner(design, method=method).fit(train.drop(columns="group"), train["group"])
    known = people[5000:].dropna()
    right, found = accuracy(model, known), dn.score(model, design, test)
    assert right > (0.95 if method == "auto" else 0.85)
    assert f"without {5000 - len(known):,} that leave a number out" in found.note
    assert found.n == len(known)
    assert abs(found.value - right) < (4 * found.stderr if disguise != "noise" else 0.06)


def test_who_leaves_a_disguised_number_out_goes_down_by_true_shares():
    """Nine in ten are young, though a strong lottery reports six: who says nothing counts nine times as young."""
    rng, n = np.random.default_rng(8), 20_000
    age = np.where(rng.random(n) < 0.9, 1.0, 9.0)
    people = pd.DataFrame({"age": age, "group": np.where(age > 5, "A", "B")})
    people.loc[rng.random(n) < 0.3, "age"] = np.nan
    design = dn.Design([dn.k_ary(0.6, dn.number("age", 0, 10, cuts=[5], omit=True)), dn.clear(GROUP)], target="group")
    replies = dn.disguise(design, people, seed=5)
    tree = dn.TreeClassifier(design, method="inverse").fit(replies[["age"]], replies["group"])
    young, old = tree.tree_.children
    assert young.counts.sum() / tree.tree_.counts.sum() == pytest.approx(0.9, abs=0.03)
    assert old.counts.sum() / tree.tree_.counts.sum() == pytest.approx(0.1, abs=0.03)


def test_who_leaves_a_number_out_says_nothing_about_it():
    """The chances of naive Bayes are those of the people who answered: counted by hand."""
    people = pd.DataFrame({"age": [1.0] * 30 + [9.0] * 10 + [np.nan] * 60 + [1.0] * 5 + [9.0] * 45 + [np.nan] * 50,
                           "group": ["A"] * 100 + ["B"] * 100})  # fmt: skip
    design = dn.Design([dn.clear(dn.number("age", 0, 10, cuts=[5], omit=True)), dn.clear(GROUP)], target="group")
    bayes = dn.NaiveBayes(design, smoothing=None).fit(people[["age"]], people["group"])
    assert bayes.chances_[0] == pytest.approx(np.array([[30 / 40, 5 / 50], [10 / 40, 45 / 50]]))
    assert bayes.predict_proba(pd.DataFrame({"age": [np.nan]}))[0] == pytest.approx([0.5, 0.5])


def test_assigned_cells_are_as_many_as_the_shares_say():
    question = dn.number("x", 0, 1, cells=4)
    channel = dn.gaussian(question, sd=0.2)
    reports = np.random.default_rng(0).normal(0.5, 0.3, 1000)
    number = ObservedQuestion.of(channel, question, reports)
    rows = np.arange(1000)
    cells = assigned_cells(number, [rows], np.array([[0.1], [0.2], [0.3], [0.4]]))
    assert np.bincount(cells).tolist() == [100, 200, 300, 400]
    order = np.argsort(number.order, kind="stable")
    assert (np.diff(cells[order]) >= 0).all()


def test_naive_bayes_learns_from_reconstructed_numbers(applicants, tmp_path):
    train, test = applicants
    design = survey(dn.gaussian, 0.5)
    replies = dn.disguise(design, train, seed=4)
    bayes = dn.NaiveBayes(design).fit(replies.drop(columns="group"), replies["group"])
    assert bayes.method_ == "byclass"
    assert accuracy(bayes, test) > 0.9
    bayes.save(tmp_path / "bayes.json")
    assert accuracy(dn.load_model(tmp_path / "bayes.json"), test) == accuracy(bayes, test)


def test_too_few_replies_say_how_many_are_needed():
    design = dn.Design([dn.gaussian(dn.number("age", 0, 10), privacy=0.5), dn.clear(GROUP)], target="group")
    replies = pd.DataFrame({"age": [1.0, 2.0, 3.0], "group": ["A", "B", "A"]})
    for work in (
        lambda: dn.TreeClassifier(design).fit(replies[["age"]], replies["group"]),
        lambda: dn.NaiveBayes(design).fit(replies[["age"]], replies["group"]),
        lambda: dn.reconstruct(design, replies, "age"),
    ):
        with pytest.raises(dn.DeniableError, match="needs at least 100 replies, got 3"):
            work()


def test_a_report_beyond_any_noise_is_refused():
    design = dn.Design([dn.uniform(dn.number("age", 0, 10), half_width=2), dn.clear(GROUP)], target="group")
    replies = pd.DataFrame({"age": [1.0, 99.0] * 100, "group": ["A", "B"] * 100})
    with pytest.raises(dn.DeniableError, match="no disguise of the design can report this"):
        dn.TreeClassifier(design).fit(replies[["age"]], replies["group"])


@pytest.mark.parametrize("function", range(1, 11))
def test_the_applicants_are_those_of_the_paper(function):
    people = dn.papers.agrawal(function, 1001, np.random.default_rng(0))
    assert list(people) == [
        "salary",
        "commission",
        "age",
        "elevel",
        "car",
        "zipcode",
        "hvalue",
        "hyears",
        "loan",
        "group",
    ]
    assert people["group"].value_counts().to_dict() == {"A": 501, "B": 500}
    assert ((people["salary"] >= 75_000) == (people["commission"] == 0)).all()
    assert (people["hvalue"] / people["zipcode"]).between(50_000, 150_000).all()
    for question in questions():
        assert people[question.name].between(question.range.low, question.range.high).all()


@pytest.mark.parametrize(
    ("function", "changed", "group"),
    [
        (1, {"age": 39}, "A"), (1, {"age": 40}, "B"), (1, {"age": 60}, "A"),
        (2, {"age": 30, "salary": 50_000}, "A"), (2, {"age": 30, "salary": 101_000}, "B"),
        (2, {"age": 50, "salary": 120_000}, "A"), (2, {"age": 70, "salary": 80_000}, "B"),
        (3, {"age": 30, "elevel": 0, "salary": 60_000}, "A"), (3, {"age": 30, "elevel": 2, "salary": 40_000}, "B"),
        (3, {"age": 50, "elevel": 4, "salary": 120_000}, "A"), (3, {"age": 70, "elevel": 1, "salary": 90_000}, "B"),
        (4, {"salary": 50_000, "commission": 20_000, "loan": 184_000}, "A"),
        (4, {"salary": 50_000, "commission": 20_000, "loan": 185_000}, "B"),
        (5, {"salary": 50_000, "commission": 20_000, "loan": 185_000, "hvalue": 100_000, "hyears": 21}, "A"),
        (5, {"salary": 50_000, "commission": 20_000, "loan": 185_000, "hvalue": 100_000, "hyears": 20}, "B"),
        (6, {"age": 30, "salary": 45_000, "commission": 20_000}, "A"), (6, {"age": 70, "salary": 60_000}, "B"),
        (7, {"salary": 50_000, "commission": 20_000, "loan": 134_000}, "A"),
        (7, {"salary": 50_000, "commission": 20_000, "loan": 135_000}, "B"),
        (8, {"salary": 39_000, "commission": 20_000, "elevel": 3}, "A"),
        (8, {"salary": 39_000, "commission": 20_000, "elevel": 4}, "B"),
        (9, {"salary": 50_000, "commission": 20_000, "elevel": 2, "loan": 134_000}, "A"),
        (9, {"salary": 50_000, "commission": 20_000, "elevel": 2, "loan": 135_000}, "B"),
        (10, {"salary": 20_000, "commission": 10_000, "elevel": 4, "hvalue": 100_000, "hyears": 26}, "A"),
        (10, {"salary": 20_000, "commission": 10_000, "elevel": 4, "hvalue": 100_000, "hyears": 20}, "B"),
    ],
)  # fmt: skip
def test_the_groups_are_those_of_table_3(function, changed, group):
    """Read from the papers: 4 is A where .67 (salary + commission) - .2 loan - 10,000 > 0; 5 adds a fifth of equity."""
    person = {"salary": 60_000, "commission": 20_000, "age": 30, "elevel": 2, "car": 3, "zipcode": 4,
              "hvalue": 400_000, "hyears": 10, "loan": 100_000}  # fmt: skip
    person = pd.DataFrame([{**person, **changed}])
    assert ("A" if FUNCTIONS[function](person)[0] else "B") == group
