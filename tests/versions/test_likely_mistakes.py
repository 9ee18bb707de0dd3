"""Mistakes that people make with versions: one clear line each, and no figure that is silently something else."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.errors import BadRequest, DeniableError, MissingColumns, MissingValues, NotIdentified

LEAVE, SMOKES = dn.yes_no("leave"), dn.yes_no("smokes")
DRINKS = dn.Question("drinks", ["never", "weekly", "daily"], ordered=True)
AGE = dn.number("age", 18, 80, integer=True)
ASK = dn.Design([dn.draw(dn.epsilon(3), LEAVE, SMOKES, DRINKS, always=["leave"], ask=1)], target="leave")
KINDS = {"strong": dn.warner(0.7, SMOKES), "none": dn.clear(SMOKES)}
CHOSEN = dn.Design([dn.versions(KINDS, column="kind", chosen=True)])


@pytest.fixture(scope="module")
def people():
    rng, count = np.random.default_rng(3), 2_000
    leave = rng.random(count) < 0.3
    return pd.DataFrame(
        {
            "leave": np.where(leave, "yes", "no"),
            "smokes": np.where(rng.random(count) < np.where(leave, 0.9, 0.2), "yes", "no"),
            "drinks": rng.choice(DRINKS.answers, count),
            "age": rng.integers(18, 81, count),
        }
    )


@pytest.fixture(scope="module")
def gappy(people):
    """Replies of which seven lack an answer that their version asks for."""
    replies = dn.disguise(ASK, people, seed=1)
    replies.loc[replies.index[replies.version == "smokes"][:7], "smokes"] = None
    return replies


WRITTEN = {
    "a version of None": (lambda: dn.versions({"a": KINDS["none"], "b": None}), "version 'b' has a NoneType among"),
    "a version of a question": (lambda: dn.versions({"a": KINDS["none"], "b": SMOKES}), "has a Question among"),
    "a version of versions": (
        lambda: dn.versions({"a": KINDS["none"], "b": dn.draw(0.5, LEAVE, SMOKES, ask=1)}),
        "version 'b' has a Block among its channels",
    ),
    "one share for two": (lambda: dn.versions(KINDS, [1]), "shares must be 2, one for each version"),
    "a negative share": (lambda: dn.versions(KINDS, [-0.5, 1.5]), "version 'strong' has a share of -0.5"),
    "two wordings": (
        lambda: dn.versions({"a": dn.clear(dn.yes_no("x", "One?")), "b": dn.clear(dn.yes_no("x", "Two?"))}),
        "question 'x' must be the same question in all versions",
    ),
    "an epsilon as a matrix": (lambda: dn.lookup(SMOKES, dn.epsilon(1)), "the matrix of smokes must be a list of rows"),
}


@pytest.mark.parametrize(("make", "line"), WRITTEN.values(), ids=WRITTEN)
def test_designs_are_refused_in_one_line(make, line):
    with pytest.raises(DeniableError, match=line) as error:
        make()
    assert "\n" not in str(error.value)


def test_what_is_no_mistake():
    assert dn.warner(dn.epsilon(1000), SMOKES).theta < 1
    assert dn.draw(0.5, LEAVE, SMOKES, ask=np.int64(1)).recipe.settings["ask"] == 1
    whole = dn.Design([dn.draw(dn.epsilon(2), LEAVE, SMOKES, always=["leave"], ask=1)])  # the only version there is
    assert "versions" not in str(dn.privacy(whole))


def test_how_many_questions_a_test_may_use_counts_the_target_in(people):
    design = dn.Design([dn.draw(dn.epsilon(3), LEAVE, SMOKES, DRINKS, ask=2)], target="leave")
    replies = dn.disguise(design, people, seed=1)
    model = dn.NaiveBayes(design).fit(replies)
    with pytest.raises(NotIdentified, match="model of 2 questions is: no version asks more than 1 of them together"):
        dn.score(model, design, replies)
    apart = {"a": dn.clear(LEAVE), "b": dn.clear(SMOKES, DRINKS)}
    arms = dn.Design([dn.versions(apart)], target="leave")
    with pytest.raises(NotIdentified, match="no version asks any of them together with its target"):
        dn.score(model, arms, dn.disguise(arms, people, seed=1))
    with pytest.raises(NotIdentified, match="asks both together; ask about fewer of them, or have a version ask them"):
        dn.table(arms, dn.disguise(arms, people, seed=1), ["leave", "smokes"])


def test_no_model_of_pairs_inverts_noise(people):
    arms = {"a": [dn.gaussian(AGE, privacy=0.5), dn.clear(SMOKES)], "b": [dn.uniform(AGE, privacy=0.3)]}
    design = dn.Design([dn.versions(arms), dn.warner(0.8, LEAVE)], target="leave")
    replies = dn.disguise(design, people, seed=1)
    for learner in (dn.PairwiseClassifier, dn.NaiveBayes, dn.TreeClassifier):
        with pytest.raises(BadRequest, match="without numbers under noise where a design has versions, got 'age'"):
            learner(design).fit(replies)


def test_answers_that_a_version_asks_for_are_refused_where_they_are_missing(gappy, people, tmp_path):
    gappy.assign(_design=ASK.fingerprint[:16]).to_csv(tmp_path / "replies.csv", index=False)
    whole = dn.disguise(ASK, people, seed=1)
    for replies in (gappy, pl.from_pandas(gappy).lazy(), str(tmp_path / "replies.csv")):
        with pytest.raises(MissingValues, match=r"missing values in 'smokes' \(7\); fill or drop"):
            dn.estimate(ASK, replies, "smokes == 'yes'", missing="refuse")
        assert "7 lack smokes" in dn.estimate(ASK, replies, "smokes == 'yes'").note
    features = ["version", "smokes", "drinks"]
    strict = dn.NaiveBayes(ASK, missing="refuse")
    for given in ([gappy], [gappy[features], gappy["leave"]]):
        with pytest.raises(MissingValues, match=r"'smokes' \(7\)"):
            strict.fit(*given)
    assert strict.fit(whole).note_ == ""
    assert dn.NaiveBayes(ASK).fit(gappy).note_ == "complete are 1,993 of 2,000 replies: 7 lack smokes; they may differ"


def test_replies_without_their_versions(gappy):
    with pytest.raises(MissingColumns, match="no column of versions 'version'"):
        dn.NaiveBayes(ASK).fit(gappy[["smokes", "drinks"]], gappy["leave"])


def deniable(*words):
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return ended.value.code


@pytest.mark.parametrize("send", [["disguise", "-o", "replies.csv"], ["simulate", "--url", "http://127.0.0.1:9"]])
def test_people_who_did_not_choose(people, tmp_path, capsys, monkeypatch, send):
    monkeypatch.chdir(tmp_path)
    CHOSEN.save("design.toml")
    people.to_csv("people.csv", index=False)
    command, *options = send
    assert deniable(command, "design.toml", "people.csv", *options) != 0
    assert "the column 'kind' must be the version that each respondent chose" in capsys.readouterr().err
    people.assign(kind=[None, *["none"] * (len(people) - 1)]).to_csv("people.csv", index=False)
    assert deniable(command, "design.toml", "people.csv", *options) != 0
    assert "missing values in 'kind' (1); fill or drop these rows\n" in capsys.readouterr().err


def test_simulated_respondents_have_what_others_are_computed_from(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hours = dn.number("hours", 0, 24)
    dn.Design([dn.warner(0.8, dn.computed("tired", "hours < 6"))], unsent=[hours]).save("design.toml")
    pd.DataFrame({"hours": [5, 8]}).to_csv("people.csv", index=False)
    assert deniable("simulate", "design.toml", "people.csv", "--url", "http://127.0.0.1:9", "--patience", "0") != 0
    assert "http://127.0.0.1:9" in capsys.readouterr().err  # nobody is there, but all was ready to be sent
