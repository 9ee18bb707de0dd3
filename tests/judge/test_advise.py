"""Advice before a survey opens."""

import json
from dataclasses import replace
from time import process_time

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.judge.accuracy import Accuracy, Trials
from deniable.judge.advise import _strongest_ways
from deniable.judge.pilot import Pilot, _with_groups, banded
from deniable.report.judged import advice_page

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


@pytest.mark.parametrize("wanted", ["shares", "pairs"])
def test_for_shares_and_pairs_every_candidate_asks_everything(wanted):
    """A design that asks less, or merges answers, has smaller errors only because it tells less."""
    found = dn.advise(QUESTIONS, 2, 2000, "t", people(300, 1), wanted=wanted)
    for design in found.designs.values():
        assert [len(each) for each in design.questions][:5] == [2, 2, 6, 2, 2]


def test_expressions_have_names_and_none_where_a_design_does_not_ask():
    named = {"both": "told == 'yes' and t == 'yes'", "a": "letters == 'a'", "odd": "x == 'yes' or y == 'yes'"}
    found = dn.advise(QUESTIONS, 2, 2000, "t", people(300, 1), expressions=named)
    rows = {row["name"]: row for row in found.to_json()["candidates"]}
    assert list(found.table.columns)[6:] == ["both", "a", "odd"]
    assert rows["ask 2"]["odd"] > 0
    assert rows["ask 1"]["odd"] is None  # x and y are never asked together
    assert rows["ask 2"]["a"] > 0
    assert rows["ask 1 of the 2 strongest, answers merged"]["a"] is None  # a, b and c are one answer there
    assert rows["ask 1 of the 2 strongest, answers merged"]["odd"] is None


def test_errors_of_expressions_are_those_of_the_pilots_people():
    """Where all people have one answer, the variance of its share is the lottery's alone, that of a binomial."""
    nobody = people(300, 1).assign(x="no")
    found = dn.advise([dn.yes_no("x")], 1, 1000, pilot=nobody, expressions=["x == 'yes'"])
    theta = np.e / (1 + np.e)
    share = (0.5 / 301) * theta + (1 - 0.5 / 301) * (1 - theta)  # half a person is added to each cell
    expected = np.sqrt(share * (1 - share) / 1000) / (2 * theta - 1)
    assert found.to_json()["candidates"][0]["x == 'yes'"] == pytest.approx(expected, rel=1e-3)


def test_shares_may_be_assumed_where_there_is_no_pilot():
    dependent = {"t": 0.4, "told": {"no": 0.2, "yes": 0.8}}
    found = dn.advise(QUESTIONS[:2], 2, 2000, "t", shares=dependent)
    assert found.candidates[0].accuracy.best == pytest.approx(0.8, abs=0.03)  # told is right with a chance of .8
    assert found.baselines["guessing"].best == pytest.approx(0.6, abs=0.03)
    assert "the pilot alone" not in found.baselines
    assert "made-up people" in str(found)
    alone = dn.advise(QUESTIONS[:2], 2, 2000, "t", shares={"t": 0.4})
    assert alone.candidates[0].accuracy is None  # shares among all say nothing of the target
    rare = dn.advise(QUESTIONS[:2], 2, 2000, shares={"told": 0.01})
    assert rare.candidates[0].se_shares < dn.advise(QUESTIONS[:2], 2, 2000).candidates[0].se_shares


@pytest.mark.parametrize(
    ("n", "epsilon", "wanted", "words"),
    [
        (2000, 0.5, "target", "500 people asked in the clear would teach more"),
        (200, 0.5, "shares", "500 people asked in the clear would teach more"),
        (40, 0.3, "target", "little more than guessing"),
    ],
)
def test_the_reasons_say_when_asking_openly_teaches_more(n, epsilon, wanted, words):
    found = dn.advise(QUESTIONS, epsilon, n, "t", wanted=wanted)
    assert words in str(found)
    assert words in advice_page(found, "advice")
    assert "asked in the clear would teach more" not in str(dn.advise(QUESTIONS[:2], 4, 100_000, "t", wanted=wanted))


def test_with_a_pilot_the_reasons_compare_accuracies():
    few = dn.advise(QUESTIONS, 0.2, 300, "t", people(300, 1))
    assert few.candidates[0].accuracy.best < few.baselines["500 asked in the clear"].best
    assert "500 people asked in the clear would teach more (accuracy" in str(few)


@pytest.mark.parametrize(("openly", "words"), [(0.7704, "as much (accuracy 0.770)"), (0.78, "more (accuracy 0.780)")])
def test_asking_openly_teaches_as_much_where_the_figures_shown_are_equal(openly, words):
    found = dn.advise(QUESTIONS[:2], 2, 2000, "t")
    best = replace(found.candidates[0], accuracy=Accuracy(0.7696, 0.7))
    beside = {"guessing": Accuracy(0.5, 0.5), "500 asked in the clear": Accuracy(openly, 0.5)}
    assert f"500 people asked in the clear would teach {words}" in str(
        replace(found, candidates=(best,), baselines=beside)
    )


def test_the_reason_says_of_how_many_replies():
    found = dn.advise(QUESTIONS, 2, 2000, "t")
    worth = {each.name: f"{each.worth:,.0f}" for each in found.candidates}
    assert found.reasons[0] == (
        f"With 2,000 replies, {found.best} tells as much about what goes with the target as {worth[found.best]} people "
        "asked directly; "
        f"a lottery for each question, as much as {worth['split evenly']}; epsilon of the whole reply 2."
    )
    assert dn.advise(QUESTIONS, 2, 2000, "t", wanted="shares").reasons[0].startswith("With 2,000 replies, ")


def test_what_a_pilot_suggests_is_tested_on_people_it_was_not_chosen_by():
    """Of thirty questions that tell nothing, the strongest by chance must not look better than guessing."""
    rng = np.random.default_rng(5)
    nothing = pd.DataFrame(
        {f"q{i}": rng.choice(list("abcdef"), 120) for i in range(30)} | {"t": rng.choice(["no", "yes"], 120)}
    )
    asked = [*(dn.Question(f"q{i}", list("abcdef")) for i in range(30)), T]
    trials = Trials(Pilot.of(asked, nothing), "t", 4000)
    ways = _strongest_ways(asked, 4, trials, "")
    found = trials.expected(ways["ask 1 of the 2 strongest, answers merged"], 10)
    assert found.best < 0.5 + 3 * np.sqrt(0.25 / 120)


def test_a_gap_that_can_be_seen_is_not_advised():
    """A number that people may skip has no epsilon, so it must be answered in every candidate."""
    skipped = dn.number("age", 18, 80, cuts=[30, 50], omit=True)
    found = dn.advise([T, skipped], 2, 1000)
    assert all(each.epsilon <= 2 for each in found.candidates)


def test_answers_merged_twice_still_take_the_first_words():
    first = _with_groups(LETTERS, [[0, 1], [2, 3], [4, 5]])
    assert first.answers == ("a or b", "c or d", "e or f")
    again = _with_groups(first, [[0], [1, 2]])
    assert dict(again.merges) == {
        "a": "a or b", "b": "a or b", **dict.fromkeys(["c or d", "c", "d", "e or f", "e", "f"], "c or d or e or f")
    }  # fmt: skip
    assert _with_groups(dn.Question("q", ["a", "b", "c"], sensitive="c"), [[0], [1, 2]]).sensitive == "b or c"


def test_thousands_of_versions_take_seconds():
    """20 questions without a pilot; with one, the time of a race is that of some sixty surveys (docs/accuracy.md)."""
    asked = [dn.yes_no(f"q{i}") for i in range(20)]
    begin = process_time()
    found = dn.advise(asked, 2, 10_000, "q0")
    assert process_time() - begin < 20  # about two on an idle machine
    assert "ask 5" in found.skipped


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
        ({"expressions": ["nobody == 'yes'"]}, "no question 'nobody'"),
        ({"expressions": {"epsilon": "t == 'yes'"}}, "the name of an expression"),
        ({"shares": {"tt": 0.1}}, "no question 'tt'"),
        ({"shares": {"told": {"no": 0.1}}}, "one for each answer to t"),
        ({"shares": {"told": {"no": 0.1, "maybe": 0.3}}}, "maybe"),
        ({"shares": {"t": {"no": 0.1, "yes": 0.3}}}, "among all people"),
        ({"shares": {"told": 0.1}, "pilot": people(50, 1)}, "left out where there is a pilot"),
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
    assert best.read_text().startswith(f"# With 1,000 replies, {document['best']} ")
    assert dn.privacy(dn.Design.load(best)).epsilon <= 2


def test_the_command_has_all_that_python_has(tmp_path, capsys):
    design = tmp_path / "first.toml"
    dn.Design([dn.warner(0.8, T), dn.warner(0.8, QUESTIONS[1])], target="t").save(design)
    with pytest.raises(SystemExit):
        run(["advise", str(design), "told == 'yes' and t == 'yes'", "--replies", "500", "--share", "told=0.2/0.7",
             "--share", "t=0.4", "--for", "pairs", "--json"])  # fmt: skip
    document = json.loads(capsys.readouterr().out)
    assert list(document["candidates"][0]) == [
        "name", "epsilon", "se_shares", "se_pairs", "naive_bayes", "pairwise", "told == 'yes' and t == 'yes'"
    ]  # fmt: skip
    assert document["candidates"][0]["naive_bayes"] > 0.6
    with pytest.raises(SystemExit) as stop:
        run(["advise", str(design), "-o", str(design)])
    assert stop.value.code
    assert "\n" not in capsys.readouterr().err.strip()
