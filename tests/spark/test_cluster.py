"""On a real cluster, a standalone master and worker: rows stay there, draws are made once, figures are as elsewhere."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from cluster import AGGREGATES, bytes_collected, on, plans, settled_events
from commands import command
from deniable.device.spark import disguised
from deniable.learn.model import text_of

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("pyspark")]

PEOPLE = 6_000
NAMES = ["q0", "q1", "q2", "mood", "leave"]


@pytest.fixture(scope="module")
def session(clustered):
    return clustered


def design():
    channels = [dn.warner(0.85, dn.yes_no(name)) for name in NAMES[:3]]
    mood = dn.Question("mood", ["good", "fair", "bad"], ordered=True)
    return dn.Design([*channels, dn.k_ary(0.8, mood), dn.warner(0.9, dn.yes_no("leave"))], target="leave")


def people():
    rng = np.random.default_rng(7)
    leaves = rng.random(PEOPLE) < 0.4
    answers = {name: np.where(leaves ^ (rng.random(PEOPLE) < 0.2), "yes", "no") for name in NAMES[:3]}
    mood = np.array(["good", "fair", "bad"])[np.clip(leaves + rng.integers(0, 2, PEOPLE), 0, 2)]
    return pd.DataFrame({**answers, "mood": mood, "leave": np.where(leaves, "yes", "no"), "id": np.arange(PEOPLE)})


def test_figures_and_models_are_those_of_pandas_and_no_stage_collects_rows(session, folder, figure):
    asked = design()
    replies = dn.disguise(asked, people(), seed=3)
    frame = on(session, replies)
    before = len(settled_events(folder))
    for method in ("inverse", "pairs"):
        here, there = (dn.TreeClassifier(asked, method=method).fit(each) for each in (replies, frame))
        assert text_of(here) == text_of(there)
    assert text_of(dn.NaiveBayes(asked).fit(replies)) == text_of(dn.NaiveBayes(asked).fit(frame))
    assert str(dn.score(here, asked, replies)) == str(dn.score(here, asked, frame))
    for expression in ("q0 == 'yes'", "q0 == 'yes' and mood >= 'fair'"):
        assert dn.estimate(asked, replies, expression) == dn.estimate(asked, frame, expression)
    found = [dn.rules(asked, each, min_support=0.1, min_confidence=0.3) for each in (replies, frame)]
    assert len(found[0]) == len(found[1]) > 0
    slopes = [dn.regress(asked, each, "leave ~ q0 + mood").coefficients for each in (replies, frame)]
    np.testing.assert_allclose(*([each.estimate for each in some] for some in slopes), rtol=1e-9)
    events = settled_events(folder)[before:]
    assert set(plans(events)) <= set(AGGREGATES), plans(events)
    figure("queries on Spark, all of whose last steps count", len(plans(events)))


def test_a_disguise_is_drawn_once_however_often_it_is_looked_at(session, folder):
    asked, true = design(), people()
    before = len(settled_events(folder))
    replies = dn.disguise(asked, on(session, true))
    assert replies.columns == NAMES
    looks = [sorted(map(tuple, replies.groupBy(NAMES).count().collect())) for _ in range(2)]
    assert looks[0] == looks[1]
    assert (
        "MapInArrow" not in replies._jdf.queryExecution().toString()
    )  # its lineage is cut: nothing can be drawn again
    assert bytes_collected(settled_events(folder)[before:]) < 500_000
    truth = float((true["q0"] == "yes").mean())
    found = dn.estimate(asked, replies, "q0 == 'yes'")
    assert abs(found.value - truth) < 5 * found.stderr


def test_no_two_tasks_share_their_draws(session):
    asked = dn.Design([dn.warner(0.5001, dn.yes_no("a"))])
    same = session.range(0, 4_000, 1, 4).selectExpr("'yes' as a")
    made = dn.disguise(asked, same).rdd.glom().map(lambda rows: tuple(row[0] for row in rows)).collect()
    assert len(made) == len(set(made)) == 4
    seeded = [dn.disguise(asked, same, seed=1).rdd.glom().collect() for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert seeded[0][0] != seeded[0][1]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (["yes", None, None], r"missing values in 'a' \(2\); fill or drop these rows"),
        (["yes", "no", "what"], "question 'a' has no answer 'what'|'what'"),
    ],
)
def test_tasks_refuse_in_one_line(session, answers, words):
    asked = dn.Design([dn.warner(0.8, dn.yes_no("a"))])
    frame = session.createDataFrame([(each,) for each in answers], "a string")
    with pytest.raises(dn.DeniableError, match=words) as refused:
        dn.disguise(asked, frame)
    assert "\n" not in str(refused.value)


def test_numbers_and_versions_keep_their_kinds(session):
    asked = dn.Design(
        [
            dn.gaussian(dn.number("age", 18, 80), sd=5),
            dn.warner(0.8, dn.Question("smokes", ["0", "1"])),
            dn.draw(dn.epsilon(2), dn.yes_no("b"), dn.yes_no("c"), dn.yes_no("d"), always=["b"], ask=1),
        ]
    )
    rng = np.random.default_rng(1)
    true = pd.DataFrame({"age": rng.uniform(18, 80, 500), "smokes": rng.integers(0, 2, 500)})
    true = true.assign(**{name: rng.choice(["yes", "no"], 500) for name in "bcd"})
    replies = dn.disguise(asked, on(session, true))
    assert dict(replies.dtypes) == {
        "age": "double", "smokes": "bigint", "version": "string", "b": "string", "c": "string", "d": "string",
    }  # fmt: skip
    assert dn.estimate(asked, replies, "b == 'yes'").n == 500
    assert replies.filter("c is null and d is null").count() == 0 < replies.filter("c is null").count() < 500


def test_numbers_under_noise_are_collected_and_that_is_said(session):
    asked = dn.Design(
        [dn.gaussian(dn.number("age", 18, 80, cells=10), sd=4), dn.clear(dn.yes_no("leave"))], target="leave"
    )
    rng = np.random.default_rng(1)
    ages = rng.uniform(18, 80, 800)
    true = pd.DataFrame({"age": ages, "leave": np.where(ages > 50, "yes", "no")})
    replies = dn.disguise(asked, true, seed=1)
    frame = on(session, replies)
    with pytest.warns(UserWarning, match=r"all replies are collected from Spark, .* numbers under noise \(age\)"):
        tree = dn.TreeClassifier(asked, method="byclass").fit(frame)
    assert text_of(tree) == text_of(dn.TreeClassifier(asked, method="byclass").fit(replies))


def refusal(capsys, *arguments):
    code, _, err = command(capsys, *arguments)
    assert code == 2
    assert len(err.splitlines()) == 1
    return err


def test_commands_take_any_path_that_spark_reads(session, folder, capsys):
    asked, path, spark = (
        design(),
        folder / "design.toml",
        ["--engine", "spark", "--master", session.conf.get("spark.master")],
    )
    asked.save(path)
    people().to_csv(folder / "people.csv", index=False)
    here, there = folder / "replies", (folder / "replies").as_uri()
    made = ["disguise", path, folder / "people.csv", "-o", there, *spark]
    assert f"{PEOPLE:,} replies" in command(capsys, *made)[1]
    assert "a path that is not there yet" in refusal(capsys, *made)
    both = [(there, spark), (here, [])]
    wanted = ["q0 == 'yes'", "--json"]
    figures = [command(capsys, "estimate", path, at, *wanted, *engine) for at, engine in both]
    assert figures[0] == figures[1]
    assert figures[0][0] == 0
    models = []
    for at, engine in both:
        code, _, err = command(capsys, "tree", path, at, "-o", folder / "t.json", "--method", "inverse", *engine)
        assert code == 0, err
        models.append((folder / "t.json").read_text())
    assert models[0] == models[1]
    assert "'file:///nowhere.csv': is not there" in refusal(capsys, "estimate", path, "file:///nowhere.csv", *spark)
    assert "add --engine spark" in refusal(capsys, "estimate", path, here, *spark[2:])


def learnt(asked):
    return dn.NaiveBayes(asked).fit(dn.disguise(asked, people(), seed=1))


def test_predictions_stand_beside_the_people_and_are_those_made_here(session, folder, capsys):
    asked, spark = design(), ["--engine", "spark", "--master", session.conf.get("spark.master")]
    true, model, here, there = (folder / name for name in ("known.csv", "model.json", "predicted.csv", "predicted"))
    people().to_csv(true, index=False)
    learnt(asked).save(model)
    assert command(capsys, "predict", model, true, "-o", here)[0] == 0
    assert f"{PEOPLE:,} predictions of leave" in command(capsys, "predict", model, true, "-o", there, *spark)[1]
    wanted = pd.concat([pd.read_csv(true), pd.read_csv(here)], axis=1)
    found = pd.read_parquet(there).astype({"id": int}).sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mood": None}, "no column for question 'mood'"),
        ({"P_yes": "0.3"}, "named otherwise than predictions are, got 'P_yes'"),
        ({"mood": "odd"}, "odd"),
        ({"mood": ""}, "missing values in 'mood'"),
        ({"_design": "0" * 16}, "holds disguised replies"),
    ],
)
def test_people_of_whom_nothing_can_be_predicted_are_refused_in_one_line(session, folder, capsys, change, words):
    asked, spark = design(), ["--engine", "spark", "--master", session.conf.get("spark.master")]
    learnt(asked).save(folder / "model.json")
    ((name, value),) = change.items()
    changed = people().drop(columns=name) if value is None else people().assign(**{name: value})
    changed.to_csv(folder / "changed.csv", index=False)
    assert words in refusal(
        capsys, "predict", folder / "model.json", folder / "changed.csv", "-o", folder / "none", *spark
    )
    assert not (folder / "none").exists()


def test_remembered_draws_are_the_same_however_often_they_are_computed(session, folder, capsys):
    asked, true = design(), people()[:300]
    asked.save(folder / "waves.toml")
    true.to_csv(folder / "waves.csv", index=False)
    spark = ["--engine", "spark", "--master", session.conf.get("spark.master")]
    how = ["--remember", folder / "key", "--id", "id"]
    here = command(capsys, "disguise", folder / "waves.toml", folder / "waves.csv", "-o", folder / "here.csv", *how)
    assert here[0] == 0, here
    made = command(
        capsys, "disguise", folder / "waves.toml", folder / "waves.csv", "-o", folder / "there", *how, *spark
    )
    assert made[0] == 0, made
    columns = [*NAMES, "_design"]
    found = pd.read_parquet(folder / "there")[columns].sort_values(columns).to_numpy().tolist()
    assert found == pd.read_csv(folder / "here.csv")[columns].sort_values(columns).to_numpy().tolist()
    from deniable.device.memory import Memory

    lazy = disguised(asked, on(session, true), memory=Memory.at(folder / "key", "id"))
    looks = [sorted(map(tuple, lazy.collect())) for _ in range(2)]
    assert looks[0] == looks[1]
    with pytest.raises(dn.DeniableError, match="must name each person once"):
        disguised(asked, on(session, pd.concat([true, true[:1]])), memory=Memory.at(folder / "key", "id"))
