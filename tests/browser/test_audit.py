"""The draws of both clients, many of them: as often as promised, independent, and no more telling than claimed."""

from math import inf

import pytest

import deniable as dn
from browser.audit import FALSE_ALARM, Plan, epsilon_at_least, page_counts, python_counts, surprise
from browser.family import node
from laws.family import MEMBERS
from serving import AUDIT
from sizes import in_short

DRAWS = 10_000_000 if AUDIT else 100_000
PLANTED = 2_000_000 if AUDIT else 1_000_000
UNAUDITED = ("clear", "interval:", "multiply")  # factors: tests/inference/test_multiplied.py
AUDITED = {name: make(0.8, 0.3) for name, make in MEMBERS.items() if not name.startswith(UNAUDITED)}
BY_DEVICE = {name: channel for name, channel in AUDITED.items() if channel.drawn_by == "device"}
CLIENTS = {"page": (page_counts, BY_DEVICE), "Python": (python_counts, AUDITED)}  # the page draws for nobody by hand


@pytest.mark.parametrize("client", in_short(CLIENTS, "Python"))
def test_reports_come_as_promised_and_tell_no_more_than_claimed(client, figure):
    worst, least, loosest = 1.0, "", -inf
    counted, audited = CLIENTS[client]
    for name, channel in audited.items():
        plan = Plan.of(channel)
        singles, pairs = counted(plan, DRAWS)
        p = surprise(plan, singles, pairs)
        assert p > FALSE_ALARM, name
        bound = epsilon_at_least(singles)
        assert bound <= plan.claimed, name
        worst, least = min((worst, least), (p, name))
        loosest = max(loosest, bound - plan.claimed)
    draws = f"{DRAWS:,} draws for each of {len(audited)} schemes, {client}"
    figure(f"smallest p-value, {draws}", f"{worst:.3g} ({least})")
    figure(f"surest epsilon minus claimed, at most, {draws}", f"{loosest:.4f}")


TEN = dn.Question("meal", [f"dish {place}" for place in range(10)])
FAULTS = {
    "theta + .01": (dn.warner(0.8, dn.yes_no("a")), 0),
    "modulo bias": (dn.draw(0.0001, TEN), 10),
    "noise reused in a reply": (dn.draw(0.5, dn.yes_no("a"), dn.yes_no("b"), dn.yes_no("c")), 0),
    "noise reused for the next": (dn.gaussian(dn.number("age", 18, 80), sd=5), 0),
}


@pytest.mark.parametrize("fault", in_short(FAULTS, "theta + .01", "noise reused in a reply"))
def test_planted_faults_are_found(fault, figure):
    channel, outcomes = FAULTS[fault]
    plan = Plan.of(channel)
    assert surprise(plan, *page_counts(plan, PLANTED)) > FALSE_ALARM
    p = surprise(plan, *page_counts(plan, PLANTED, fault, outcomes))
    figure(f"p-value of a planted fault, {fault}", f"{p:.3g}")
    assert p < FALSE_ALARM


def test_an_epsilon_that_is_too_small_is_contradicted():
    plan = Plan.of(dn.warner(0.85, dn.yes_no("a")))
    claimed = Plan.of(dn.warner(0.8, dn.yes_no("a"))).claimed
    singles, _ = page_counts(plan, DRAWS)
    assert claimed < epsilon_at_least(singles) <= plan.claimed


OWN = {
    "warner": dn.warner(0.8, dn.yes_no("a")),
    "forced": dn.forced(1 / 6, 1 / 6, dn.yes_no("a")),
    "joint": dn.unrelated(0.7, dn.yes_no("a"), dn.yes_no("b"), joint=[0.1, 0.2, 0.3, 0.4]),
}


@pytest.mark.parametrize("sides", [2, 6])
@pytest.mark.parametrize("scheme", OWN)
def test_own_coins_and_dice_keep_the_chances_exactly(scheme, sides, figure):
    thresholds = OWN[scheme].thresholds
    told = node("throws.mjs", given={"thresholds": thresholds, "sides": sides, "deepest": 40})
    rest = int(told["rest"])  # chances are whole numbers out of 2^32 * sides^40
    before = 0
    for threshold, chance in zip(thresholds, map(int, told["chances"]), strict=True):
        wanted = (threshold - before) * sides**40
        assert wanted - rest <= chance <= wanted
        before = threshold
    assert rest == 0 if sides == 2 else rest < 2**32 * sides**40 * 1e-20
    figure(f"throws of a {'coin' if sides == 2 else 'die'} on average, {scheme}", f"{told['throws']:.2f}")
