"""Every figure comes with what a reader must know before using it, and with the number that it rests on."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn

RNG = np.random.default_rng(21)
N = 6000
A, B, COLOR = dn.yes_no("a"), dn.yes_no("b"), dn.Question("color", ["red", "green", "blue"])
DESIGN = dn.Design([dn.warner(0.8, A), dn.clear(B), dn.k_ary(0.7, COLOR), dn.gaussian(dn.number("x", 0, 10), sd=1)])
PEOPLE = pd.DataFrame(
    {
        "a": RNG.choice(["no", "yes"], N, p=[0.75, 0.25]),
        "b": RNG.choice(["no", "yes"], N, p=[0.9, 0.1]),
        "color": RNG.choice(["red", "green"], N),  # nobody says blue
        "x": RNG.uniform(0, 10, N),
    }
)
REPLIES = dn.disguise(DESIGN, PEOPLE, seed=22)
FRAMES = {
    "table": lambda replies: dn.table(DESIGN, replies, ["a", "color"]),
    "table of rows": lambda replies: dn.table(DESIGN, replies, ["color", "a"], percent="row"),
    "table under noise": lambda replies: dn.table(DESIGN, replies, ["x"]),
    "itemsets": lambda replies: dn.itemsets(DESIGN, replies, 0.2, items=["a", "b", "color"]),
    "rules": lambda replies: dn.rules(DESIGN, replies, min_support=0.05, min_confidence=0.3, items=["a", "b", "color"]),
    "reconstruct": lambda replies: dn.reconstruct(DESIGN, replies, "x"),
    "reconstruct by": lambda replies: dn.reconstruct(DESIGN, replies, "color", by="a"),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_frame_has_a_note_at_its_end_in_words(kind):
    for replies in (REPLIES, pl.from_pandas(REPLIES)):
        found = FRAMES[kind](replies)
        assert list(found.columns)[-1] == "note"
        assert all(isinstance(note, str) for note in found["note"])
    assert FRAMES[kind](pl.from_pandas(REPLIES).to_arrow()).column("note").type == "string"


def test_cells_of_a_table_say_what_estimates_say():
    found = dn.table(DESIGN, REPLIES, ["a", "color"])
    for row in found.itertuples():
        alone = dn.estimate(DESIGN, REPLIES, f"a == '{row.a}' and color == '{row.color}'")
        assert row.note == alone.note
    assert (found[found["color"] == "red"]["note"] == "").all()


@pytest.mark.parametrize(("n", "grade"), [(6000, ""), (1000, "rough"), (300, "rough"), (100, "too few")])
def test_grades_depend_on_the_design_and_on_the_number_of_replies_alone(n, grade):
    for some in (REPLIES.iloc[:n], REPLIES.iloc[-n:], REPLIES.sort_values("color").iloc[:n]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the last of these are no replies that anybody sends
            found = dn.table(DESIGN, some, ["color", "a"], percent="row")
        notes = found["note"][~found["note"].str.contains("nobody there")]
        assert {each.split("; ")[0].replace("outside the possible: interval clipped", "") for each in notes} == {grade}


def test_the_width_to_be_expected_in_closed_form():
    """Of a share, and of its share among those of another question: half of the people at an even truth."""
    n, theta = 400, 0.8
    people = REPLIES.iloc[:n]
    alone = 1.959964 * 0.5 / ((2 * theta - 1) * np.sqrt(n))
    assert dn.estimate(DESIGN, people, "a == 'yes'").half_width == pytest.approx(alone)
    assert dn.estimate(DESIGN, people, "a == 'yes'", given="b == 'no'").half_width == pytest.approx(alone * np.sqrt(2))
    clear = 1.959964 * np.sqrt(0.25 * 0.75 / n)
    both = dn.Design([dn.clear(A, B)])
    assert dn.estimate(both, people[["a", "b"]], "a == 'yes' and b == 'yes'").half_width == pytest.approx(clear)


def test_a_table_of_shares_below_zero_says_so():
    few = dn.table(DESIGN, REPLIES.iloc[:400], ["color"]), dn.estimate(DESIGN, REPLIES.iloc[:400], "color == 'blue'")
    assert few[0]["note"].iloc[2] == few[1].note != ""


def test_sets_and_rules_say_what_is_borderline_and_what_rests_on_few():
    sets = dn.itemsets(DESIGN, REPLIES, 0.05, items=["a", "b", "color"])
    assert (sets["note"].str.contains("borderline") == sets["borderline"]).all()
    many = sets[sets["itemsets"] == frozenset({"a=yes"})].iloc[0]
    assert many["note"] == ""
    few = dn.itemsets(DESIGN, REPLIES.iloc[:60], 0.05, items=["a", "color"])
    assert few["note"].str.contains("rough").all()
    assert dn.itemsets(DESIGN, REPLIES.iloc[:10], 0.05, items=["a", "color"])["note"].str.contains("too few").all()
    found = dn.rules(DESIGN, REPLIES.iloc[120:180], min_support=0.01, min_confidence=0.3, items=["a", "color"])
    assert (found["note"].str.contains("borderline") == found["borderline"]).all()
    assert found["note"].str.contains("rough").all()
    beyond = found["confidence"] > 1
    assert beyond.any()
    assert (found["note"].str.contains("outside the possible") == beyond).all()


def test_a_reconstruction_says_that_it_smooths_and_whom_it_leaves_out():
    assert dn.reconstruct(DESIGN, REPLIES, "x")["note"].str.contains("smoothed").all()
    assert (dn.reconstruct(DESIGN, REPLIES, "a")["note"] == "").all()
    design = dn.Design([dn.gaussian(dn.number("x", 0, 10), sd=1), dn.clear(B)])
    people = PEOPLE[["x", "b"]].iloc[:800]
    with pytest.warns(UserWarning, match="b = yes is left out"):
        found = dn.reconstruct(design, dn.disguise(design, people, seed=1), "x", by="b")
    assert found["note"].str.contains("without b = yes: too few").all()


def test_an_association_has_a_note():
    assert dn.association(DESIGN, REPLIES, "a", "b").note == ""
    few = dn.association(DESIGN, REPLIES.iloc[:25], "a", "b")
    assert few.too_few
    assert few.note == "too few"


# ---------------------------------------------------------------- what n is under a condition


def test_n_is_the_number_for_whom_the_condition_holds():
    found = dn.estimate(DESIGN, REPLIES, "a == 'yes'", given="b == 'yes'")
    assert found.n == (PEOPLE["b"] == "yes").sum()  # b is in the clear
    hidden = dn.estimate(DESIGN, REPLIES, "b == 'yes'", given="a == 'yes'")
    assert hidden.n == round(N * dn.estimate(DESIGN, REPLIES, "a == 'yes'").value)
    assert abs(hidden.n - (PEOPLE["a"] == "yes").sum()) < 4 * N * dn.estimate(DESIGN, REPLIES, "a == 'yes'").stderr
    assert dn.estimate(DESIGN, REPLIES, "a == 'yes'").n == N


def test_n_of_conditions_on_numbers_under_noise_and_of_means():
    under = dn.estimate(DESIGN, REPLIES, "b == 'yes'", given="x > 5")
    assert abs(under.n - N / 2) < 0.05 * N
    assert dn.mean(DESIGN, REPLIES, "x", given="b == 'yes'").n == (PEOPLE["b"] == "yes").sum()
    assert dn.mean(DESIGN, REPLIES, "x").n == N
    clear = dn.Design([dn.clear(B, dn.number("y", 0, 10))])
    by_noise = dn.Design([dn.gaussian(dn.number("x", 0, 10), sd=1), dn.clear(dn.number("y", 0, 10))])
    told = dn.disguise(by_noise, PEOPLE.assign(y=PEOPLE["x"])[["x", "y"]], seed=3)
    assert abs(dn.mean(by_noise, told, "y", given="x > 5").n - N / 2) < 0.05 * N
    bands = dn.Design([dn.k_ary(0.8, dn.number("y", 0, 10, cells=5)), dn.clear(B)])
    told = dn.disguise(bands, PEOPLE.assign(y=PEOPLE["x"])[["y", "b"]], seed=4)
    assert dn.mean(bands, told, "y", given="b == 'yes'").n == (PEOPLE["b"] == "yes").sum()
    assert dn.mean(clear, PEOPLE.assign(y=1.0)[["b", "y"]], "y", given="b == 'no'").n == (PEOPLE["b"] == "no").sum()


def test_a_condition_that_hardly_anybody_meets_is_too_few():
    """Ten people of 1,000, all asked in the clear: a mean of ten numbers, not of a thousand."""
    design = dn.Design([dn.clear(B, dn.number("y", 0, 10))])
    people = pd.DataFrame({"b": ["yes"] * 10 + ["no"] * 990, "y": RNG.uniform(0, 10, 1000)})
    found = dn.mean(design, people, "y", given="b == 'yes'")
    assert found.n == 10
    assert found.note == "too few"
