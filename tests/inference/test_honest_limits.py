"""Where replies say little, the output says so instead of failing or pretending."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn

RNG = np.random.default_rng(21)
INCOME = np.minimum(RNG.exponential(8, 5000), 100)


AGE = dn.number("age", 18, 80)
UNDER_NOISE = dn.Design([dn.gaussian(AGE, privacy=0.5), dn.clear(dn.yes_no("s"))], target="s")
REPLIES = pd.DataFrame({"age": np.linspace(20, 70, 200), "s": ["no", "yes"] * 100})


def replies_to(*channels, **columns):
    design = dn.Design(channels)
    return design, dn.disguise(design, pd.DataFrame(columns), seed=1)


def test_means_and_quantiles_of_intervals_allow_for_both_ends():
    design, replies = replies_to(dn.interval(dn.number("income", 0, 100), width=50), income=INCOME)
    for found, truth in ((dn.mean(design, replies, "income"), INCOME.mean()),
                         (dn.quantile(design, replies, "income", 0.5), np.median(INCOME))):  # fmt: skip
        assert found.low <= truth <= found.high
        assert "evenly" in found.note


def test_few_cells_do_not_blunt_a_number_under_noise():
    design, replies = replies_to(dn.gaussian(dn.number("income", 0, 100, cells=4), sd=4), income=INCOME)
    found = dn.quantile(design, replies, "income", 0.9)
    assert abs(found.value - np.quantile(INCOME, 0.9)) < 4


@pytest.mark.parametrize(("shares", "q", "truth"), [([0.3, 0.4, 0.2, 0.1], 0.2, 0), ([0.4, 0.3, 0.2, 0.1], 0.5, 1)])
def test_quantiles_of_whole_numbers_are_whole_numbers(shares, q, truth):
    numbers = np.random.default_rng(0).choice(4, 3000, p=shares)
    design, replies = replies_to(dn.gaussian(dn.number("x", 0, 3, integer=True), privacy=0.5), x=numbers)
    found = dn.quantile(design, replies, "x", q)
    assert (found.value, found.low, found.high) == (truth, truth, truth)
    assert found.stderr > 0
    assert "smoothed away" in found.note


@pytest.mark.parametrize("given", [None, "s == 'yes'"])
@pytest.mark.parametrize("scheme", [dn.gaussian, dn.uniform])
def test_means_keep_their_digits_far_from_zero(given, scheme):
    numbers = np.random.default_rng(1).uniform(0, 1, 4000)
    answers = np.where(numbers > 0.5, "yes", "no")
    found = []
    for offset in (0, 1e9):
        x, s = dn.number("x", offset, offset + 1), dn.warner(0.9, dn.yes_no("s"))
        design, replies = replies_to(scheme(x, privacy=0.5), s, x=offset + numbers, s=answers)
        found.append(dn.mean(design, replies, "x", given=given))
    near, far = found
    assert (far.value - 1e9, far.stderr) == pytest.approx((near.value, near.stderr), abs=1e-3)
    assert (far.low - 1e9, far.high - 1e9) == pytest.approx((near.low, near.high), abs=1e-3)


@pytest.mark.parametrize("width", [1e-6, 1e-10])
def test_figures_of_narrow_ranges_are_told_with_digits_enough(width):
    numbers = np.linspace(0, width, 500)
    design, replies = replies_to(dn.gaussian(dn.number("x", 0, width), privacy=0.5), x=numbers)
    found = dn.mean(design, replies, "x")
    assert 0 < found.stderr < width / 20
    assert found.low <= numbers.mean() <= found.high
    assert float(str(found).split()[0]) == pytest.approx(found.value, rel=0.01)


@pytest.mark.parametrize("percent", ["row", "column"])
def test_a_row_with_nobody_in_it_does_not_spoil_the_table(percent):
    regions = [f"region {index}" for index in range(8)]
    region = RNG.choice(regions[:6], 2000)
    smokes = RNG.choice(["no", "yes"], 2000)
    channels = dn.k_ary(0.5, dn.Question("region", regions)), dn.clear(dn.yes_no("s"))
    design, replies = replies_to(*channels, region=region, s=smokes)
    table = dn.table(design, replies, ["region", "s"], percent=percent)
    assert len(table) == 16
    assert not table.isna().any().any()


def test_a_handful_of_replies_is_too_few():
    design, replies = replies_to(dn.gaussian(dn.number("age", 18, 80), privacy=0.5), dn.clear(dn.yes_no("s")),
                                 age=[40.0], s=["yes"])  # fmt: skip
    assert dn.estimate(design, replies, "age > 50").too_few
    assert dn.mean(design, replies, "age").too_few
    assert dn.estimate(design, replies, "s == 'yes'").too_few


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: dn.clear("s"), "a question of a channel must be made by dn.Question"),
        (lambda: dn.warner(0.8, "s"), "a question of a channel must be made by dn.Question"),
        (lambda: dn.draw(dn.epsilon(1), "s"), "a question of a channel must be made by dn.Question"),
        (lambda: dn.gaussian("age", privacy=0.5), "a question of a channel must be made by dn.Question"),
        (lambda: dn.disguise(dn.Design(dn.warner(0.8, dn.yes_no("s"))), pd.DataFrame({0: ["yes"]})), "no column for"),
        (lambda: dn.Question("a`b", ["no", "yes"]), "backtick"),
        (lambda: dn.k_ary(0.8, dn.number("x", 0, 1, cells=1)), "one cell only"),
        (lambda: dn.gaussian([AGE, AGE], privacy=0.5), "got 'list'"),
        (lambda: dn.number("x", 0, 1, cuts=[float("nan")]), "needs fewer than 1024 cuts, all numbers"),
        (lambda: dn.number("x", 0, 1, omit="yes"), "omit as True or False, got 'yes'"),
        (lambda: dn.number("x", 1e15, 1e15 + 1), "too narrow for numbers as large as 1e"),
        (lambda: dn.quantile(UNDER_NOISE, REPLIES, "age", "a"), "q must be a share between 0 and 1, got 'a'"),
        (lambda: dn.quantile(UNDER_NOISE, REPLIES, "age", None), "q must be a share"),
        (lambda: dn.reconstruct(None, REPLIES, "age"), "design must be a Design, got 'NoneType'"),
        (lambda: dn.reconstruct(UNDER_NOISE, REPLIES, None), "no question None here"),
        (lambda: dn.estimate(None, REPLIES, "age > 50"), "design must be a Design"),
        (lambda: dn.table("age", REPLIES, ["age"]), "design must be a Design, got 'str'"),
        (lambda: dn.association(None, REPLIES, "age", "s"), "design must be a Design"),
        (lambda: dn.mean(None, REPLIES, "age"), "design must be a Design"),
        (lambda: dn.quantile(None, REPLIES, "age", 0.5), "design must be a Design"),
        (lambda: dn.itemsets(None, REPLIES), "design must be a Design"),
        (lambda: dn.rules(None, REPLIES), "design must be a Design"),
        (lambda: dn.privacy(None), "design must be a Design"),
        (lambda: dn.plan(None, margin=0.02), "design must be a Design"),
        (lambda: dn.disguise(None, REPLIES), "design must be a Design"),
        (lambda: dn.TreeClassifier("s").fit(REPLIES[["age"]], REPLIES["s"]), "design must be a Design"),
        (lambda: dn.score(dn.NaiveBayes(), None, REPLIES), "design must be a Design"),
        (lambda: dn.confusion(dn.NaiveBayes(), None, REPLIES), "design must be a Design"),
        (lambda: dn.cross_val_score(dn.NaiveBayes(), None, REPLIES), "design must be a Design"),
        (lambda: dn.cross_val_score(dn.NaiveBayes(UNDER_NOISE), UNDER_NOISE, REPLIES, cv="a"), "cv must be a whole"),
        (lambda: dn.TreeClassifier(max_depth=-1).fit([[0], [1]], [0, 1]), "max_depth must be a whole number from 1 on"),
        (lambda: dn.TreeClassifier(max_leaves=2.5).fit([[0], [1]], [0, 1]), "max_leaves must be a whole number"),
        (lambda: dn.TreeClassifier(prune=3).fit([[0], [1]], [0, 1]), "got 'int'"),
        (lambda: dn.NaiveBayes(cells=2.5).fit([[0], [1]], [0, 1]), "cells must be a whole number from 2 on"),
    ],
)
def test_wrong_kinds_of_arguments_are_refused_by_name(make, complaint):
    with pytest.raises(dn.DeniableError, match=complaint):
        make()


def test_nobody_is_told_to_deny_what_cannot_be_denied():
    strong = dn.privacy(dn.Design([dn.warner(0.8, dn.yes_no("s"))])).questions[0]
    weak = dn.privacy(dn.Design([dn.warner(0.9999, dn.yes_no("s"))])).questions[0]
    left_out = dn.privacy(dn.Design([dn.k_ary(0.7, dn.number("x", 0, 100, cells=4, omit=True))])).questions[0]
    shared = dn.privacy(dn.Design([dn.warner(0.8, dn.yes_no("s"), dn.yes_no("t"))])).questions[0]
    assert "so you can deny it" in strong.sentence
    assert "hardly protects" in weak.sentence
    assert left_out.epsilon == np.inf
    assert "left it out would be seen" in left_out.sentence
    assert "drawn together with t it cannot" in shared.sentence


def test_a_table_of_coarse_cells_under_noise_agrees_with_the_truth_and_with_expressions():
    rng = np.random.default_rng(3)
    income = np.clip(rng.gamma(4, 650, 20_000), 0, 10_000)
    design = dn.Design([dn.uniform(dn.number("income", 0, 10_000, cuts=[1000, 3000]), privacy=0.3)])
    replies = dn.disguise(design, pd.DataFrame({"income": income}), seed=1)
    rows = dn.table(design, replies, ["income"])
    top = rows.iloc[-1]
    asked = dn.estimate(design, replies, "income >= 3000")
    assert abs(top["share"] - (income >= 3000).mean()) < 4 * top["stderr"]
    assert abs(top["share"] - asked.value) < 0.02
    assert rows["share"].sum() == pytest.approx(1)
