"""Plans of regressions: their promises kept by surveys of the planned size, and what is refused."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.errors import DeniableError

LEAVE, SMOKES = dn.yes_no("leave"), dn.yes_no("smokes")
AGE = dn.number("age", 18, 80, integer=True)
DESIGN = dn.Design([dn.warner(0.85, LEAVE), dn.warner(0.9, SMOKES), dn.clear(AGE)])
VERSIONS = dn.Design([dn.versions({"1": [dn.forced(0.1, 0.1, LEAVE)], "2": [dn.warner(0.9, LEAVE)]}), dn.clear(SMOKES)])


@pytest.fixture(scope="module")
def pilot() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 500
    age, smokes = rng.integers(18, 81, n), rng.random(n) < 0.3
    leave = rng.random(n) < 1 / (1 + np.exp(1.0 - 0.8 * smokes - 0.02 * (age - 50)))
    words = {"leave": np.where(leave, "yes", "no"), "smokes": np.where(smokes, "yes", "no")}
    return pd.DataFrame({**words, "age": age, "sex": rng.choice(["f", "m"], n)})


@pytest.mark.parametrize(("design", "formula"), [(DESIGN, "leave ~ smokes + age"), (VERSIONS, "leave ~ smokes")])
def test_plans_come_true(pilot, design, formula, figure):
    """Surveys of the planned size find the neediest coefficient with the planned power and margin: 60 of them."""
    plan = dn.plan(design, formula=formula, pilot=pilot, power=0.8)
    most = max(plan.coefficients[1:], key=lambda each: each.n)
    assert plan.n == most.n
    assert most.power == pytest.approx(0.8, abs=0.001)
    found, margins = 0, []
    for seed in range(60):
        people = pilot.sample(plan.n, replace=True, random_state=seed, ignore_index=True)
        replies = dn.disguise(design, people, seed=seed + 1).assign(sex=people.sex)
        fit = dn.regress(design, replies, formula).table.set_index("term").loc[most.term]
        found, margins = found + (fit.p < 0.05), [*margins, (fit.high - fit.low) / 2]
    figure(f"{formula}: planned and found power, n = {plan.n}", (round(most.power, 3), found / 60))
    assert np.mean(margins) == pytest.approx(most.margin, rel=0.05)
    assert abs(found / 60 - most.power) < 4 * np.sqrt(most.power * (1 - most.power) / 60) + 0.01


def test_errors_of_undisguised_people_are_those_of_the_textbook(pilot):
    """Ten times as many people as the pilot has, nothing disguised: the pilot's own errors over the root of ten."""
    design = dn.Design([dn.clear(LEAVE), dn.clear(SMOKES)])
    own = dn.regress(design, pilot[["leave", "smokes"]], "leave ~ smokes").table
    plan = dn.plan(design, formula="leave ~ smokes", pilot=pilot, replies=5000)
    assert [each.coefficient for each in plan.coefficients] == pytest.approx(own.estimate.tolist())
    assert [each.stderr for each in plan.coefficients] == pytest.approx((own.stderr / np.sqrt(10)).tolist(), rel=0.03)
    assert all(each.n is None for each in plan.coefficients)
    assert list(plan.table.columns) == ["term", "answer", "coefficient", "stderr", "margin", "power", "n", "note"]


def test_a_margin_and_a_difference(pilot):
    plan = dn.plan(DESIGN, 0.3, formula="leave ~ smokes", pilot=pilot)
    smokes = plan.coefficients[1]
    assert smokes.margin == pytest.approx(0.3, rel=0.001)
    wanted = dn.plan(DESIGN, formula="leave ~ smokes", pilot=pilot, power=0.9, difference=0.3)
    assert [each.coefficient for each in wanted.coefficients] == [0.3, 0.3]
    assert wanted.coefficients[1].power == pytest.approx(0.9, abs=0.001)
    assert wanted.n == pytest.approx(plan.n * ((1.96 + 1.2816) / 1.96) ** 2, rel=0.1)
    assert "find a coefficient of 0.3 with a power of 0.9" in str(wanted)
    assert "<table" in wanted._repr_html_()


BAD = {
    "did you mean 'smokes'": {"formula": "leave ~ smoke", "replies": 1000},
    "give pilot as well": {"formula": "leave ~ smokes", "replies": 1000, "pilot": None},
    "a margin, a power or a number of replies": {"formula": "leave ~ smokes"},
    "between 0 and 1": {"formula": "leave ~ smokes", "power": 2},
    "which chance alone gives": {"formula": "leave ~ smokes", "power": 0.01},
    "fewer than 1,000,000,000": {"formula": "leave ~ smokes", "margin": 1e-6},
    "left out where coefficients": {"formula": "leave ~ smokes", "replies": 1000, "share": 0.3},
    "30 or more": {"formula": "leave ~ smokes", "replies": 5},
    "another coefficient than 0": {"formula": "leave ~ smokes", "power": 0.8, "difference": 0},
}


@pytest.mark.parametrize("words", BAD)
def test_bad_plans_get_one_clear_line(pilot, words):
    with pytest.raises(DeniableError, match=re.escape(words)) as refusal:
        dn.plan(DESIGN, **{"pilot": pilot, **BAD[words]})
    assert "\n" not in str(refusal.value)


def test_on_the_command_line(pilot, tmp_path, capsys):
    DESIGN.save(tmp_path / "design.toml")
    pilot.to_csv(tmp_path / "pilot.csv", index=False)
    asked = ["plan", f"{tmp_path / 'design.toml'}", "--pilot", f"{tmp_path / 'pilot.csv'}",
             "--formula", "leave ~ smokes", "--margin", "0.3"]  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        run([*asked, "--json", "--html", f"{tmp_path / 'plan.html'}"])
    assert not ended.value.code
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"formula", "n", "coefficients", "note"}
    assert found["coefficients"][1]["margin"] == pytest.approx(0.3, rel=0.001)
    page = (tmp_path / "plan.html").read_text()
    assert "smokes[T.yes]" in page
    assert "within ± 0.3" in page


def test_the_neediest_is_a_predictor_of_the_outcome(pilot):
    """An ordered outcome has thresholds and no intercept; a predictor may be called as intercepts are."""
    rng = np.random.default_rng(2)
    ill = dn.Question("ill", ("no", "now and then", "often"), ordered=True)
    design = dn.Design([dn.k_ary(0.8, ill), dn.clear(SMOKES, dn.yes_no("Intercepted"))])
    people = pilot.assign(ill=rng.choice(ill.answers, len(pilot)), Intercepted=rng.choice(["no", "yes"], len(pilot)))
    plan = dn.plan(design, 0.3, formula="ill ~ smokes + Intercepted", pilot=people)
    slopes = {"smokes[T.yes]", "Intercepted[T.yes]"}
    assert plan.neediest in slopes
    assert plan.n == max(each.n for each in plan.coefficients if each.term in slopes)
    assert f"({plan.neediest} needs most)" in str(plan)
