"""Computed questions: the device works out an answer from others that are never sent."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.errors import DeniableError
from deniable.survey.formula import formula

WORDS = ("never", "some days", "often", "always")
ITEMS = [dn.Question(f"phq{index}", WORDS, values=[0, 1, 2, 3]) for index in range(1, 10)]
SUM = " + ".join(item.name for item in ITEMS)


def design(epsilon=2.0):
    """Nine items, of which only whether their sum reaches ten is sent."""
    return dn.Design([dn.warner(dn.epsilon(epsilon), dn.computed("depressed", f"{SUM} >= 10"))], unsent=ITEMS)


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    burden = rng.random(n)[:, None]
    cells = rng.binomial(3, 0.1 + 0.5 * burden, (n, 9))
    return pd.DataFrame(np.array(WORDS)[cells], columns=[item.name for item in ITEMS]), cells


NUMBERS = st.integers(-20, 20)


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from("abc")), min_size=1, max_size=6), NUMBERS, NUMBERS,
       st.sampled_from([">=", ">", "<=", "<", "==", "!="]), st.tuples(NUMBERS, NUMBERS, NUMBERS))  # fmt: skip
def test_formulas_mean_what_they_say(terms, added, bound, sign, values):
    """Against Python's own arithmetic."""
    text = " + ".join(f"{factor} * {name}" for factor, name in terms) + f" + {added} {sign} {bound}"
    named = dict(zip("abc", values, strict=True))
    if not any(sum(factor for factor, each in terms if each == name) for name in "abc"):
        with pytest.raises(DeniableError, match="a sum of answers compared with a number"):
            formula(text)
        return
    found = formula(text).holds({name: np.array([float(value)]) for name, value in named.items()})
    assert bool(found[0]) == eval(text, {}, named)


NO_FORMULAS = [
    "", "a", "a +", "a * b > 1", "a > 1 > 2", "1 > 0", "a ** 2 > 1", "__import__('os') > 1", "a[0] > 1", "a > 'x'",
    "1e400 * a > 1", f"{9**400} * a > 1", "+".join(["a"] * 5000) + "> 1",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_FORMULAS, ids=range(len(NO_FORMULAS)))
def test_what_is_no_formula_is_refused_in_one_line(text):
    with pytest.raises(DeniableError) as refusal:
        formula(text)
    assert "a sum of answers compared with a number" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_names_may_be_quoted():
    assert formula("`sleeps badly` + 2 * b >= 3").terms == (("sleeps badly", 1.0), ("b", 2.0))


def test_only_the_computed_answer_is_sent_and_its_share_comes_out(tmp_path):
    table, cells = people(4000)
    for frame in (table, pl.from_pandas(table)):
        replies = dn.disguise(design(), frame, seed=2)
        assert list(replies.columns) == ["depressed"]
        found = dn.estimate(design(), replies, "depressed == 'yes'")
        assert abs(found.value - (cells.sum(axis=1) >= 10).mean()) < 3.5 * found.stderr


def test_files_hold_what_is_computed(tmp_path):
    made = design()
    made.save(tmp_path / "design.toml")
    again = dn.Design.load(tmp_path / "design.toml")
    assert again == made
    assert again.fingerprint == made.fingerprint
    assert [question.name for question in again.survey.unsent] == [item.name for item in ITEMS]
    assert f'computed = "{SUM} >= 10"' in (tmp_path / "design.toml").read_text()


def test_people_may_come_with_the_computed_answer_alone():
    table, cells = people(50)
    given = pd.DataFrame({"depressed": np.where(cells.sum(axis=1) >= 10, "yes", "no")})
    assert dn.disguise(design(), given, seed=5).equals(dn.disguise(design(), table, seed=5))


BAD = {
    "which is not asked": lambda: dn.Design([dn.warner(0.8, dn.computed("x", "y > 1"))]),
    "which is sent itself": lambda: dn.Design(
        [dn.warner(0.8, dn.computed("x", "y > 1")), dn.clear(dn.number("y", 0, 3))]
    ),
    "has no values": lambda: dn.Design([dn.warner(0.8, dn.computed("x", "y > 1"))], unsent=[dn.yes_no("y")]),
    "may be left out": lambda: dn.Design(
        [dn.warner(0.8, dn.computed("x", "y > 1"))], unsent=[dn.number("y", 0, 3, omit=True)]
    ),
    "a list of questions": lambda: dn.Design([dn.warner(0.8, dn.yes_no("x"))], unsent=["y"]),
    "a sum of answers": lambda: dn.computed("x", None),
    "is in no channel": lambda: dn.Design([dn.warner(0.8, dn.yes_no("x"))], unsent=[dn.yes_no("y")]),
    "needs 2 numbers as values": lambda: dn.Question("y", ["no", "yes"], values=[1]),
    "is asked twice": lambda: dn.Design([dn.warner(0.8, dn.computed("x", "y > 1"))], unsent=[dn.number("y", 0, 3)] * 2),
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_computed_is_refused_in_one_line(words):
    with pytest.raises(DeniableError) as refusal:
        BAD[words]()
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_sum_score_beside_asking_its_items(figure):
    """Error of the share with a sum of ten or more, n = 2,000, at one epsilon of the whole reply."""
    n, epsilon = 2000, 2.0
    _, cells = people(n, seed=3)
    made = design(epsilon)
    replies = dn.disguise(made, people(n, seed=3)[0], seed=4)
    alone = dn.estimate(made, replies, "depressed == 'yes'").stderr
    figure("sum score, computed at epsilon 2: standard error", f"{alone:.4f}")
    for each, label in ((epsilon / 9, "items at epsilon 2 together"), (epsilon, "items at epsilon 18 together")):
        channel = dn.k_ary(dn.epsilon(each), ITEMS[0])
        matrix, rng = channel.matrix(), np.random.default_rng(1)
        inverse = np.linalg.inv(matrix)
        reported = np.array([[rng.choice(4, p=matrix[:, cell]) for cell in row] for row in cells[:500]])
        error = np.std([_weight(inverse, row) for row in reported]) / np.sqrt(n)
        figure(f"sum score, {label}: standard error", f"{error:.4g}")
        assert error > alone


def _weight(inverse, row):
    """A reply's weight for a sum of ten or more: products over items, collected by their sum."""
    sums = np.ones(1)
    for report in row:
        sums = np.convolve(sums, inverse[:, report])
    return sums[10:].sum()
