"""Charts for notebooks."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"smokes": rng.choice(["no", "yes"], 2_000), "age": rng.integers(20, 80, 2_000)})
    design = dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.gaussian(dn.number("age", 18, 80), privacy=0.5)])
    return design, dn.disguise(design, people, seed=1)


def test_shares_are_drawn_with_their_intervals(survey):
    drawn = dn.plot.shares(*survey).to_dict()
    (rows,) = [rows for rows in drawn["datasets"].values() if "low" in rows[0]]
    found = dn.estimate(*survey, "smokes == 'yes'")
    assert [row["true answer"] for row in rows] == ["smokes == 'no'", "smokes == 'yes'"]
    assert rows[1]["share"] == pytest.approx(found.value)
    assert (rows[1]["low"], rows[1]["high"]) == pytest.approx((found.low, found.high))


def test_a_distribution_is_drawn_beside_what_is_reported(survey):
    text = dn.plot.distribution(*survey, "age").to_json()
    assert "reconstructed" in text
    assert "reported" in text


def test_coefficients_are_drawn(survey):
    drawn = dn.plot.coefficients(dn.regress(*survey, "smokes ~ age")).to_dict()
    (rows,) = [rows for rows in drawn["datasets"].values() if "low" in rows[0]]
    assert [row["term"] for row in rows] == ["Intercept", "age"]


def test_answers_with_odd_characters_are_found():
    """A space that does not break, a backslash, a quotation mark."""
    answers = ["non\xa0merci", "it's \\ no", "oui"]
    design = dn.Design([dn.k_ary(0.8, dn.Question("thé", answers), dn.Question("au lait", answers))])
    people = pd.DataFrame(dict.fromkeys(("thé", "au lait"), answers * 400))
    replies = dn.disguise(design, people, seed=1)
    drawn = dn.plot.shares(design, replies).to_dict()
    assert len([row for rows in drawn["datasets"].values() for row in rows if "low" in row]) == 6
    assert dn.attack(design, replies).answers.guessed > 0.5
