"""Do plans come true? Surveys of the planned size hold the promised margin, and find the promised difference.

Every survey is a draw of reported counts from the exact matrix, all surveys of a case at once. A share of .95 among
4,000 surveys lies between .93 and .97, and a power of .8 among 10,000 within .02, but for one case in a million.
"""

from functools import reduce

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import deniable as dn
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import disguised, weights_of
from deniable.inference.invert.versions import VersionStack
from deniable.inference.planning.spread import planned_stacks
from deniable.inference.query.query import query_of
from deniable.inference.reported_table import ReportedTable

A, B, C, S = dn.yes_no("a"), dn.yes_no("b"), dn.Question("c", ["x", "y", "z"]), dn.yes_no("s")
AGE = dn.number("age", 18, 80)
ONE_EACH = [dn.warner(0.8, A), dn.forced(0.1, 0.25, B), dn.k_ary(0.7, C), dn.clear(S)]
ARMS = dn.versions({"warner": [dn.warner(0.7, A)], "forced": [dn.forced(0.1, 0.3, A)], "other": [dn.warner(0.9, B)]},
                   shares=[0.3, 0.5, 0.2])  # fmt: skip
DRAWN = dn.draw(dn.epsilon(2), A, B, C, always=["a"], ask=1)
CHOSEN = dn.versions({"little": [dn.warner(0.9, A)], "much": [dn.warner(0.7, A)]}, shares=[0.4, 0.6], chosen=True)
SHARES = {"a": 0.2, "b": 0.35, "c": [0.2, 0.5, 0.3], "s": 0.4}
MARGINS = {name: np.array([1 - p, p] if isinstance(p, float) else p) for name, p in SHARES.items()}
CASES = {  # blocks, expression, condition
    "warner": ([dn.warner(0.8, A)], "a == 'yes'", None),
    "forced": ([dn.forced(0.1, 0.25, B)], "b == 'yes'", None),
    "of many": ([dn.k_ary(0.7, C)], "c == 'x'", None),
    "one draw for a group": ([dn.warner(0.75, A, B)], "a == 'yes' and b == 'no'", None),
    "an expression": (ONE_EACH, "a == 'yes' and c in ('x', 'z')", None),
    "either": (ONE_EACH, "a == 'yes' or b == 'yes'", None),
    "given in the clear": (ONE_EACH, "a == 'yes'", "s == 'yes'"),
    "given a disguised answer": (ONE_EACH, "a == 'yes'", "c != 'y'"),
    "arms": ([ARMS], "a == 'yes'", None),
    "of those not always asked": ([DRAWN], "c == 'x'", None),
    "versions, a pair": ([DRAWN], "a == 'yes' and b == 'yes'", None),
    "versions, given": ([DRAWN], "a == 'yes'", "b == 'yes'"),
    "versions and another block": ([DRAWN, dn.clear(S)], "b == 'yes' and s == 'yes'", None),
    "chosen": ([CHOSEN], "a == 'yes'", None),
}  # fmt: skip
SURVEYS, TESTS = 4000, 10_000


def simulated(blocks, text, given, n, surveys, seed=1, moved=0.0):
    """Estimates of many surveys, and the true share, whose people are moved between both sides of the expression."""
    design, rng = dn.Design(blocks), np.random.default_rng(seed)
    query = query_of(design, text, *([] if given is None else [given]))
    truth = reduce(np.multiply.outer, [MARGINS[question.name] for question in query.questions], np.ones(()))
    base = np.ones(truth.shape, dtype=bool) if given is None else query.masks[1]
    yes, no = query.masks[0] & base, ~query.masks[0] & base
    people, share = truth[base].sum(), truth[yes].sum() / truth[base].sum()
    truth = truth + moved * people * (truth * yes / truth[yes].sum() - truth * no / truth[no].sum())
    stacks, asked = planned_stacks(design, query.questions)
    weights = weights_of(np.stack([yes, base], axis=-1).astype(float), stacks).reshape(-1, 2)
    expected = disguised(truth, stacks)
    totals = 0
    for part in Reported(expected, stacks).strata:  # sizes of versions that are drawn are given
        size = round(n * asked * part.sum())
        totals = totals + rng.multinomial(size, part.ravel() / part.sum(), surveys) @ weights
    return totals[:, 0] / totals[:, 1], share


@pytest.mark.parametrize(("blocks", "text", "given"), CASES.values(), ids=CASES)
def test_surveys_of_the_planned_size_hold_the_margin(blocks, text, given, figure):
    found = dn.plan(dn.Design(blocks), 0.03, expression=text, given=given, share=known(blocks))
    estimates, share = simulated(blocks, text, given, found.n, SURVEYS)
    held = float(np.mean(np.abs(estimates - share) <= found.margin))
    figure(f"plans that hold their margin, {text}{f' given {given}' if given else ''}", f"{held:.4f}")
    assert 0.93 <= held <= 0.97


@pytest.mark.parametrize(("blocks", "text", "given"), CASES.values(), ids=CASES)
def test_surveys_of_the_planned_size_find_the_difference(blocks, text, given, figure):
    """The stated share is rejected where the estimate is off by more than the margin that holds if it were true."""
    design = dn.Design(blocks)
    found = dn.plan(design, expression=text, given=given, share=known(blocks), difference=0.06, power=0.8)
    estimates, stated = simulated(blocks, text, given, found.n, TESTS, moved=0.06)
    rejected = float(np.mean(np.abs(estimates - stated) > found.margin))
    figure(f"plans that find their difference, {text}{f' given {given}' if given else ''}", f"{rejected:.4f}")
    assert rejected == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(("blocks", "text", "given"), CASES.values(), ids=CASES)
def test_where_nothing_is_true_it_is_rejected_once_in_twenty(blocks, text, given):
    found = dn.plan(dn.Design(blocks), expression=text, given=given, share=known(blocks), difference=0.06, power=0.8)
    estimates, stated = simulated(blocks, text, given, found.n, TESTS, seed=2)
    assert np.mean(np.abs(estimates - stated) > found.margin) == pytest.approx(0.05, abs=0.02)


def known(blocks):
    return {name: share for name, share in SHARES.items() if name in dn.Design(blocks).names}


@pytest.mark.parametrize("channel", [dn.warner(0.8, A), dn.forced(1 / 6, 1 / 6, A), dn.forced(0.05, 0.3, A)], ids=str)
def test_intervals_that_leave_the_stated_share_out_have_the_planned_power(channel, figure):
    """Summed up exactly over all reports: the test that people make by looking at an interval."""
    design = dn.Design([channel])
    found = dn.plan(design, share={"a": 0.25}, difference=0.07, power=0.8)
    stacks, _ = planned_stacks(design, [A])
    yes = np.array([False, True])
    says_yes, power = float(stacks[0].matrix[1] @ [0.68, 0.32]), 0.0
    for said in range(found.n + 1):
        table = ReportedTable([A], Reported(np.array([found.n - said, said], dtype=float), stacks))
        estimate = table.share(yes)
        power += binom.pmf(said, found.n, says_yes) * (not estimate.low <= 0.25 <= estimate.high)
    figure(f"power by intervals, {channel}", f"{power:.4f}")
    assert power == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("cells", [["a", "c"], ["b", "c"]])
def test_every_cell_of_a_table_holds_the_margin(cells):
    """Planned for the worst truth, so no cell is off more often than promised."""
    design = dn.Design(ONE_EACH)
    found = dn.plan(design, 0.04, table=cells)
    for row in found.questions:
        estimates, share = simulated(ONE_EACH, row.question, None, found.n, SURVEYS)
        assert np.mean(np.abs(estimates - share) <= found.margin) >= 0.93


NOISES = {"gaussian": dn.gaussian(AGE, privacy=0.5), "uniform": dn.uniform(AGE, privacy=1), "clear": dn.clear(AGE)}


@pytest.mark.parametrize("channel", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("sd", [10.0, None])
def test_means_under_noise_hold_the_margin(channel, sd):
    """Ages at two points so far apart as sd says; at the ends of the range if it says nothing."""
    found = dn.plan(dn.Design([channel]), 1.5, mean="age", sd=sd)
    rng, steps = np.random.default_rng(4), AGE.range.step
    noise = channel.noise
    apart = (31.0 if sd is None else sd) * (2 * rng.binomial(found.n, 0.5, SURVEYS) - found.n)
    if noise is not None:
        drawn = rng.multinomial(found.n, noise.chances, SURVEYS) @ np.arange(noise.first, noise.last + 1)
        apart = apart + drawn * steps
    assert 0.93 <= np.mean(np.abs(apart / found.n) <= found.margin) <= 0.97


def test_a_mean_over_versions_holds_the_margin():
    """A number with little noise for some and much for others, put together by precision."""
    block = dn.versions({"little": [dn.gaussian(AGE, privacy=0.25)], "much": [dn.gaussian(AGE, privacy=1)]},
                        shares=[0.4, 0.6])  # fmt: skip
    design, rng, people = dn.Design([block]), np.random.default_rng(5), 1500
    found = dn.plan(design, replies=people, mean="age", sd=10)
    frame = pd.DataFrame({"age": np.where(rng.random(people) < 0.5, 39.0, 59.0)})
    estimates = [dn.mean(design, dn.disguise(design, frame, seed=seed), "age") for seed in range(60)]
    assert np.median([each.stderr for each in estimates]) == pytest.approx(found.margin / 1.959964, rel=0.03)


def test_versions_are_stacked_as_estimates_stack_them():
    stacks, asked = planned_stacks(dn.Design([ARMS]), [A])
    assert isinstance(stacks[0], VersionStack)
    assert asked == pytest.approx(0.8)
    assert stacks[0].shares.tolist() == pytest.approx([0.375, 0.625, 0.0])
