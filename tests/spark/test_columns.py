"""What Spark computes for every row: weights and predictions are those of the same rows here."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import functions
from sklearn.exceptions import NotFittedError

import deniable as dn
from deniable.count.spark_pieces import SparkPieces

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("pyspark")]

PEOPLE = 2_000


def design():
    mood = dn.Question("how.is.it", ["good", "fair", "bad"], ordered=True)
    return dn.Design(
        [
            dn.warner(0.8, dn.yes_no("smokes")),
            dn.warner(0.8, dn.yes_no("leave")),
            dn.k_ary(0.7, mood),
            dn.clear(dn.number("age", 18, 80, integer=True)),
            dn.clear(dn.Question("sex", ["f", "m"])),
        ],
        target="leave",
    )


def arms():
    return dn.Design([dn.draw(dn.epsilon(2), *map(dn.yes_no, ("leave", "smokes", "drinks")), always=["leave"], ask=1)])


def people():
    rng = np.random.default_rng(4)
    leaves = rng.random(PEOPLE) < 0.4
    noisy = {name: np.where(leaves ^ (rng.random(PEOPLE) < 0.2), "yes", "no") for name in ("smokes", "drinks")}
    others = {"how.is.it": rng.choice(["good", "fair", "bad"], PEOPLE), "sex": rng.choice(["f", "m"], PEOPLE)}
    return pd.DataFrame(
        {**noisy, **others, "leave": np.where(leaves, "yes", "no"), "age": rng.integers(18, 80, PEOPLE)}
    )


def replies(asked):
    rng = np.random.default_rng(5)
    found = dn.disguise(asked, people(), seed=1).assign(before=rng.uniform(0.5, 2, PEOPLE), row=np.arange(PEOPLE))
    found.loc[rng.random(PEOPLE) < 0.05, "leave"] = None
    return found


def on(session, frame):
    return session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(3)


def values(frame, column):
    """A column that Spark computes, in the order of the rows here."""
    made = pl.from_arrow(frame.select("row", column.alias("found")).toArrow()).sort("row")["found"]
    return np.array(made.to_list(), dtype=object if made.dtype == pl.String else float)


@pytest.mark.parametrize(
    ("asked", "expression"),
    [
        (design(), "leave == 'yes'"),
        (design(), "smokes == 'yes' and `how.is.it` >= 'fair' and age > 40"),
        (design(), "age > 40"),
        (arms(), "leave == 'yes'"),
        (arms(), "smokes == 'yes'"),
        (arms(), "leave == 'yes' and drinks == 'yes'"),
    ],
)
def test_signed_weights_are_those_of_the_rows_here(session, asked, expression):
    here = replies(asked)
    there = on(session, here)
    column = dn.weights(asked, there, expression)
    np.testing.assert_allclose(values(there, column), dn.weights(asked, here, expression).astype(float))
    mean = there.select(functions.mean(column)).first()[0]
    assert mean == pytest.approx(dn.estimate(asked, there, expression).value)


@pytest.mark.parametrize("before", [None, "before"])
def test_raked_weights_are_those_of_the_rows_here(session, before):
    here = replies(design())
    there = on(session, here)
    margins = {"sex": {"f": 0.3, "m": 0.7}, "region": {"east": 0.2, "west": 0.8}}
    here["region"] = np.where(here.age > 50, "east", "west")
    there = on(session, here)
    found = [dn.rake(design(), each, margins, weights=before) for each in (here, there)]
    np.testing.assert_allclose(values(there, found[1]), found[0])


def test_words_are_no_weights(session):
    here = replies(design())
    here = here.assign(before=here.before.astype(str))
    for frame in (here, on(session, here)):
        with pytest.raises(dn.DeniableError, match="the weights in 'before' must be numbers, got 'words'"):
            dn.rake(design(), frame, {"sex": {"f": 0.3, "m": 0.7}}, weights="before")
        with pytest.raises(dn.DeniableError, match="at least one"):
            dn.rake(design(), frame, {})


def test_a_model_that_has_learnt_nothing_predicts_nothing(session):
    with pytest.raises(NotFittedError):
        dn.NaiveBayes(design()).predict(on(session, people()))


def test_missing_cells_are_refused_alike(session):
    here = replies(design())
    lines = []
    for frame in (here, pl.from_pandas(here).lazy(), on(session, here)):
        with pytest.raises(dn.DeniableError) as refused:
            dn.estimate(design(), frame, "smokes == 'yes'", missing="refuse")
        lines.append(str(refused.value))
    assert len(set(lines)) == 1
    assert "leave" in lines[0]


def test_that_nearly_all_replies_are_collected_is_said(session):
    ages = np.random.default_rng(1).uniform(18, 80, 9_000)
    asked = dn.Design([dn.clear(dn.number("age", 18, 80)), dn.warner(0.8, dn.yes_no("smokes"))])
    frame = on(session, dn.disguise(asked, pd.DataFrame({"age": ages, "smokes": ["yes", "no", "no"] * 3_000}), seed=1))
    with pytest.warns(UserWarning, match=r"collected from Spark \(9,000 of 9,000\), since hardly any are alike in age"):
        dn.quantile(asked, frame, "age", 0.5, weights="age")  # which says itself how people were drawn
    dn.estimate(asked, frame, "age > 50")  # without a word
    assert dn.regress(asked, frame, "age ~ smokes").n == 9_000


def test_functions_of_more_numbers_than_fit_are_refused_before_they_are_counted(session, monkeypatch):
    monkeypatch.setattr(SparkPieces, "counted", lambda *given: pytest.fail("counted"))
    monkeypatch.setenv("DENIABLE_MEMORY", "0.05MB")
    with pytest.raises(dn.DeniableError, match="2,000 replies to before, each by itself, would take"):
        dn.regress(design(), on(session, replies(design()).assign(leave="yes")), "smokes ~ scale(before)")


def test_what_cannot_be_raked_is_refused_alike(session):
    here = replies(design())
    for frame, margins, how in [
        (here.assign(before=-here.before), {"sex": {"f": 0.3, "m": 0.7}}, {"weights": "before"}),
        (here.assign(before=0.0), {"sex": {"f": 0.3, "m": 0.7}}, {"weights": "before"}),
        (here.assign(before=here.before.where(here.row > 5)), {"sex": {"f": 0.3, "m": 0.7}}, {"weights": "before"}),
        (here, {"sex": {"f": 1.0, "m": 0.0}}, {}),
    ]:
        lines = []
        for each in (frame, on(session, frame)):
            with pytest.raises(dn.DeniableError) as refused:
                dn.rake(design(), each, margins, **how)
            lines.append(str(refused.value))
        assert lines[0] == lines[1] != ""


@pytest.mark.parametrize(
    "learner",
    [
        dn.TreeClassifier(design(), method="inverse"),
        dn.NaiveBayes(design()),
        dn.PairwiseClassifier(design()),
    ],
    ids=["tree", "bayes", "pairwise"],
)
def test_predictions_are_those_of_the_rows_here(session, learner):
    names = ["smokes", "how.is.it", "age", "leave"]
    learner.fit(replies(design())[names], "leave")
    here = people().assign(row=np.arange(PEOPLE))
    there = on(session, here)
    assert (values(there, learner.predict(there)) == learner.predict(here)).all()
    np.testing.assert_allclose(values(there, learner.predict_proba(there)), learner.predict_proba(here))
    with pytest.raises(dn.DeniableError, match=r"how\.is\.it"):
        learner.predict(there.drop("how.is.it"))


def test_classes_keep_their_kind(session):
    truth = people()
    frame = pd.DataFrame({"smokes": truth.smokes, "leave": truth.leave == "yes"})
    tree = dn.TreeClassifier(method="none").fit(frame[["smokes"]], frame["leave"])
    there = on(session, frame.assign(row=np.arange(PEOPLE)))
    found = there.withColumn("class", tree.predict(there))
    assert dict(found.dtypes)["class"] == "boolean"
    assert (values(there, tree.predict(there)) == tree.predict(frame[["smokes"]])).all()


@pytest.mark.parametrize("formula", ["leave ~ smokes + age", "Q('how.is.it') ~ age", "leave ~ 1", "age ~ smokes"])
def test_regressions_predict_likewise(session, formula):
    formula = formula.replace("Q('how.is.it')", "`how.is.it`")
    fit = dn.regress(design(), replies(design()), formula)
    here = people().assign(row=np.arange(PEOPLE))
    there = on(session, here)
    np.testing.assert_allclose(values(there, fit.predict(there)), fit.predict(here))


def test_what_a_row_does_not_allow_is_said_where_it_is_computed(session):
    tree = dn.TreeClassifier(design(), method="inverse").fit(replies(design())[["smokes", "leave"]], "leave")
    there = on(session, people().assign(smokes="maybe"))
    with pytest.raises(Exception, match="question 'smokes' has no answer 'maybe'"):
        there.withColumn("class", tree.predict(there)).collect()
