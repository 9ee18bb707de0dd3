"""Plans of expressions, tables, conditional shares, tests and means: exact spreads, and what is taken for granted."""

from math import ceil, sqrt

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from scipy.special import ndtri

import deniable as dn
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import disguised
from deniable.inference.planning.figures import ALIKE, expression_figure
from deniable.inference.planning.power import power_of, replies_for
from deniable.inference.planning.spread import Cells, planned_stacks
from deniable.inference.planning.truth import Expected
from deniable.inference.query.query import query_of

A, B, C, S = dn.yes_no("a"), dn.yes_no("b"), dn.Question("c", ["x", "y", "z"]), dn.yes_no("s")
AGE = dn.number("age", 18, 80)
SKEWED = [[0.8, 0.3, 0.1], [0.1, 0.5, 0.2], [0.1, 0.2, 0.7]]
DESIGNS = {
    "one lottery each": [dn.warner(0.8, A), dn.forced(0.1, 0.25, B), dn.lookup(C, SKEWED)],
    "one draw": [dn.draw(0.5, A, B, C)],
    "a group": [dn.warner(0.75, A, B), dn.clear(C)],
    "cards": [dn.hadamard(dn.epsilon(1.5), C), dn.unrelated(0.7, A, chances=(0.6, 0.4)), dn.warner(0.9, B)],
    "versions": [dn.draw(dn.epsilon(2), A, B, C, always=["a"], ask=2)],
    "two blocks of versions": [
        dn.versions({"w": [dn.warner(0.7, A)], "f": [dn.forced(0.1, 0.3, A)]}, shares=[0.3, 0.7], column="one"),
        dn.versions({"b": [dn.warner(0.8, B), dn.k_ary(0.6, C)], "c": [dn.clear(C), dn.warner(0.9, B)]}, column="two"),
    ],
    "chosen": [dn.versions({"l": [dn.warner(0.9, A)], "m": [dn.warner(0.6, A)]}, shares=[0.4, 0.6], chosen=True),
               dn.warner(0.8, B), dn.k_ary(0.6, C)],
}  # fmt: skip
QUERIES = [
    ("a == 'yes'", "b == 'yes'"),
    ("a == 'yes' or b == 'yes'", "b == 'no' or c == 'y'"),
    ("c == 'x'", "a == 'no'"),
]
Z = float(ndtri(0.975))


def cells_of(design, text, given):
    query = query_of(design, text, given)
    return query, Cells.of(design, query.questions, query.masks[0] & query.masks[1], query.masks[1])


def by_estimates(design, query, truth):
    """n times the variance of the share among the given, by the covariance that estimates have."""
    stacks, asked = planned_stacks(design, query.questions)
    many = 1e9
    values = np.stack([query.masks[0] & query.masks[1], query.masks[1]], axis=-1).astype(float)
    (both, base), covariance = Reported(disguised(many * truth, stacks), stacks).estimated(values)
    row = np.array([1.0, -both / base]) / (base / many)
    return row @ covariance @ row / many / asked


@pytest.mark.parametrize(("text", "given"), QUERIES)
@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
@drawn(seed=st.integers(0, 1000))
def test_the_spread_is_the_covariance_of_estimates(blocks, text, given, seed):
    design = dn.Design(blocks)
    query, cells = cells_of(design, text, given)
    truth = np.random.default_rng(seed).dirichlet(np.ones(query.masks[0].size)).reshape(query.masks[0].shape)
    base = float(truth[query.masks[1]].sum())
    share = float(truth[query.masks[0] & query.masks[1]].sum() / base)
    found = cells.known(share, base, truth.ravel())
    assert found == pytest.approx(by_estimates(design, query, truth), rel=1e-6)
    assert cells.worst(share, base) >= found * (1 - 1e-9)


@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
def test_the_worst_spread_is_that_of_some_truth(blocks):
    """Against the largest of many truths at the same share: vertices and mixtures of them."""
    design, rng = dn.Design(blocks), np.random.default_rng(1)
    query, cells = cells_of(design, "a == 'yes' or b == 'yes'", "c != 'y'")
    share, base, best = 0.3, 0.6, 0.0
    for _ in range(3000):
        x = np.zeros(query.masks[0].size)
        for side, people in enumerate((share * base, (1 - share) * base, 1 - base)):
            own = np.flatnonzero(cells.sides == side)
            x[own] = people * rng.dirichlet(np.full(len(own), 0.1))
        best = max(best, cells.known(share, base, x))
    assert best <= cells.worst(share, base) * (1 + 1e-9)
    assert best >= 0.97 * cells.worst(share, base)


@pytest.mark.parametrize("share", [None, 0.1, 0.4])
@pytest.mark.parametrize("channel", [dn.warner(0.8, A), dn.forced(0.05, 0.3, A), dn.unrelated(0.6, A)], ids=str)
def test_the_expression_of_one_answer_is_planned_like_its_question(channel, share):
    """The question is planned for the answer that needs most, so for one of its two expressions."""
    design = dn.Design([channel])
    alone = [dn.plan(design, 0.02, expression=f"a == {word}", share=share).n for word in ("'no'", "'yes'")]
    assert max(alone) == pytest.approx(dn.plan(design, 0.02, share=share).n, abs=1)


def test_shares_by_question_are_those_of_the_second_answer():
    """p (1 - p) of the reported share through the inverse: forced has its own at .1 and at .9."""
    design = dn.Design([dn.forced(0.1, 0.3, A), dn.warner(0.8, B)])
    found = dn.plan(design, 0.02, share={"a": 0.1})
    reported = 0.6 * 0.1 + 0.3
    assert found.questions[0].n == ceil(reported * (1 - reported) / 0.6**2 * (Z / 0.02) ** 2)
    assert found.questions[1].n == dn.plan(design, 0.02).questions[1].n
    assert dn.plan(design, 0.02, share={"a": 0.1}).questions[0].n == dn.plan(
        design, 0.02, share={"a": [0.9, 0.1]}).questions[0].n  # fmt: skip


def test_one_share_of_many_answers_is_that_of_any():
    design = dn.Design([dn.k_ary(0.7, C)])
    assert dn.plan(design, 0.02, share={"c": 0.1}).n == dn.plan(design, 0.02, share=0.1).n
    with pytest.raises(dn.DeniableError, match="the share of c must be 3 shares"):
        dn.plan(design, 0.02, expression="c == 'x'", share={"c": 0.1})


def test_what_is_taken_for_granted_is_said():
    design = dn.Design([dn.warner(0.8, A), dn.warner(0.8, B), dn.clear(S), *DESIGNS["chosen"][2:]])
    note = dn.plan(design, 0.02, expression="a == 'yes'", given="s == 'yes'").note
    assert note == "answers to s taken to be evenly spread"
    assert dn.plan(design, 0.02, expression="a == 'yes'", given="s == 'yes'", share={"s": 0.3}).note == ""
    note = dn.plan(design, 0.02, expression="a == 'yes' and b == 'yes'", share={"a": 0.1}).note
    assert note == "answers to b taken to be evenly spread; answers to a, b taken to be independent"
    assert dn.plan(design, 0.02, expression="a == 'yes' and b == 'yes'").note == ""
    chosen = dn.plan(dn.Design(DESIGNS["chosen"]), 0.02, expression="a == 'yes' and b == 'yes'")
    assert ALIKE in chosen.note
    assert "holds if people choose versions as their shares say" in chosen.note


def test_everybody_who_meets_a_condition_in_the_clear_counts():
    """Among a fifth of the people five times as many are needed, whatever is asked."""
    design = dn.Design([dn.warner(0.8, A), dn.clear(S)])
    alone = dn.plan(design, 0.02, expression="a == 'yes'")
    among = dn.plan(design, 0.02, expression="a == 'yes'", given="s == 'yes'", share={"s": 0.2})
    assert among.n == pytest.approx(5 * alone.n, rel=1e-3)
    every = dn.plan(design, 0.02, given="s == 'yes'", share={"s": 0.2})
    assert [(row.question, row.n) for row in every.questions] == [("a", among.n)]


def test_rows_of_a_table_are_expressions():
    design = dn.Design(DESIGNS["one lottery each"])
    found = dn.plan(design, 0.03, table=["a", "c"])
    assert len(found.questions) == 6
    assert found.n == max(row.n for row in found.questions)
    for row in found.questions:
        assert dn.plan(design, 0.03, expression=row.question).n == row.n
    assert found.theta is None
    assert found.epsilon == pytest.approx(dn.privacy(dn.Design([design.channel("a"), design.channel("c")])).epsilon)


def test_what_no_version_asks_together_is_refused():
    design = dn.Design([dn.draw(dn.epsilon(2), A, B, C, always=["a"], ask=1)])
    with pytest.raises(dn.DeniableError, match="no version asks both together"):
        dn.plan(design, 0.02, expression="b == 'yes' and c == 'x'")


@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
def test_replies_that_a_power_takes_have_it(blocks):
    design = dn.Design(blocks)
    found = dn.plan(design, difference=0.07, power=0.8)
    assert dn.plan(design, replies=found.n, difference=0.07).power == pytest.approx(0.8, abs=2e-3)
    assert min(row.power for row in found.questions) >= 0.8
    assert dn.plan(design, replies=found.n - 2, difference=0.07).power < 0.8
    assert dn.plan(design, replies=found.n, difference=0.07).question == found.question


@drawn(p=st.floats(0.01, 0.9), d=st.floats(0.01, 0.09), power=st.floats(0.06, 0.99))
def test_fewer_replies_have_less_power(p, d, power):
    stated, true = p * (1 - p), (p + d) * (1 - p - d)
    n = replies_for(power, d, stated, true, Z)
    assert power_of(n, d, stated, true, Z) >= power
    assert n == 1 or power_of(n - 1, d, stated, true, Z) < power


def test_no_share_needs_more_than_the_worst():
    design = dn.Design([dn.forced(0.05, 0.3, A)])
    worst = dn.plan(design, difference=0.05, power=0.9).n
    some = [dn.plan(design, difference=0.05, power=0.9, share=float(p)).n for p in np.linspace(0, 0.95, 39)]
    assert 0.999 * worst <= max(some) <= worst


def test_less_may_be_true_as_well():
    """A share of .3 that is truly .25 is .7 that is truly .75."""
    design = dn.Design([dn.warner(0.8, A)])
    down = dn.plan(design, difference=-0.05, power=0.8, share=0.3)
    assert down.n == dn.plan(design, difference=0.05, power=0.8, share=0.7).n


def test_means():
    """Noise adds to the number's own spread; a condition in the clear leaves its share of the replies."""
    design = dn.Design([dn.gaussian(AGE, sd=20), dn.clear(S)])
    alone = dn.plan(design, 1, mean="age", sd=15)
    assert alone.n == pytest.approx((15**2 + 20**2) * Z**2, rel=2e-3)
    assert dn.plan(design, 1, mean="age").n == pytest.approx((31**2 + 20**2) * Z**2, rel=2e-3)
    assert "either end of the range" in dn.plan(design, 1, mean="age").note
    among = dn.plan(design, 1, mean="age", sd=15, given="s == 'yes'", share={"s": 0.25})
    assert among.n == pytest.approx(4 * alone.n, rel=1e-3)
    assert among.note == "age taken to be independent of the condition"
    tested = dn.plan(design, mean="age", sd=15, difference=2, power=0.8)
    assert tested.n == pytest.approx((15**2 + 20**2) * ((Z + 0.841621) / 2) ** 2, rel=2e-3)
    assert str(alone) == f"{alone.n:,} replies give the mean of age within ± 1.0000"


def test_json_says_more_only_of_tests():
    design = dn.Design([dn.warner(0.8, A)])
    today = {"n", "margin", "theta", "epsilon", "question", "questions", "left_out", "note"}
    assert set(dn.plan(design, 0.02, expression="a == 'yes'").to_json()) == today
    found = dn.plan(design, difference=0.05, power=0.8, share=0.2).to_json()
    assert set(found) == today | {"difference", "power"}
    assert set(found["questions"][0]) == {"question", "n", "margin", "difference", "power", "theta", "epsilon", "note"}


def test_curves_pass_through_the_plan():
    found = dn.plan(dn.Design([dn.warner(0.8, A)]), difference=0.05, power=0.8, share=0.2)
    assert found.power_of(found.n) == pytest.approx(found.power)
    assert found.margin_of(found.n) == pytest.approx(found.margin)
    assert found.margin_of(4 * found.n) == pytest.approx(found.margin / 2)


def test_a_figure_of_known_questions_has_their_share():
    design = dn.Design([dn.warner(0.8, A), dn.k_ary(0.7, C)])
    expected = Expected.of(design, {"a": 0.1, "c": [0.2, 0.5, 0.3]})
    (spread,) = expression_figure(design, "a == 'yes' and c != 'y'", None, expected).spreads
    assert spread.share == pytest.approx(0.05)
    assert sqrt(spread.at(None)) == pytest.approx(sqrt(spread.at(spread.share)))


@pytest.mark.parametrize("replies", [float("nan"), float("inf"), 1.5, True, "100", 0])
def test_replies_are_a_whole_number(replies):
    with pytest.raises(dn.DeniableError, match="replies must be a whole number, at least 1"):
        dn.plan(dn.Design([dn.warner(0.8, dn.yes_no("a"))]), replies=replies)
