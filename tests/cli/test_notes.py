"""What --json prints has every note, what plan prints every question, and impossible replies are told in one line."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.inference.estimates import SMOOTHED

FIGURES = [
    "estimate health.toml replies.csv",
    "estimate health.toml replies.csv \"drinks == 'daily'\" --given \"smokes == 'yes'\"",
    "table health.toml replies.csv smokes drinks",
    "reconstruct health.toml replies.csv age",
    "rules health.toml replies.csv --min-support 0.05 --min-confidence 0.3 --item smokes --item leave",
]


@pytest.mark.parametrize("line", FIGURES)
def test_every_row_of_json_ends_in_its_note(line, survey, deniable):
    rows = deniable(f"{line} --json").json
    assert rows
    for row in rows:
        assert list(row)[-1] == "note"
        assert isinstance(row["note"], str)


def test_notes_of_json_are_those_that_people_see(survey, deniable):
    rows = deniable("estimate health.toml replies.csv --json").json
    for row in rows:
        alone = deniable(f'estimate health.toml replies.csv "{row["expression"]}" --json').json[0]
        assert row["note"] == alone["note"]
    pd.read_csv("replies.csv").head(60).to_csv("few.csv", index=False)
    cells = deniable("table health.toml few.csv smokes drinks --json").json
    assert all("rough" in row["note"] or "too few" in row["note"] for row in cells)
    cells = deniable("table health.toml replies.csv age --cuts age=30,31,32,33 --json").json
    assert {row["note"] for row in cells} == {SMOOTHED}  # shares of single years, from noise of many


def test_scores_carry_their_notes(survey, deniable):
    assert deniable("tree health.toml replies.csv -o tree.json").code == 0
    found = deniable("score health.toml tree.json replies.csv --json").json
    assert list(found["accuracy"])[-1] == "note"
    assert all(list(row)[-1] == "note" for row in found["confusion"])
    shown = deniable("score health.toml tree.json replies.csv").out
    assert "note" in shown


def test_a_plan_carries_its_questions_and_what_it_leaves_out(survey, deniable):
    design = dn.Design.load("health.toml")
    found = deniable("plan health.toml --margin 0.02 --json").json
    expected = dn.plan(design, 0.02)
    assert list(found)[:4] == ["n", "margin", "theta", "epsilon"]
    assert found["question"] == expected.question
    assert [row["question"] for row in found["questions"]] == [each.question for each in expected.questions]
    assert [row["n"] for row in found["questions"]] == [each.n for each in expected.questions]
    assert all(list(row) == ["question", "n", "margin", "theta", "epsilon", "note"] for row in found["questions"])
    noisy = [name for name in design.names if design.channel(name).has_noise]
    assert found["left_out"] == noisy != []
    assert list(found)[-1] == "note"
    assert all(name in found["note"] for name in noisy)


def test_privacy_carries_what_it_warns_of(survey, deniable):
    found = deniable("privacy health.toml --json").json
    assert list(found)[-1] == "note"
    assert found["note"] == " ".join(dn.privacy(dn.Design.load("health.toml")).sentences)


# ---------------------------------------------------------------- plain accuracy


def test_plain_accuracy_of_a_naive_bayes_of_any_size(tmp_path, monkeypatch, deniable):
    """Twenty questions and a number have 2^20 and more combinations; people in the clear need none of them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    names = [f"q{index}" for index in range(20)]
    people = pd.DataFrame(rng.choice(["no", "yes"], (3000, 20)), columns=names)
    people["age"] = rng.integers(18, 81, 3000)
    odds = (people[names[:5]] == "yes").sum(axis=1) + (people["age"] > 50)
    people["t"] = np.where(odds + rng.normal(0, 1, 3000) > 3.4, "yes", "no")
    channels = [dn.warner(0.9, dn.yes_no(name)) for name in [*names, "t"]]
    channels.append(dn.k_ary(0.9, dn.number("age", 18, 80, integer=True, cuts=[30, 40, 50, 60])))
    design = dn.Design(channels, target="t")
    design.save("wide.toml")
    people.to_csv("people.csv", index=False)
    assert deniable("disguise wide.toml people.csv -o replies.csv --seed 1").code == 0
    assert deniable("bayes wide.toml replies.csv -o bayes.json").code == 0
    fitted = dn.load_model("bayes.json")
    right = fitted.predict(people.drop(columns="t")) == people["t"]
    found = deniable("score wide.toml bayes.json people.csv --true --json").json
    assert found["accuracy"]["value"] == pytest.approx(right.mean(), abs=1e-12)
    assert found["accuracy"]["stderr"] == pytest.approx(np.sqrt(right.mean() * (1 - right.mean()) / 3000), abs=1e-9)
    assert found["accuracy"]["n"] == 3000
    cells = {(row["true"], row["predicted"]): row["share"] for row in found["confusion"]}
    both = pd.crosstab(people["t"], fitted.predict(people.drop(columns="t")), normalize="all")
    for pair, share in cells.items():
        assert share == pytest.approx(both.loc[pair], abs=1e-12)
    deniable("score wide.toml bayes.json replies.csv").refuses("combinations of answers")


# ---------------------------------------------------------------- impossible replies


@pytest.mark.parametrize(
    "line",
    [
        "estimate rare.toml people.csv",
        "estimate rare.toml people.csv \"rare == 'yes'\" \"t == 'yes'\"",
        "table rare.toml people.csv rare t",
        "rules rare.toml people.csv",
        "reconstruct rare.toml people.csv rare",
        "tree rare.toml people.csv -o tree.json",
        "bayes rare.toml people.csv -o bayes.json",
        "score rare.toml model.json people.csv",
    ],
)
def test_true_answers_given_as_replies_are_told_once_by_every_command(line, tmp_path, monkeypatch, deniable):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(6)
    design = dn.Design([dn.warner(0.8, dn.yes_no("rare")), dn.warner(0.8, dn.yes_no("t"))], target="t")
    design.save("rare.toml")
    people = pd.DataFrame({"rare": rng.random(2000) < 0.04, "t": rng.random(2000) < 0.3})
    people["t"] |= people["rare"]
    people = people.replace({True: "yes", False: "no"})
    people.to_csv("people.csv", index=False)
    dn.TreeClassifier().fit(people[["rare"]], people["t"]).save("model.json")
    found = deniable(line)
    assert found.code == 0
    assert found.err.count("whatever the truth") == 1
    assert "question 'rare'" in found.err


def test_honest_replies_are_told_nothing(survey, deniable):
    for line in FIGURES:
        assert "whatever the truth" not in deniable(line).err
