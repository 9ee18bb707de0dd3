"""Accuracy by the number of replies, planned on a pilot."""

import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.judge.accuracy import Accuracy
from deniable.judge.curve import Curve
from deniable.report.curves import curve_page

T, TOLD = dn.yes_no("t"), dn.yes_no("told")
DESIGN = dn.Design([dn.draw(dn.epsilon(1), T, TOLD, dn.yes_no("x"), always=["t"], ask=1)], target="t")


def people(n, seed):
    """`told` is right about t with a chance of .8, x tells nothing."""
    rng = np.random.default_rng(seed)
    t = rng.random(n) < 0.5
    words = {True: "yes", False: "no"}
    return pd.DataFrame({
        "t": [words[each] for each in t],
        "told": [words[each] for each in np.where(rng.random(n) < 0.8, t, ~t)],
        "x": rng.choice(["no", "yes"], n),
    })  # fmt: skip


@pytest.fixture(scope="module")
def curve():
    return dn.plan(DESIGN, pilot=people(400, 1), replies=1000, accuracy=0.7)


def test_more_replies_teach_more_until_all_is_learnt(curve):
    assert list(curve.points) == [100, 300, 1000, 3000, 10_000]
    reached = [each.best for each in curve.points.values()]
    assert reached[-1] == pytest.approx(0.8, abs=3 * 0.02)
    assert reached[-1] > reached[0]
    assert curve.baselines["guessing"].best < 0.6
    assert 100 <= curve.n <= 10_000
    assert "an accuracy of 0.7 takes about" in str(curve)


def test_rows_have_errors_and_notes(curve):
    assert list(curve.table.columns) == ["replies", "model", "accuracy", "stderr", "low", "high", "note"]
    for row in curve.rows:
        assert row["stderr"] == pytest.approx(np.sqrt(row["accuracy"] * (1 - row["accuracy"]) / 400))
        assert 0 <= row["low"] <= row["accuracy"] <= row["high"] <= 1
    document = json.loads(json.dumps(curve.to_json()))
    assert set(document) == {"target", "accuracy", "n", "curve", "baselines", "note"}
    assert "pilot of 400" in document["note"]


@pytest.mark.parametrize(("wanted", "needed"), [(0.5, 100), (0.6, 100), (0.65, 316), (0.7, 1000), (0.8, None)])
def test_what_an_accuracy_takes_lies_between_the_points(wanted, needed):
    """On a logarithmic scale: half of the way from 100 to 1,000 is 316."""
    points = {100: Accuracy(0.6, 0.5), 1000: Accuracy(0.7, 0.65)}
    guessing = {"guessing": Accuracy(0.5, 0.5), "500 asked in the clear": Accuracy(0.7, 0.7)}
    found = Curve("t", points, guessing, 100, wanted)
    assert found.n == needed
    assert ("is not reached" in str(found)) == (needed is None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"margin": 0.05}, "margin"),
        ({"expression": "t == 'yes'"}, "expression"),
        ({"replies": 20}, "30 or more"),
        ({"accuracy": 1.5}, "accuracy"),
        ({"target": "tt"}, "did you mean 't'"),
        ({"pilot": people(20, 1)}, "30 people or more"),
        ({"pilot": None, "accuracy": 0.8, "replies": 100}, "pilot"),
        ({"pilot": None, "target": "t", "replies": 100}, "pilot"),
    ],
)
def test_what_cannot_be_planned_gets_one_line(change, words):
    with pytest.raises(dn.DeniableError, match=words) as refusal:
        dn.plan(DESIGN, **({"pilot": people(50, 1)} | change))
    assert "\n" not in str(refusal.value)


def test_a_target_is_needed():
    with pytest.raises(dn.DeniableError, match="target"):
        dn.plan(dn.Design([dn.draw(dn.epsilon(1), T, TOLD)]), pilot=people(50, 1))


def test_the_command_and_its_page(tmp_path, capsys, curve):
    DESIGN.save(tmp_path / "survey.toml")
    people(60, 1).to_csv(tmp_path / "pilot.csv", index=False)
    asked = ["plan", str(tmp_path / "survey.toml"), "--pilot", str(tmp_path / "pilot.csv"), "--replies", "300"]
    with pytest.raises(SystemExit) as stop:
        run([*asked, "--html", str(tmp_path / "curve.html"), "--json"])
    assert not stop.value.code
    assert {row["replies"] for row in json.loads(capsys.readouterr().out)["curve"]} == {30, 90, 300, 900, 3000}
    page = (tmp_path / "curve.html").read_text()
    assert page == curve_page(dn.plan(DESIGN, pilot=people(60, 1), replies=300), "")
    assert page.count('<path class="model') == 4  # two lines, and the key to them
    assert "no disguise" in curve_page(curve, "")
    assert "<table>" in curve._repr_html_()


@pytest.mark.parametrize("n", [300, 2000, 20_000])
@pytest.mark.parametrize("asked", [dn.number("x", 18, 80, integer=True), dn.number("x", 0, 1), dn.number("x", 7, 9)])
def test_the_pilot_alone_learns_from_numbers_as_they_are(asked, n):
    """Whatever the number's range: the target is whether it is above the middle, but for one person in ten."""
    rng = np.random.default_rng(3)
    low, high = asked.range.low, asked.range.high
    x = rng.integers(low, high + 1, n) if asked.range.integer else rng.uniform(low, high, n)
    t = (x > (low + high) / 2) ^ (rng.random(n) < 0.1)
    pilot = pd.DataFrame({"t": np.where(t, "yes", "no"), "x": x})
    design = dn.Design([dn.warner(0.8, T), dn.gaussian(asked, privacy=0.5)], target="t")
    alone = dn.plan(design, pilot=pilot, replies=300).baselines["the pilot alone"]
    assert alone.best > 0.9 - 3 * np.sqrt(0.09 / n) - 0.03  # the margin: what a model of few people loses


def test_numbers_in_the_clear_teach_no_less_than_under_noise():
    """Ages are compared in bands: as 63 answers of their own they taught 300 people less than disguised ones did."""
    rng = np.random.default_rng(4)
    age = rng.integers(18, 81, 4000)
    t = rng.random(4000) < np.where(age > 49, 0.75, 0.25)
    pilot = pd.DataFrame({"t": np.where(t, "yes", "no"), "x": age})
    asked = dn.number("x", 18, 80, integer=True)
    design = dn.Design([dn.warner(0.9, T), dn.gaussian(asked, privacy=0.3)], target="t")
    found = dn.plan(design, pilot=pilot, replies=500)
    openly = next(each for name, each in found.baselines.items() if name.startswith("500 "))
    assert openly.best > found.points[500].best - 0.01
