"""What a promise costs, and made-up people under attack, against closed forms."""

from math import exp, inf, sqrt

import numpy as np
import pytest

import deniable as dn
from deniable.deniability.epsilon import reply_epsilon
from deniable.judge.assumed import PEOPLE, AssumedPeople
from deniable.judge.price import price, prices, undisguised
from laws.family import MEMBERS

A, B = dn.yes_no("a"), dn.yes_no("b")
MIXED = [A, dn.Question("c", list("wxyz")), dn.number("age", 18, 80), B]


@pytest.mark.parametrize("epsilon", [0.5, 2, 4])
@pytest.mark.parametrize("target", [None, "a"])
def test_every_way_keeps_the_promise_and_the_cheapest_comes_first(epsilon, target):
    found = prices(MIXED, epsilon, 1000, target)
    assert all(reply_epsilon(each.design) <= epsilon * (1 + 1e-9) for each in found)
    assert [each.needed for each in found] == sorted(each.needed for each in found)
    assert {"split evenly", "ask 1", "ask 2"} <= {each.name for each in found}
    assert all(each.needed == dn.plan(each.design, 0.05).n for each in found if each.needed < inf)


def test_errors_are_those_of_the_formulas():
    """Even shares: sqrt(1/4)/sqrt(n) in the clear, 1/(2 (2 theta - 1) sqrt n) under Warner."""
    theta = exp(1) / (1 + exp(1))
    even = next(each for each in prices([A, B], 2, 400) if each.name == "split evenly")
    assert even.error == pytest.approx(1 / (2 * (2 * theta - 1) * sqrt(400)), rel=1e-6)
    assert undisguised([A, B], 400).error == pytest.approx(0.5 / sqrt(400))
    assert undisguised([A, B], 400).needed == 385


def test_what_replies_do_not_tell_has_no_price():
    assert (
        price("noise", dn.Design([dn.gaussian(dn.number("age", 18, 80), sd=5), dn.warner(0.8, A)]), 100).needed == inf
    )


def test_made_up_people_are_guessed_as_often_as_the_lottery_lets_through():
    """One Warner question of even shares is guessed rightly with theta; false alarm below 1e-5."""
    people = AssumedPeople.of(dn.Design([dn.warner(0.8, A)]))
    found = people.attacked(waves=3)
    assert found.counted
    assert found.answers.guessed == pytest.approx(0.8, abs=4.5 * sqrt(0.16 / 1000))
    assert found.answers.from_margins == pytest.approx(0.5, abs=4.5 * sqrt(0.25 / 1000))


def test_made_up_people_have_the_shares_given():
    people = AssumedPeople.of(dn.Design([dn.warner(0.8, A), dn.clear(B)]), {"a": 0.1})
    assert np.mean(people.cells["a"]) == pytest.approx(0.1, abs=4.5 * sqrt(0.09 / PEOPLE))
    assert np.mean(people.cells["b"]) == pytest.approx(0.5, abs=4.5 * sqrt(0.25 / PEOPLE))
    assert people.attacked().answers.guessed < 1  # what is sent as it is, is not among the guesses
    assert [name for name, _, _ in people.example()] == ["a", "b"]


@pytest.mark.parametrize("name", MEMBERS)
def test_every_scheme_is_attacked_or_has_nothing_to_guess(name):
    design = dn.Design([MEMBERS[name](0.7, 0.3)])
    people = AssumedPeople.of(design)
    if any(each.is_number for each in design.questions):
        assert people is None
    else:
        found = people.attacked()
        assert (found is None) == all(map(design.is_clear, design.names))
        assert found is None or found.answers.guessed >= found.answers.from_margins - 0.1
