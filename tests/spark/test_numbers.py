"""Uncut numbers on a real cluster, a standalone master and worker: their rows stay there, whatever is asked of them."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from cluster import AGGREGATES, largest_result, on, plans, settled_events
from commands import command
from deniable.learn.model import text_of

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("pyspark")]

PEOPLE = 6_000


@pytest.fixture(scope="module")
def session(clustered):
    return clustered


def measured():
    """A design with uncut numbers, replies to it, and columns that say how people were drawn."""
    asked = dn.Design(
        [
            dn.clear(dn.number("age", 18, 80)),
            dn.gaussian(dn.number("pay", 0, 100), sd=5),
            dn.warner(0.9, dn.yes_no("smokes")),
            dn.warner(0.9, dn.yes_no("leave")),
        ]
    )
    rng = np.random.default_rng(5)
    age, pay, smokes = rng.uniform(18, 80, PEOPLE), rng.uniform(0, 100, PEOPLE), rng.random(PEOPLE) < 0.4
    leaves = rng.random(PEOPLE) < 1 / (1 + np.exp(1 - 0.03 * (age - 40) - smokes + 0.02 * (pay - 50)))
    answers = {"smokes": np.where(smokes, "yes", "no"), "leave": np.where(leaves, "yes", "no")}
    replies = dn.disguise(asked, pd.DataFrame({"age": age, "pay": pay, **answers}), seed=2)
    town = rng.integers(0, 40, PEOPLE)
    hours = np.where(rng.random(PEOPLE) < 0.02, np.nan, 40 + 0.1 * age + rng.normal(0, 5, PEOPLE))
    weight = np.where(rng.random(PEOPLE) < 0.02, 0.0, rng.uniform(0.5, 2, PEOPLE))
    beside = {"hours": hours, "weight": weight, "town": town, "kind": town % 3}
    beside |= {"drawn": np.where(town % 3 == 0, 3.0, 1.5), "people": np.where(town % 2, 9_000, 8_000)}
    chance = rng.uniform(1, 9, PEOPLE)
    beside["chance"] = np.maximum(chance * 30_000 / chance.sum(), 1)
    return asked, replies.assign(**beside, region=np.array(["east", "west"])[town % 2])


DRAWN = {"weights": "weight", "strata": "region", "clusters": "town"}


@pytest.mark.parametrize(
    ("formula", "how", "method"),
    [
        ("leave ~ age + C(kind)", DRAWN, "likelihood"),
        ("leave ~ smokes * age + pay", {"weights": "weight", "strata": "region"}, "corrected scores"),
        ("hours ~ log(age) + region", {}, "least squares"),
        ("leave ~ age", {"population": 20_000}, "likelihood"),
        ("leave ~ smokes + age + pay", {"strata": "region", "population": "people"}, "corrected scores"),
        ("hours ~ age", {"weights": "drawn", "population": 13_500}, "least squares"),
        ("hours ~ age", {"weights": "chance", "population": 30_000}, "least squares"),
        ("leave ~ age + smokes", {"weights": "chance", "population": 30_000, "strata": "region"}, "corrected scores"),
    ],
)
def test_regressions_on_uncut_numbers_sum_their_scores_in_the_engine(session, folder, figure, formula, how, method):
    asked, replies = measured()
    frame = on(session, replies, 2)
    before = len(settled_events(folder))
    here, there = (dn.regress(asked, each, formula, **how) for each in (replies, frame))
    assert there.method == method
    assert (here.n, here.note) == (there.n, there.note)
    assert [each.label for each in here.coefficients] == [each.label for each in there.coefficients]
    for what in ("estimate", "stderr"):
        both = [[getattr(each, what) for each in found.coefficients] for found in (here, there)]
        np.testing.assert_allclose(*both, rtol=1e-8, err_msg=what)
    np.testing.assert_allclose(here.covariance, there.covariance, rtol=1e-7, atol=1e-12)
    if method == "least squares":
        effects = [[(each.value, each.stderr) for *_, each in found.effects] for found in (here, there)]
        np.testing.assert_allclose(*effects, rtol=1e-6)
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= set(AGGREGATES), plans(events)
    assert largest_result(events) < 16_000 < replies["age"].nbytes
    figure(f"{formula}: largest result of a task, bytes", largest_result(events))


@pytest.mark.parametrize(
    ("formula", "how"),
    [
        ("hours ~ scale(age)", {}),
        ("leave ~ poly(age, 2) + smokes", {"population": 20_000}),
        ("hours ~ scale(age)", {"weights": "chance", "population": 30_000}),
        ("hours ~ bs(age, df=4) + center(age * kind)", {"weights": "weight", "strata": "region"}),
    ],
)
def test_functions_of_all_rows_count_their_number_alone(session, folder, formula, how):
    asked, replies = measured()
    frame, before = on(session, replies), len(settled_events(folder))
    here, there = (dn.regress(asked, each, formula, **how) for each in (replies, frame))
    for what in ("estimate", "stderr"):
        both = [[getattr(each, what) for each in found.coefficients] for found in (here, there)]
        np.testing.assert_allclose(*both, rtol=1e-7, err_msg=what)
    assert here.note == there.note
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= set(AGGREGATES), plans(events)


def test_formulas_that_cannot_be_computed_are_refused_in_one_line_by_tasks(session):
    asked, replies = measured()
    frame = on(session, replies)
    with pytest.raises(dn.DeniableError, match="no finite numbers") as refused:
        dn.regress(asked, frame, "leave ~ np.sqrt(I((age - 40)**2 - 1))")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "how",
    [
        {"weights": "weight", "strata": "region"},
        {"weights": "weight", "strata": "region", "clusters": "town"},
        {"weights": "chance", "population": 30_000},
    ],
    ids=["strata", "clusters", "population"],
)
def test_weights_that_are_all_different_are_added_up_in_the_engine(session, folder, figure, how):
    asked, replies = measured()
    frame, before = on(session, replies), len(settled_events(folder))
    between = ("smokes == 'yes'", "smokes == 'no'")
    for ask in (
        lambda data: dn.estimate(asked, data, "leave == 'yes'", given="smokes == 'yes'", **how),
        lambda data: dn.difference(asked, data, "leave == 'yes'", between, **how),
        lambda data: dn.correlation(asked, data, "smokes", "leave", **how),
    ):
        here, there = ask(replies), ask(frame)
        figures = [(each.value, each.stderr, each.low, each.high) for each in (here, there)]
        np.testing.assert_allclose(*figures, rtol=1e-6)
        assert here.note == there.note
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= set(AGGREGATES), plans(events)
    assert largest_result(events) < replies["weight"].nbytes
    figure(f"weights of {sorted(how)}: largest result of a task, bytes", largest_result(events))


@pytest.fixture(scope="module")
def survey():
    """A design with numbers in the clear, whole ones too, and replies of which some lack one."""
    asked = dn.Design(
        [
            dn.clear(dn.number("age", 18, 80, cells=5)),
            dn.clear(dn.number("pay", 0, 100_000, integer=True, cuts=[5_000, 20_000])),
            dn.warner(0.9, dn.yes_no("smokes")),
            dn.k_ary(0.8, dn.Question("mood", ["good", "fair", "bad"], ordered=True)),
            dn.warner(0.95, dn.yes_no("leave")),
        ],
        target="leave",
    )
    rng = np.random.default_rng(8)
    age, smokes = rng.uniform(18, 80, PEOPLE), rng.random(PEOPLE) < 0.4
    leaves = rng.random(PEOPLE) < 0.1 + 0.6 * (age > 50) + 0.2 * smokes
    true = pd.DataFrame(
        {
            "age": age,
            "pay": np.clip(rng.lognormal(9, 1, PEOPLE), 0, 100_000).astype(int),
            "smokes": np.where(smokes, "yes", "no"),
            "mood": rng.choice(["good", "fair", "bad"], PEOPLE),
            "leave": np.where(leaves, "yes", "no"),
        }
    )
    replies = dn.disguise(asked, true, seed=4)
    replies.loc[rng.random(PEOPLE) < 0.02, "age"] = np.nan
    return asked, replies.assign(weight=rng.uniform(0.5, 2, PEOPLE), town=rng.integers(0, 30, PEOPLE))


SAMPLE = {"weights": "weight", "clusters": "town"}
FIGURES = {
    "share": lambda *at: dn.estimate(*at, "age > 50 and pay <= 9000 and smokes == 'yes'"),
    "given": lambda *at: dn.estimate(*at, "leave == 'yes'", given="age < 33.3"),
    "weighted": lambda *at: dn.estimate(*at, "age > 50 and smokes == 'yes'", **SAMPLE),
    "every share": lambda *at: dn.estimate(*at),
    "table": lambda *at: dn.table(*at, ["age", "smokes"], cuts={"age": [30, 50]}, percent="row"),
    "difference": lambda *at: dn.difference(*at, "age > 50", ("smokes == 'yes'", "smokes == 'no'")),
    "association": lambda *at: dn.association(*at, "age", "mood"),
    "mean": lambda *at: dn.mean(*at, "age"),
    "mean among some": lambda *at: dn.mean(*at, "pay", given="pay > 5000 and smokes == 'yes' and age > 30"),
    "weighted mean": lambda *at: dn.mean(*at, "age", given="smokes == 'yes'", **SAMPLE),
    "quantile": lambda *at: dn.quantile(*at, "age", 0.9),
    "weighted quantile": lambda *at: dn.quantile(*at, "pay", 0.5, weights="weight"),
    "correlation": lambda *at: dn.correlation(*at, "age", "pay"),
    "weighted correlation": lambda *at: dn.correlation(*at, "age", "smokes", **SAMPLE),
    "distribution": lambda *at: dn.reconstruct(*at, "age", by="leave"),
    "rules": lambda *at: dn.rules(*at, min_support=0.1, min_confidence=0.3),
    "tree": lambda *at: text_of(dn.TreeClassifier(at[0]).fit(at[1])),
    "naive Bayes": lambda *at: text_of(dn.NaiveBayes(at[0]).fit(at[1])),
    "cross-validation": lambda *at: dn.cross_val_score(dn.TreeClassifier(at[0], method="inverse"), *at, cv=2),
}  # fmt: skip


def comparable(found):
    """Figures to compare, and everything else."""
    if isinstance(found, str):
        return [], found
    if isinstance(found, list):
        return [[each.value, each.stderr, each.low, each.high] for each in found], [each.note for each in found]
    if isinstance(found, dn.Association):
        return [found.statistic], found.note
    if hasattr(found, "value"):
        return [found.value, found.stderr, found.low, found.high], found.note
    frame = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    words = frame.select_dtypes(exclude="number").map(
        lambda each: sorted(each) if hasattr(each, "__iter__") and not isinstance(each, str) else each
    )
    return frame.select_dtypes("number").to_numpy(), words.to_numpy().tolist()


@pytest.mark.parametrize("what", FIGURES)
def test_numbers_in_the_clear_stay_in_the_engine(session, folder, figure, survey, what):
    asked, replies = survey
    frame, before = on(session, replies, 2), len(settled_events(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        here, there = (comparable(FIGURES[what](asked, each)) for each in (replies, frame))
    np.testing.assert_allclose(there[0], here[0], rtol=1e-7, atol=1e-12)
    assert there[1] == here[1]
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= {*AGGREGATES, "Execute CreateViewCommand"}, plans(events)
    assert largest_result(events) < replies["age"].nbytes
    figure(f"{what} of uncut numbers: largest result of a task, bytes", largest_result(events))


def test_scores_need_no_more_of_numbers_than_the_model(session, folder, survey):
    asked, replies = survey
    models = [learner(asked).fit(replies) for learner in (dn.TreeClassifier, dn.NaiveBayes)]
    frame, before = on(session, replies, 2), len(settled_events(folder))
    for model in models:
        np.testing.assert_allclose(
            *(comparable(dn.score(model, asked, each))[0] for each in (replies, frame)), rtol=1e-9
        )
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= set(AGGREGATES), plans(events)
    assert largest_result(events) < replies["age"].nbytes


def test_numbers_that_spark_reads_as_words_are_cut_too(session, folder, survey):
    asked, replies = survey
    replies.to_csv(folder / "words.csv", index=False)
    words, before = session.read.csv((folder / "words.csv").as_uri(), header=True), len(settled_events(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ask in (FIGURES["share"], FIGURES["mean"], FIGURES["quantile"], FIGURES["tree"]):
            here, there = (comparable(ask(asked, each)) for each in (replies, words))
            np.testing.assert_allclose(there[0], here[0], rtol=1e-7)
            assert there[1] == here[1]
    assert set(plans(settled_events(folder)[before:])) <= {*AGGREGATES, "CollectLimit"}


@pytest.mark.parametrize(("value", "words"), [(81.0, "from 18 to 80"), (float("inf"), "from 18 to 80")])
def test_numbers_outside_their_range_are_refused_as_elsewhere(session, survey, value, words):
    asked, replies = survey
    frame = on(session, replies.assign(age=replies.age.where(replies.index > 1, value)), 2)
    for ask in (FIGURES["share"], FIGURES["mean"], FIGURES["quantile"], FIGURES["tree"]):
        with pytest.raises(dn.DeniableError, match=words):
            ask(asked, frame)


def test_commands_leave_uncut_numbers_where_they_are(session, folder, survey, capsys):
    asked, replies = survey
    spark = ["--engine", "spark", "--master", session.conf.get("spark.master")]
    design, at = folder / "numbers.toml", folder / "numbers.parquet"
    asked.save(design)
    replies.assign(_design=asked.fingerprint[:16]).to_parquet(at)
    for line in (
        ["estimate", "age > 50", "--given", "leave == 'yes'", "--json"],
        ["mean", "pay", "--given", "age < 30", "--json"],
        ["tree", "-o", folder / "numbers.json"],
        ["bayes", "-o", folder / "numbers.json"],
    ):
        what, *rest = line
        found = []
        for engine in (spark, []):
            code, out, err = command(capsys, what, design, at, *rest, *engine)
            assert code == 0, err
            assert "collected" not in err
            found.append((folder / "numbers.json").read_text() if "-o" in line else json.loads(out))
        if "-o" in line:
            assert found[0] == found[1]
            continue
        here, there = (each[0] if isinstance(each, list) else each for each in found)
        assert there == {key: pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
                         for key, value in here.items()}  # fmt: skip


def test_names_with_dots_are_cut_like_others(session, folder):
    rng = np.random.default_rng(1)
    asked = dn.Design([dn.clear(dn.number("my.age", 0, 1)), dn.warner(0.9, dn.yes_no("y"))])
    replies = pd.DataFrame({"my.age": rng.uniform(0, 1, PEOPLE), "y": rng.choice(["yes", "no"], PEOPLE)})
    frame, before = on(session, replies, 2), len(settled_events(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ask in (
            lambda data: dn.estimate(asked, data, "`my.age` > 0.25 and y == 'yes'"),
            lambda data: dn.mean(asked, data, "my.age", given="y == 'yes'"),
            lambda data: dn.quantile(asked, data, "my.age", 0.3),
        ):
            np.testing.assert_allclose(*(comparable(ask(data))[0] for data in (frame, replies)), rtol=1e-9)
    assert largest_result(settled_events(folder)[before:]) < replies["my.age"].nbytes
