"""Learners never see an engine: the same replies give the same tree, to the last count, wherever they are."""

from secrets import token_hex

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn
from contract.test_counts import spark, stored
from deniable.count.replies import counts_of
from deniable.learn.model import text_of

COUNT = 1500


def people(noise: bool) -> tuple[dn.Design, pd.DataFrame]:
    """Answers that hang on whether somebody leaves, and with noise a number that does too."""
    rng = np.random.default_rng(7)
    leaves = rng.random(COUNT) < 0.4
    answers = {f"q{index}": np.where(leaves ^ (rng.random(COUNT) < 0.2), "yes", "no") for index in range(4)}
    mood = np.array(["good", "fair", "bad"])[np.clip(leaves + rng.integers(0, 2, COUNT), 0, 2)]
    frame = pd.DataFrame({**answers, "mood": mood, "leave": np.where(leaves, "yes", "no")})
    channels = [dn.warner(0.85, dn.yes_no(name)) for name in answers]
    channels += [dn.k_ary(0.8, dn.Question("mood", ["good", "fair", "bad"])), dn.clear(dn.yes_no("leave"))]
    if noise:
        frame["age"] = np.clip(30 + 20 * leaves + rng.normal(0, 8, COUNT), 16, 80).round(2)
        channels.append(dn.gaussian(dn.number("age", 16, 80), sd=8))
    return dn.Design(channels, target="leave"), frame


@pytest.fixture(scope="module")
def session():
    """Spark, which starts again if it was stopped."""
    found = spark.__wrapped__()
    yield found
    found.stop()


def in_this_process(design, replies, tmp_path):
    """The same replies in every engine that needs no server, in any order."""
    mixed = replies.sample(frac=1, random_state=3)
    mixed.to_csv(tmp_path / "replies.csv", index=False)
    mixed.to_parquet(tmp_path / "replies.parquet")
    mixed.to_json(tmp_path / "replies.jsonl", orient="records", lines=True)
    (tmp_path / "folder").mkdir()
    mixed[:700].to_parquet(tmp_path / "folder" / "a.parquet")
    mixed[700:].to_parquet(tmp_path / "folder" / "b.parquet")
    table = pa.Table.from_pandas(mixed, preserve_index=False)
    yield "pandas", replies
    yield "pyarrow", table
    yield "polars", pl.from_arrow(table)
    yield "polars, lazy", pl.from_arrow(table).lazy()
    yield "duckdb", duckdb.connect().from_arrow(table)
    yield "csv", tmp_path / "replies.csv"
    yield "parquet", str(tmp_path / "replies.parquet")
    yield "jsonl", tmp_path / "replies.jsonl"
    yield "folder", tmp_path / "folder"
    yield "counts", counts_of(design, mixed)
    yield "sqlite", stored(design, table, f"sqlite:///{tmp_path}/store.sqlite")


def models_and_scores(design, true, given):
    """What learners make of some replies, as far as it can be compared."""
    learners = [dn.TreeClassifier(design), dn.NaiveBayes(design), dn.TreeClassifier(design, method="none")]
    if not any(channel.has_noise for channel in design.channels):
        learners += [dn.PairwiseClassifier(design), dn.TreeClassifier(design, method="inverse")]
    fitted = [learner.fit(given, "leave") for learner in learners]
    found = [text_of(each) if hasattr(each, "save") else each.predict_proba(true[:50]).tolist() for each in fitted]
    tested = dn.evaluation(fitted[0], design, given)  # what score and confusion tell
    found += [str(tested.accuracy), tested.confusion.cells]
    found += [[each.value for each in dn.cross_val_score(dn.NaiveBayes(design), design, given, cv=2)]]
    return [*found, str(dn.attack(design, given)), dn.estimate(design, given, "q0 == 'yes'").value]


NOISE = pytest.param(True, id="a number under noise", marks=pytest.mark.studies)  # a second for each engine
KINDS = pytest.mark.parametrize("noise", [pytest.param(False, id="answers"), NOISE])


@pytest.mark.filterwarnings("ignore:.*does not say under which design")
@KINDS
def test_every_engine_gives_the_same_models_and_scores(noise, tmp_path, figure):
    design, true = people(noise)
    replies = dn.disguise(design, true, seed=11)
    expected, names = models_and_scores(design, true, replies), []
    for name, given in in_this_process(design, replies, tmp_path):
        assert models_and_scores(design, true, given) == expected, name
        names.append(name)
    figure(f"one tree from, {'noise' if noise else 'answers'}", "; ".join(names))


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore:all replies are collected from Spark")
@KINDS
def test_servers_give_the_same_models_and_scores(noise, postgres, session):
    design, true = people(noise)
    replies = dn.disguise(design, true, seed=11)
    table = pa.Table.from_pandas(replies.sample(frac=1, random_state=3), preserve_index=False)
    expected = models_and_scores(design, true, replies)
    assert models_and_scores(design, true, session.createDataFrame(table)) == expected
    assert models_and_scores(design, true, dd.from_pandas(replies, npartitions=3)) == expected
    url = stored(design, table, postgres.database(f"d{token_hex(6)}"))
    assert models_and_scores(design, true, url) == expected


def test_the_target_is_the_design_s_or_named(tmp_path):
    design, true = people(noise=False)
    replies = dn.disguise(design, true, seed=12)
    apart = dn.TreeClassifier(design).fit(replies.drop(columns="leave"), replies["leave"])
    assert text_of(dn.TreeClassifier(design).fit(replies)) == text_of(apart)
    other = dn.TreeClassifier(design).fit(replies, "q1")
    assert other.target_ == "q1"
    assert list(other.feature_names_in_) == ["q0", "q2", "q3", "mood", "leave"]
    with pytest.raises(dn.DeniableError, match="no question 'lave'"):
        dn.TreeClassifier(design).fit(replies, "lave")
    with pytest.raises(dn.DeniableError, match="the target"):
        dn.TreeClassifier(dn.Design(design.channels)).fit(replies)


def test_undisguised_frames_name_their_target_too():
    _, true = people(noise=False)
    tree = dn.TreeClassifier().fit(true, "leave")
    assert tree.predict(true.drop(columns="leave")).tolist() == (
        dn.TreeClassifier().fit(true.drop(columns="leave"), true["leave"]).predict(true.drop(columns="leave")).tolist()
    )


def test_classes_are_of_the_kind_they_came_in():
    design = dn.Design([dn.warner(0.9, dn.Question(name, ["0", "1"])) for name in ("a", "t")], target="t")
    replies = dn.disguise(design, pd.DataFrame({"a": [0, 0, 1] * 200, "t": [0, 0, 1] * 200}), seed=1)
    for given in (replies, pl.from_pandas(replies).lazy()):
        assert dn.NaiveBayes(design).fit(given).classes_.tolist() == [0, 1]
