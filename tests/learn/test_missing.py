"""Learners, scores and rules on replies with missing cells: those of the replies that answer what is needed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import deniable as dn
from deniable.channel.schemes import clear

pytestmark = [  # replies are made up, and tell nothing
    pytest.mark.filterwarnings("ignore:the guessed draws contradict"),
    pytest.mark.filterwarnings("ignore:the replies do not tell how"),
]
COUNT, HOLES = 3000, 60
ANSWERS = ["a", "b", "c"]
GROUP = dn.Design([dn.warner(0.8, *map(dn.yes_no, [*ANSWERS, "t"]))], target="t")
APART = dn.Design([dn.warner(0.8, dn.yes_no(name)) for name in [*ANSWERS, "t"]], target="t")
CLEAR = dn.Design([clear(*map(dn.yes_no, [*ANSWERS, "t"]))], target="t")
AGE = dn.number("age", 0, 100, cells=10)
NOISY = dn.Design([dn.gaussian(AGE, privacy=0.3), dn.warner(0.9, dn.yes_no("a")), clear(dn.yes_no("t"))], target="t")
OMITTING = dn.Design(
    [clear(dn.number("age", 0, 100, cuts=[50], omit=True)), dn.warner(0.9, dn.yes_no("a"), dn.yes_no("t"))], target="t"
)


def people(seed=3):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 101, COUNT).astype(float)
    a, b, c = rng.random((3, COUNT)) < [[0.3], [0.5], [0.6]]
    t = np.where(rng.random(COUNT) < 0.1, rng.random(COUNT) < 0.5, (age > 25) ^ (a & b))
    words = {name: np.where(column, "yes", "no") for name, column in {"a": a, "b": b, "c": c, "t": t}.items()}
    return pd.DataFrame({"age": age, **words}).astype(dict.fromkeys(words, object))


def gappy(design, *, of=None):
    """Replies some of which lack a cell, and which those are."""
    replies = dn.disguise(design, people(), seed=4).copy()
    rng = np.random.default_rng(5)
    for name in of or design.names:
        replies.loc[rng.choice(COUNT, HOLES, replace=False), name] = None
    return replies, replies[list(of or design.names)].isna().any(axis=1).to_numpy()


def same(one, other):
    """Whether two fitted learners are the same model."""
    if isinstance(one, dn.NaiveBayes):
        return np.array_equal(one.priors_, other.priors_) and all(map(np.array_equal, one.chances_, other.chances_))
    if isinstance(one, dn.TreeClassifier):
        nodes = [(node.split, node.counts.tolist()) for node in one.tree_.nodes()]
        return nodes == [(node.split, node.counts.tolist()) for node in other.tree_.nodes()]
    some = np.array(np.meshgrid(*[["no", "yes"]] * 3)).reshape(3, -1).T.astype(object)
    return np.array_equal(one.predict_proba(some), other.predict_proba(some))


LEARNERS = {
    "latent": dn.TreeClassifier(GROUP),
    "pairs": dn.TreeClassifier(APART),
    "inverse": dn.TreeClassifier(APART, method="inverse"),
    "bayes": dn.TreeClassifier(GROUP, method="bayes"),
    "none": dn.TreeClassifier(APART, method="none"),
    "in the clear": dn.TreeClassifier(CLEAR),
    "local": dn.TreeClassifier(NOISY, method="local"),
    "a number left out": dn.TreeClassifier(OMITTING),
    "naive Bayes": dn.NaiveBayes(APART),
    "naive Bayes under noise": dn.NaiveBayes(NOISY),
    "pairwise": dn.PairwiseClassifier(APART),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


def fitted(learner, replies, **settings):
    return clone(learner).set_params(**settings).fit(replies.drop(columns="t"), replies["t"])


@every_learner
def test_a_model_is_that_of_the_replies_that_answer_its_questions(learner):
    design = learner.design
    replies, lacking = gappy(design, of=[name for name in design.names if not design.question(name).omit])
    found, expected = fitted(learner, replies), fitted(learner, replies[~lacking])
    assert same(found, expected)
    assert found.n_replies_ == COUNT - lacking.sum()
    assert found.note_.startswith(f"rests on {found.n_replies_:,} of {COUNT:,} replies: {lacking.sum()} lack ")
    assert expected.note_ == ""
    with pytest.raises(dn.DeniableError, match=r"^missing values in '"):
        fitted(learner, replies, missing="refuse")


def test_a_number_left_out_is_no_missing_cell():
    replies, _ = gappy(OMITTING, of=["age"])
    found = fitted(LEARNERS["a number left out"], replies)
    assert (found.note_, found.n_replies_) == ("", COUNT)


@pytest.mark.parametrize(
    "kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_every_kind_of_frame_may_lack_cells(kind):
    replies, lacking = gappy(APART)
    found = dn.TreeClassifier(APART, method="inverse").fit(kind(replies[ANSWERS]), kind(replies)["t"])
    assert same(found, fitted(LEARNERS["inverse"], replies[~lacking]))


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA], ids=repr)
def test_arrays_may_lack_cells_too(nothing):
    replies, lacking = gappy(APART)
    array = replies[ANSWERS].astype(object).where(replies[ANSWERS].notna(), nothing).to_numpy()
    target = replies["t"].astype(object).where(replies["t"].notna(), nothing).to_numpy()
    found = dn.TreeClassifier(APART, method="inverse").fit(array, target)
    assert same(found, fitted(LEARNERS["inverse"], replies[~lacking]))


def test_a_model_tells_its_note_wherever_it_is_read(tmp_path):
    replies, lacking = gappy(APART)
    for name in ("inverse", "naive Bayes"):
        found = fitted(LEARNERS[name], replies)
        found.save(tmp_path / "model.json")
        assert dn.load_model(tmp_path / "model.json").note_ == found.note_ != ""
    fitted(LEARNERS["inverse"], replies[~lacking]).save(tmp_path / "whole.json")
    assert '"note": "rests' not in (tmp_path / "whole.json").read_text()
    assert dn.load_model(tmp_path / "whole.json").note_ == ""


def test_a_model_file_with_a_note_that_is_no_text_is_refused(tmp_path):
    fitted(LEARNERS["inverse"], gappy(APART)[0]).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text.replace('"note": "rests on', '"note": 7, "was": "rests on', 1))
    with pytest.raises(dn.DeniableError, match="needs a text as a note, got int"):
        dn.load_model(tmp_path / "model.json")


def test_replies_to_prune_by_may_lack_cells():
    replies, lacking = gappy(APART)
    learner = dn.TreeClassifier(APART, method="inverse", stop=None)
    whole = replies[~lacking]
    expected = fitted(learner, whole[:1500], prune=whole[1500:])
    found = fitted(learner, whole[:1500], prune=pd.concat([whole[1500:], replies[lacking]]))
    assert same(found, expected)
    assert len(found.tree_.nodes()) < len(fitted(learner, whole[:1500]).tree_.nodes())
    kept = len(whole) - 1500
    said = f"pruned by {kept:,} of {kept + lacking.sum():,} replies: {lacking.sum()} lack a, b, c or t; they may differ"
    assert found.note_.startswith(said)
    with pytest.raises(dn.DeniableError, match=r"^missing values in '"):
        fitted(learner, whole[:1500], prune=replies, missing="refuse")


# ---------------------------------------------------------------- scores

TESTED = ["inverse", "in the clear", "local", "naive Bayes", "naive Bayes under noise", "pairwise"]


@pytest.mark.parametrize("learner", [LEARNERS[name] for name in TESTED], ids=TESTED)
def test_an_accuracy_is_that_of_the_replies_that_answer_what_the_model_asks(learner):
    design = learner.design
    model = fitted(learner, dn.disguise(design, people(6), seed=7))
    asked = [*design.names]
    if isinstance(learner, dn.TreeClassifier):
        splits = {node.split.question for node in model.tree_.nodes() if node.split is not None}
        asked = [name for index, name in enumerate(model.columns_.names) if index in splits] + ["t"]
    replies, _ = gappy(design)
    lacking = replies[asked].isna().any(axis=1)
    found, expected = (
        dn.score(model, design, replies),
        dn.score(model, design, replies[~lacking].reset_index(drop=True)),
    )
    note = f"rests on {COUNT - lacking.sum():,} of {COUNT:,} replies: {lacking.sum()} lack "
    assert replace(found, caveat=expected.caveat) == expected
    assert note in found.note
    cells, wanted = (dn.confusion(model, design, each).cells for each in (replies, replies[~lacking]))
    assert all(replace(cells[key], caveat=wanted[key].caveat) == wanted[key] for key in wanted)
    assert all(note in each.note for each in cells.values())
    for test in (dn.score, dn.confusion):
        with pytest.raises(dn.DeniableError, match=r"^missing values in '"):
            test(model, design, replies, missing="refuse")


def test_a_follow_up_round_counts_whole_replies():
    design = dn.Design([dn.unrelated(0.8, *map(dn.yes_no, [*ANSWERS, "t"]))], target="t")
    model = fitted(dn.TreeClassifier(design, method="inverse"), dn.disguise(design, people(6), seed=7))
    replies, lacking = gappy(design)
    found, expected = (
        dn.score(model, design, each, personal_correct=0.5)
        for each in (replies, replies[~lacking].reset_index(drop=True))
    )
    assert replace(found, caveat="") == expected
    assert f"{lacking.sum()} lack a, b, c or t" in found.note


def test_cross_validation_parts_the_replies_that_lack_nothing():
    replies, lacking = gappy(APART)
    learner = dn.TreeClassifier(APART, method="inverse")
    found = dn.cross_val_score(learner, APART, replies, cv=3)
    expected = dn.cross_val_score(learner, APART, replies[~lacking].reset_index(drop=True), cv=3)
    assert [replace(each, caveat="") for each in found] == expected
    whole = COUNT - lacking.sum()
    assert all(each.note.startswith(f"learnt and tested on {whole:,} of {COUNT:,} replies: ") for each in found)
    with pytest.raises(dn.DeniableError, match=r"^missing values in '"):
        dn.cross_val_score(learner, APART, replies, missing="refuse")


# ---------------------------------------------------------------- rules

MINING = {"min_support": 0.05, "items": ["a", "b", "t"]}


@pytest.mark.parametrize("design", [APART, GROUP, CLEAR], ids=["apart", "group", "clear"])
@pytest.mark.parametrize("mine", [dn.itemsets, dn.rules])
def test_rules_rest_on_the_replies_that_answer_all_their_questions(mine, design):
    replies, _ = gappy(design)
    lacking = replies[["a", "b", "t"]].isna().any(axis=1)
    found, expected = mine(design, replies, **MINING), mine(design, replies[~lacking], **MINING)
    assert list(found.columns)[-1] == "note"
    assert found.drop(columns="note").equals(expected.drop(columns="note"))
    assert len(found)
    note = f"rests on {COUNT - lacking.sum():,} of {COUNT:,} replies: {lacking.sum()} lack a, b or t; they may differ"
    assert found["note"].str.contains(note, regex=False).all()
    assert not expected["note"].str.contains("rests on").any()
    with pytest.raises(dn.DeniableError, match=r"^missing values in '"):
        mine(design, replies, **MINING, missing="refuse")


def test_who_leaves_a_number_out_is_mined_as_before():
    replies, _ = gappy(OMITTING, of=["age"])
    found = dn.itemsets(OMITTING, replies, min_support=0.05)
    support = found[found["itemsets"] == frozenset(["age=0 to 50"])]["support"].item()
    assert support == pytest.approx((replies["age"] < 50).mean())
    assert set(found["note"]) == {""}


# ---------------------------------------------------------------- nothing left


def test_where_nobody_answers_a_question_it_is_named():
    replies, _ = gappy(APART)
    replies["b"] = None
    model = fitted(LEARNERS["inverse"], dn.disguise(APART, people(6), seed=7))
    said = r"^none of the 3,000 replies answers .*: missing values in .*'b' \(3000\).*; fill these cells, or leave a"
    for ask in (
        lambda: fitted(LEARNERS["inverse"], replies),
        lambda: dn.score(model, APART, replies),
        lambda: dn.cross_val_score(LEARNERS["inverse"], APART, replies),
        lambda: dn.rules(APART, replies),
        lambda: dn.table(APART, replies, ["a", "b"]),
    ):
        with pytest.raises(dn.DeniableError, match=said):
            ask()
    assert dn.estimate(APART, replies, "a == 'yes'").n == COUNT - HOLES


def test_another_word_for_missing_is_refused():
    replies, _ = gappy(APART)
    said = "missing must be 'skip' or 'refuse', got 'drop'"
    for ask in (
        lambda: dn.estimate(APART, replies, "a == 'yes'", missing="drop"),
        lambda: dn.rules(APART, replies, missing="drop"),
        lambda: fitted(LEARNERS["inverse"], replies, missing="drop"),
        lambda: dn.TreeClassifier(missing="drop").fit([[0], [1]], [0, 1]),
    ):
        with pytest.raises(dn.DeniableError, match=said):
            ask()
