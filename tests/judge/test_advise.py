"""Advice before a survey opens."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.judge.pilot import Pilot, banded

T = dn.yes_no("t")
LETTERS = dn.Question("letters", list("abcdef"))
QUESTIONS = [T, dn.yes_no("told"), LETTERS, dn.yes_no("x"), dn.yes_no("y"), dn.number("age", 18, 80, integer=True)]


def people(n, seed):
    """`told` and the letters say much about t, x and y nothing."""
    rng = np.random.default_rng(seed)
    t = rng.random(n) < 0.4
    letter = np.where(t, rng.choice(list("abc"), n), rng.choice(list("def"), n))
    mixed = rng.random(n) < 0.2
    return pd.DataFrame({
        "t": np.where(t, "yes", "no"),
        "told": np.where(rng.random(n) < np.where(t, 0.8, 0.2), "yes", "no"),
        "letters": np.where(mixed, rng.choice(list("abcdef"), n), letter),
        "x": rng.choice(["no", "yes"], n),
        "y": rng.choice(["no", "yes"], n),
        "age": rng.integers(18, 81, n),
    })  # fmt: skip


@pytest.fixture(scope="module")
def advice():
    return dn.advise(QUESTIONS, 2, 2000, "t", people(300, 1))


def test_the_advised_design_keeps_its_promise_and_comes_first(advice):
    assert list(advice.table.columns) == ["name", "epsilon", "se_shares", "se_pairs", "naive_bayes", "pairwise"]
    assert advice.table["name"].tolist()[0] == advice.best
    assert set(advice.designs) == set(advice.table["name"])
    assert (advice.table["epsilon"] <= 2).all()
    assert dn.privacy(advice.designs[advice.best]).epsilon <= 2
    assert advice.best.startswith("ask")
    assert {"split evenly", "split towards the target", "ask 1", "ask 2"} <= set(advice.designs)


def test_a_pilot_finds_the_strong_questions_and_merges_what_says_the_same(advice):
    pilot = Pilot.of([banded(each, people(300, 1)) for each in QUESTIONS], people(300, 1))
    assert set(pilot.strongest("t")[:2]) == {"told", "letters"}
    merged = pilot.merged("letters", "t", 2)
    assert merged.answers == ("a, b or c", "d, e or f")
    assert any("strongest" in name for name in advice.designs)


def test_merged_answers_take_the_data_as_they_are(advice, tmp_path):
    """A design with merged answers disguises data of the old ones, and its file keeps which they were."""
    merged = Pilot.of([T, LETTERS], people(300, 1)).merged("letters", "t", 2)
    design = dn.Design([dn.draw(dn.epsilon(2), T, merged)], target="t")
    design.save(tmp_path / "merged.toml")
    again = dn.Design.load(tmp_path / "merged.toml")
    assert again.question("letters") == merged
    assert again.fingerprint == design.fingerprint
    plain = dn.Question("letters", merged.answers)
    assert dn.Design([dn.draw(dn.epsilon(2), T, plain)]).fingerprint == design.fingerprint  # a matter of analysis
    replies = dn.disguise(again, people(500, 2), seed=1)
    assert set(replies["letters"]) == {"a, b or c", "d, e or f"}
    assert dn.NaiveBayes(again).fit(replies).predict(people(9, 3)[["letters"]]).shape == (9,)


@pytest.mark.parametrize("merges", [{"b": ["x"]}, {"a": ["a"]}, {"a": "x"}])
def test_merges_that_fit_no_answer_are_refused(merges):
    with pytest.raises(dn.DeniableError, match="'q'"):
        dn.Question("q", ["a", "c"], merges=merges)


def test_baselines_stand_beside(advice):
    assert list(advice.baselines) == ["guessing", "the pilot alone", "500 asked in the clear", "no disguise"]
    assert advice.baselines["no disguise"].best > advice.baselines["guessing"].best + 0.1
    document = json.loads(json.dumps(advice.to_json()))
    assert set(document) == {"best", "candidates", "baselines", "note"}
    assert document["best"] == document["candidates"][0]["name"]
    assert "500 asked in the clear" in document["baselines"]


@pytest.mark.parametrize("wanted", ["shares", "pairs", "target"])
def test_without_a_pilot_designs_are_ranked_by_what_is_wanted(wanted):
    found = dn.advise(QUESTIONS, 1, 5000, "t", wanted=wanted, expressions=["told == 'yes' and t == 'yes'"])
    first = {"shares": "se_shares", "pairs": "se_pairs"}.get(wanted)
    rows = found.to_json()["candidates"]
    if first:
        errors = [row[first] for row in rows if row[first] is not None]
        assert errors == sorted(errors)
    assert rows[0]["naive_bayes"] is None
    assert rows[0]["told == 'yes' and t == 'yes'"] > 0
    assert found.best.startswith("ask 1")  # six answers and bands: little is left for two at epsilon 1


def test_one_question_needs_no_versions():
    found = dn.advise([LETTERS], 1, 1000)
    assert found.best == "split evenly"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"n": 29}, "30 replies or more"),
        ({"target": "tt"}, "did you mean 't'"),
        ({"wanted": "trees"}, "'shares', 'target' or 'pairs'"),
        ({"pilot": people(20, 1)}, "30 people or more"),
        ({"pilot": people(50, 1).assign(told="perhaps")}, "perhaps"),
        ({"pilot": people(50, 1).drop(columns="x")}, "'x'|x"),
        ({"target": None, "wanted": "target"}, "without a target"),
    ],
)
def test_what_cannot_be_advised_on_gets_one_line(change, words):
    with pytest.raises(dn.DeniableError, match=words) as refusal:
        dn.advise(QUESTIONS, **({"epsilon": 2, "n": 1000, "target": "t"} | change))
    assert "\n" not in str(refusal.value)


def test_the_command_writes_the_best_design_with_its_reason(tmp_path, capsys):
    dn.Design([dn.warner(0.8, T), dn.warner(0.8, QUESTIONS[1]), dn.k_ary(0.8, LETTERS)], target="t").save(
        tmp_path / "first.toml"
    )
    people(200, 4).to_csv(tmp_path / "pilot.csv", index=False)
    best = tmp_path / "best.toml"
    with pytest.raises(SystemExit) as stop:
        run(["advise", str(tmp_path / "first.toml"), "--epsilon", "2", "--replies", "1000", "--pilot",
             str(tmp_path / "pilot.csv"), "-o", str(best), "--json"])  # fmt: skip
    assert not stop.value.code
    document = json.loads(capsys.readouterr().out)
    assert best.read_text().startswith(f"# {document['best']} is expected to give")
    assert dn.privacy(dn.Design.load(best)).epsilon <= 2
