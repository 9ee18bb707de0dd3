"""Privacy of a single entry, against the corrected closed form, published figures and plain guessing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deniable as dn
from deniable.deniability.pse import pse

A, B = dn.yes_no("a"), dn.yes_no("b")
PUBLISHED = {0.1: 0.1607, 0.2: 0.2637, 0.3: 0.3281, 0.4: 0.3636, 0.5: 0.3750}  # q = .5, Wy = .5


def corrected(q, wy, wa):
    """Zhan and Matwin, equation 2, with both misprints put right."""
    a, b = q + (1 - q) * wy, q + (1 - q) * (1 - wy)
    first = wy * a / (a * wa + (1 - q) * wy * (1 - wa))
    second = (1 - wy) * b / (b * (1 - wa) + (1 - q) * (1 - wy) * wa)
    return 2 * wa * (1 - wa) * (1 - q) * (first + second)


def asked(q, wy=0.5):
    return dn.unrelated(q, A, chances=[1 - wy, wy])


@pytest.mark.parametrize("wa", PUBLISHED)
def test_published_figures(wa):
    assert pse(asked(0.5), "a", [1 - wa, wa]) == pytest.approx(PUBLISHED[wa], abs=5e-5)


@given(q=st.floats(0.01, 0.99), wy=st.floats(0.02, 0.98), wa=st.floats(0.02, 0.98))
def test_the_one_line_is_the_corrected_formula(q, wy, wa):
    assert pse(asked(q, wy), "a", [1 - wa, wa]) == pytest.approx(corrected(q, wy, wa), abs=1e-7)


def test_guessing_by_odds_is_wrong_that_often(figure):
    """Off Wy = .5, where print and truth differ; one in a thousand runs would be off by 3.3 standard errors."""
    q, wy, wa, n = 0.4, 0.2, 0.3, 400_000
    rng = np.random.default_rng(1)
    truth = rng.random(n) < wa
    report = np.where(rng.random(n) < q, truth, rng.random(n) < wy)
    odds = dn.posterior(asked(q, wy), "a", [1 - wa, wa])
    guess = rng.random(n) < odds[report.astype(int), 1]
    wrong, expected = float(np.mean(guess != truth)), pse(asked(q, wy), "a", [1 - wa, wa])
    figure("PSE at q .4, Wy .2, Wa .3", f"{expected:.4f}, guessing {wrong:.4f}")
    assert abs(wrong - expected) < 3.3 * np.sqrt(expected * (1 - expected) / n)


def test_its_limits():
    assert pse(dn.clear(A), "a", [0.3, 0.7]) == 0
    assert pse(asked(1e-4), "a", [0.3, 0.7]) == pytest.approx(2 * 0.3 * 0.7, abs=1e-6)
    assert pse(asked(0.3, 0.2), "a", [0.3, 0.7]) != pytest.approx(pse(asked(0.3, 0.2), "a", [0.7, 0.3]))
    assert pse(asked(0.3), "a", [0.3, 0.7]) == pytest.approx(pse(asked(0.3), "a", [0.7, 0.3]))
    assert pse(asked(0.3), "a") != pytest.approx(pse(asked(0.7), "a"))


def test_a_group_is_worth_its_weakest_question():
    group = dn.unrelated(0.4, A, B)
    told = dn.privacy(dn.Design([group]), {"a": [0.1, 0.9], "b": [0.3, 0.7]}).questions
    assert told[0].pse < told[1].pse
    assert [each.group_pse for each in told] == [told[0].pse] * 2
    assert told[0].pse < pse(group, "a", [0.1, 0.9])  # the report to b tells something of the draw
