"""Epsilon of the same people over waves, surveys and second rounds, against enumeration."""

from itertools import product
from math import inf, log

import numpy as np
import pytest

import deniable as dn

A, B = dn.yes_no("a"), dn.yes_no("b")
ONE, TWO = dn.Design([dn.warner(0.8, A)], title="spring"), dn.Design([dn.draw(0.4, A, B)], title="autumn")


def enumerated(matrices):
    """Epsilon of independent reports about the same truth, from all combinations of them."""
    rows = [np.prod(some, axis=0) for some in product(*matrices)]
    return log(max((row.max() / row.min()) for row in rows))


@pytest.mark.parametrize("waves", [1, 2, 4])
def test_waves_drawn_anew_add_up(waves):
    matrix = ONE.channels[0].matrix(["a"])
    assert dn.ledger(ONE, waves).epsilon == pytest.approx(enumerated([matrix] * waves), abs=1e-5)
    assert dn.ledger(ONE, waves).epsilon >= enumerated([matrix] * waves)  # never better than the truth


def test_surveys_and_second_rounds_add_up():
    found = dn.ledger([ONE, TWO], waves=[3, 1], second_rounds=[1, 0.5])
    assert [(each.name, each.waves) for each in found.entries[:2]] == [("spring", 3), ("autumn", 1)]
    whole = 3 * dn.privacy(ONE).epsilon + dn.privacy(TWO).epsilon + 1.5
    assert found.epsilon == pytest.approx(whole, abs=1e-5)
    assert sum(each["total"] for each in found.to_json()["entries"]) == pytest.approx(whole, abs=1e-5)
    assert "times as likely" in str(found)
    assert "autumn" in found._repr_html_()


def test_a_device_that_remembers_adds_nothing():
    once = dn.privacy(ONE).epsilon
    assert dn.ledger(ONE, 9, remembered=True).epsilon == once
    again = dn.ledger({"one": ONE, "again": ONE, "other": TWO}, 2, remembered=True)
    assert [each.counted for each in again.entries] == [1, 0, 1]
    assert again.epsilon == pytest.approx(once + dn.privacy(TWO).epsilon, abs=2e-6)
    assert "changed" in again.entries[0].note


def test_no_device_remembers_what_respondents_draw():
    by_hand = dn.Design([dn.warner(0.8, A, drawn_by="respondent")])
    found = dn.ledger(by_hand, 3, remembered=True)
    assert found.entries[0].counted == 3
    assert "by respondents" in found.entries[0].note


def test_infinite_where_one_is():
    clear = dn.Design([dn.clear(B), dn.warner(0.8, A)], title="openly")
    found = dn.ledger([ONE, clear], 2)
    assert found.epsilon == inf
    assert found.to_json()["epsilon"] == "infinity"
    assert found.epsilon_disguised == pytest.approx(4 * log(4), abs=1e-5)
    assert "openly" in found.sentence
    assert "spring" not in found.sentence


@pytest.mark.parametrize(
    "wrong",
    [
        {"waves": 0},
        {"waves": True},
        {"waves": [1]},
        {"waves": [1, 2.5]},
        {"second_rounds": [0]},
        {"second_rounds": ["x"]},
    ],
)
def test_what_nobody_can_add_up_is_refused(wrong):
    with pytest.raises(dn.DeniableError):
        dn.ledger([ONE, TWO], **wrong)


@pytest.mark.parametrize("designs", [[], ["spring.toml"], [None]])
def test_no_designs_no_ledger(designs):
    with pytest.raises(dn.DeniableError):
        dn.ledger(designs)
