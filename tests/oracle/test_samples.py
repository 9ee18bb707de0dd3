"""Samples that are not simple: textbook formulas on the signed weights, published figures, and what is refused."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deniable as dn

STUDIES = os.environ.get("DENIABLE_STUDIES")
needs_rows = pytest.mark.skipif(STUDIES is None, reason="DENIABLE_STUDIES names no folder of studies' rows")
SAMPLED = dn.yes_no("z")


@pytest.fixture(scope="module")
def replies() -> pd.DataFrame:
    """Replies of people in four strata and forty clusters, with unequal weights."""
    rng = np.random.default_rng(4)
    n = 1200
    smokes, sex = rng.choice(["no", "yes"], n, p=[0.7, 0.3]), rng.choice(["f", "m"], n)
    people = pd.DataFrame({"smokes": smokes, "sex": sex, "age": rng.normal(50, 9, n)})
    found = dn.disguise(design(), people.assign(age=people.age.clip(18, 80)), seed=5)
    cluster = rng.integers(0, 40, n)
    return found.assign(weight=rng.uniform(1, 3, n), cluster=cluster, stratum=np.array(list("abcd"))[cluster % 4])


def design() -> dn.Design:
    """A disguised question, and two in the clear."""
    sex = dn.Question("sex", ["f", "m"])
    return dn.Design([dn.warner(0.8, dn.yes_no("smokes")), dn.clear(sex), dn.clear(dn.number("age", 18, 80))])


def readings(replies: pd.DataFrame) -> np.ndarray:
    """Warner's signed weights, by hand."""
    return (np.where(replies.smokes == "yes", 1.0, 0.0) - 0.2) / 0.6


def test_a_weighted_share_is_hajeks(replies):
    found = dn.estimate(design(), replies, "smokes == 'yes'", weights="weight")
    w, d = readings(replies), replies.weight
    share = np.average(w, weights=d)
    z = d * (w - share) / d.sum()
    assert found.value == pytest.approx(share)
    assert found.stderr == pytest.approx(np.sqrt(len(w) / (len(w) - 1) * (z**2).sum()))
    assert found.low < share < found.high
    assert "design effect" in found.note


def test_the_scale_of_weights_is_arbitrary(replies):
    plain, scaled = (
        dn.estimate(design(), replies.assign(weight=replies.weight * factor), "smokes == 'yes'", weights="weight")
        for factor in (1, 1000)
    )
    assert (plain.value, plain.stderr, plain.low) == pytest.approx((scaled.value, scaled.stderr, scaled.low))


def test_equal_weights_are_an_even_sample(replies):
    even, weighted = (
        dn.estimate(design(), replies.assign(one=1.0), "smokes == 'yes' and sex == 'f'", **how)
        for how in ({}, {"weights": "one"})
    )
    assert weighted.value == pytest.approx(even.value)
    assert weighted.stderr == pytest.approx(even.stderr * np.sqrt(1200 / 1199))
    assert (weighted.low, weighted.high) == pytest.approx((even.low, even.high), abs=2e-4)


def test_clusters_within_strata(replies):
    found = dn.estimate(design(), replies, "smokes == 'yes'", weights="weight", strata="stratum", clusters="cluster")
    w, d = readings(replies), replies.weight
    z = d * (w - np.average(w, weights=d)) / d.sum()
    sums = z.groupby([replies.stratum, replies.cluster]).sum()
    variance = sum(len(each) * each.var(ddof=0) * len(each) / (len(each) - 1) for _, each in sums.groupby("stratum"))
    assert found.stderr == pytest.approx(np.sqrt(variance))


def test_a_share_among_others_is_a_ratio(replies):
    found = dn.estimate(design(), replies, "smokes == 'yes'", "sex == 'f'", weights="weight", clusters="cluster")
    w, d, base = readings(replies), replies.weight, (replies.sex == "f").to_numpy(float)
    ratio = (d * w * base).sum() / (d * base).sum()
    sums = (d * base * (w - ratio) / (d * base).sum()).groupby(replies.cluster).sum()
    assert found.value == pytest.approx(ratio)
    assert found.stderr == pytest.approx(np.sqrt(len(sums) / (len(sums) - 1) * ((sums - sums.mean()) ** 2).sum()))


def test_a_finite_population_shrinks_the_sampling_but_not_the_lottery(replies):
    """Everybody replied: what remains is the variance of the lottery, theta (1 - theta) / (2 theta - 1)^2 each."""
    found = dn.estimate(design(), replies, "smokes == 'yes'", population=len(replies))
    assert found.stderr == pytest.approx(np.sqrt(0.16 / 0.36 / len(replies)), rel=1e-6)
    clear = dn.estimate(design(), replies, "sex == 'f'", population=len(replies))
    assert clear.stderr == pytest.approx(0, abs=1e-9)
    assert clear.low == pytest.approx(clear.value, abs=1e-3)


def test_sizes_of_strata_are_weights(replies):
    sizes = replies.stratum.map({"a": 5000, "b": 2000, "c": 1000, "d": 400}).astype(float)
    found = dn.estimate(design(), replies.assign(size=sizes), "sex == 'f'", strata="stratum", population="size")
    shares = replies.sex.eq("f").groupby(replies.stratum).agg(["mean", "size"])
    people = np.array([5000, 2000, 1000, 400]) / 8400
    variance = people**2 * shares["mean"] * (1 - shares["mean"]) / (shares["size"] - 1)
    left = 1 - shares["size"] / np.array([5000, 2000, 1000, 400])
    assert found.value == pytest.approx((people * shares["mean"]).sum())
    assert found.stderr == pytest.approx(np.sqrt((variance * left).sum()))


def test_weighted_means_and_quantiles_of_numbers_in_the_clear(replies):
    found = dn.mean(design(), replies, "age", weights="weight")
    d, x = replies.weight, replies.age
    mean = np.average(x, weights=d)
    assert found.value == pytest.approx(mean)
    variance = len(x) / (len(x) - 1) * ((d * (x - mean) / d.sum()) ** 2).sum()
    assert found.stderr == pytest.approx(np.sqrt(variance))
    median = dn.quantile(design(), replies, "age", 0.5, weights="weight")
    assert d[x <= median.value].sum() / d.sum() == pytest.approx(0.5, abs=2e-3)
    plain = dn.quantile(design(), replies, "age", 0.3)
    assert plain.value == pytest.approx(np.quantile(x, 0.3))


def test_tables_and_rules_of_weighted_people_agree(replies):
    how = {"weights": "weight", "strata": "stratum"}
    cells = dn.table(design(), replies, ["smokes", "sex"], **how).set_index(["smokes", "sex"])
    sets = dn.itemsets(design(), replies, min_support=0.01, max_length=2, items=["smokes", "sex"], **how)
    for row in sets.itertuples():
        answers = dict(item.split("=") for item in row.itemsets)
        if len(answers) == 2:
            assert row.support == pytest.approx(cells.share[answers["smokes"], answers["sex"]], abs=1e-4)
            assert "design effect" in row.note


def test_totals_count_the_population(replies):
    found = dn.total(design(), replies, "smokes == 'yes'", weights="weight")
    assert found.value == pytest.approx((replies.weight * readings(replies)).sum())
    assert found.limits == (0.0, pytest.approx(replies.weight.sum()))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_signed_weights_come_as_a_column_in_the_order_of_replies(replies, kind):
    frame = {"pandas": replies, "polars": pl.from_pandas(replies), "pyarrow": pa.Table.from_pandas(replies)}[kind]
    found = dn.weights(design(), frame, "smokes == 'yes'")
    assert type(found).__module__.split(".")[0] == kind
    assert np.asarray(found, dtype=float) == pytest.approx(readings(replies))


def test_signed_weights_of_versions_average_to_the_estimate():
    questions = [dn.yes_no("leave"), dn.yes_no("smokes"), dn.yes_no("drinks")]
    versions = dn.Design([dn.draw(dn.epsilon(2), *questions, always=["leave"], ask=1)])
    people = pd.DataFrame({name: ["yes", "no", "no"] * 300 for name in ("leave", "smokes", "drinks")})
    answered = dn.disguise(versions, people, seed=1)
    for expression in ("leave == 'yes'", "smokes == 'yes'", "leave == 'yes' and drinks == 'yes'"):
        found = dn.weights(versions, answered, expression)
        assert found.mean() == pytest.approx(dn.estimate(versions, answered, expression).value)


def test_weighted_versions_are_one_weighted_survey():
    arms = dn.Design([
        dn.versions({"1": [dn.forced(0.1, 0.2, SAMPLED)], "2": [dn.clear(SAMPLED)]}, shares=[0.5, 0.5], column="arm")
    ])  # fmt: skip
    people = pd.DataFrame({"z": ["yes", "no", "no", "no"] * 400})
    answered = dn.disguise(arms, people, seed=2).assign(one=1.0, weight=np.tile([1.0, 2.0], 800))
    even, same = (dn.estimate(arms, answered, "z == 'yes'", **how) for how in ({}, {"weights": "one"}))
    assert same.value == pytest.approx(even.value)
    assert same.stderr == pytest.approx(even.stderr, rel=1e-3)
    weighted = dn.estimate(arms, answered, "z == 'yes'", weights="weight")
    assert weighted.value == pytest.approx(1 / 6, abs=4 * weighted.stderr)  # every yes has a weight of one


def test_raking_gives_known_margins(replies):
    margins = {"sex": {"f": 0.3, "m": 0.7}, "stratum": {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}}
    found = dn.rake(design(), replies, margins, weights="weight")
    assert found.mean() == pytest.approx(1)
    for name, shares in margins.items():
        assert (found.groupby(replies[name]).sum() / found.sum()).to_dict() == pytest.approx(shares)
    assert dn.estimate(design(), replies.assign(w=found), "sex == 'f'", weights="w").value == pytest.approx(0.3)


def test_a_difference_of_shares_in_the_clear_is_the_textbooks(replies):
    clear = dn.Design([dn.clear(SAMPLED), dn.clear(dn.Question("sex", ["f", "m"]))])
    data = pd.DataFrame({"z": replies.smokes, "sex": replies.sex})
    found = dn.difference(clear, data, "z == 'yes'", ("sex == 'f'", "sex == 'm'"))
    p = data.z.eq("yes").groupby(data.sex).agg(["mean", "size"])
    variance = p["mean"] * (1 - p["mean"]) / p["size"]
    assert found.value == pytest.approx(p["mean"]["f"] - p["mean"]["m"])
    assert found.stderr == pytest.approx(np.sqrt(variance.sum()))
    assert found.z == pytest.approx(found.value / found.stderr)
    assert found.low < found.value < found.high


def test_a_difference_says_its_own_design_effect_once(replies):
    """Not those of its two shares; for weights that have nothing to do with the answers it is Kish's."""
    clear = dn.Design([dn.clear(SAMPLED), dn.clear(dn.Question("sex", ["f", "m"]))])
    rows = len(replies) // 2 * 2
    data = pd.DataFrame({"z": replies.smokes, "sex": replies.sex}).iloc[:rows].assign(w=[1.0, 3.0] * (rows // 2))
    found = dn.difference(clear, data, "z == 'yes'", ("sex == 'f'", "sex == 'm'"), weights="w")
    assert found.note.count("design effect") == 1
    effect = float(found.note.split("design effect ")[1].split(":")[0])
    assert effect == pytest.approx(1.25, abs=0.1)
    assert found.design_effect.effect == pytest.approx(effect, abs=0.005)
    assert found.first.design_effect.n == found.design_effect.n == rows


def test_arms_are_compared_by_name():
    arms = dn.Design([dn.versions({"forced": [dn.forced(0.1, 0.2, SAMPLED)], "direct": [dn.clear(SAMPLED)]})])
    rows = [("forced", "yes", 60), ("forced", "no", 140), ("direct", "yes", 20), ("direct", "no", 180)]
    answered = pd.DataFrame([(arm, z) for arm, z, count in rows for _ in range(count)], columns=["version", "z"])
    found = dn.difference(arms, answered, "z == 'yes'", ("forced", "direct"))
    assert found.value == pytest.approx((0.3 - 0.2) / 0.7 - 0.1)
    assert found.stderr == pytest.approx(np.sqrt(0.3 * 0.7 / 200 / 0.7**2 + 0.1 * 0.9 / 200))
    weighted = dn.difference(arms, answered.assign(w=2.0), "z == 'yes'", ("forced", "direct"), weights="w")
    assert "forced: design effect" in weighted.note
    assert "direct: design effect" in weighted.note


def test_correlations_in_the_clear_are_pearsons(replies):
    clear = dn.Design([dn.clear(SAMPLED), dn.clear(dn.number("age", 18, 80))])
    data = pd.DataFrame({"z": replies.smokes, "age": replies.age})
    found = dn.correlation(clear, data, "z", "age")
    assert found.value == pytest.approx(np.corrcoef(data.z == "yes", data.age)[0, 1])
    assert found.stderr == pytest.approx(1 / np.sqrt(len(data)), rel=0.1)


def test_correlations_see_through_noise_and_lotteries():
    rng = np.random.default_rng(8)
    n = 40_000
    age = rng.normal(50, 8, n).clip(18, 80)
    rates = np.where(age > 50, 0.6, 0.2)
    people = pd.DataFrame(
        {"z": np.where(rng.random(n) < rates, "yes", "no"), "age": age, "kids": rng.poisson(2, n).clip(0, 5)}
    )
    noisy = dn.Design([
        dn.warner(0.8, SAMPLED), dn.gaussian(dn.number("age", 18, 80), privacy=0.5),
        dn.k_ary(0.7, dn.Question("kids", list("012345"), values=[0, 1, 2, 3, 4, 5])),
    ])  # fmt: skip
    answered = dn.disguise(noisy, people.astype({"kids": str}), seed=9)
    for one, other in (("z", "age"), ("kids", "age"), ("z", "kids")):
        truth = np.corrcoef(*[people[name].eq("yes") if name == "z" else people[name] for name in (one, other)])[0, 1]
        found = dn.correlation(noisy, answered, one, other)
        assert abs(found.value - truth) < 4 * found.stderr
        assert found.low < found.high
        assert 0.004 < found.stderr < 0.05


@needs_rows
def test_published_figures_of_complex_samples():
    unrelated = dn.Design([dn.unrelated(0.6, SAMPLED)])
    found = dn.estimate(unrelated, _rows("horvitz_strata_clusters"), "z == 'yes'", weights="w", population=1500)
    assert (found.value, found.stderr) == pytest.approx((0.39394, 0.041087), rel=1e-4)
    found = dn.total(dn.Design([dn.warner(0.7, SAMPLED)]), _rows("warner_weights"), "z == 'yes'", weights="w")
    assert (found.value, found.stderr) == pytest.approx((360.9, 88.788), rel=1e-4)
    found = dn.total(dn.Design([dn.forced(0.2, 0.2, SAMPLED)]), _rows("forced_strata"), "z == 'yes'", weights="w")
    assert (found.value, found.stderr) == pytest.approx((2599.8, 968.71), rel=1e-4)
    mangat = dn.Design([dn.warner(0.55 + 0.45 * 0.7, SAMPLED)])
    found = dn.estimate(mangat, _rows("mangat_singh"), "z == 'yes'", weights="w", population=802)
    assert (found.value, found.stderr) == pytest.approx((0.50046, 0.040622), rel=1e-4)


def _rows(study: str) -> pd.DataFrame:
    rows = pd.read_csv(Path(str(STUDIES)) / f"{study}.csv")
    return rows.assign(z=rows.z.map({0: "no", 1: "yes"}), w=1 / rows.Pi)


def test_finite_populations_of_a_published_study():
    """Horvitz's six questions: published shares, with errors that a population of 10,777 shrinks."""
    published = [(0.84061, 0.03728, 1 / 12, 328), (0.12207, 0.03657, 20 / 30, 280)]
    for share, stderr, chance, yes in published:
        unrelated = dn.Design([dn.unrelated(0.5, SAMPLED, chances={"z": [1 - chance, chance]})])
        answered = pd.DataFrame({"z": ["yes"] * yes + ["no"] * (710 - yes)})
        found = dn.estimate(unrelated, answered, "z == 'yes'", population=10_777)
        assert (found.value, found.stderr) == pytest.approx((share, stderr), rel=1e-3)


def asked_of_some():
    """4,000 weighted people, of whom half are asked each of two questions, or a fifth lack an answer to one."""
    rng = np.random.default_rng(8)
    people = pd.DataFrame(
        {name: np.where(rng.random(4_000) < 0.3, "yes", "no") for name in ("leave", "smokes", "drinks")}
    )
    questions, weight = [dn.yes_no(name) for name in people], rng.choice([1.0, 2.0, 5.0], 4_000)
    versions = dn.Design([dn.draw(dn.epsilon(4), *questions, always=["leave"], ask=1)])
    alone = dn.Design([dn.warner(0.8, each) for each in questions])
    lacking = dn.disguise(alone, people, seed=8)
    lacking.loc[rng.random(4_000) < 0.2, "smokes"] = None
    pairs = [(versions, dn.disguise(versions, people, seed=8)), (alone, lacking)]
    return weight @ (people.smokes == "yes"), [(design, replies.assign(w=weight)) for design, replies in pairs]


def test_who_was_not_asked_is_stood_for_by_those_who_were():
    """Totals are those of all people, and a population is held against everybody's weights."""
    truth, cases = asked_of_some()
    for design, replies in cases:
        people = replies.w.sum()
        total = dn.total(design, replies, "smokes == 'yes'", weights="w")
        assert abs(total.value - truth) < 3 * total.stderr
        share = dn.estimate(design, replies, "smokes == 'yes'", weights="w", population=people)
        assert total.value == pytest.approx(share.value * people)
        assert total.stderr == pytest.approx(share.stderr * people, rel=0.02)
        with pytest.raises(dn.DeniableError, match="about the population of 50,000, got"):
            dn.estimate(design, replies, "smokes == 'yes'", weights="w", population=50_000)


@pytest.mark.parametrize("heavy", [9.0, 2000.3])
def test_weighted_itemsets_are_exact_however_replies_are_grouped(heavy):
    """In the clear: the weights of those who have the items over all weights; in whatever order replies come."""
    rng = np.random.default_rng(3)
    replies = pd.DataFrame({name: rng.choice(["yes", "no"], 3_000) for name in "ab"})
    replies["w"] = np.where(rng.random(3_000) < 0.002, heavy, rng.choice([1.07, 1.25, 2.3], 3_000))
    clear = dn.Design([dn.clear(dn.yes_no(name)) for name in "ab"])
    found = dn.itemsets(clear, replies, min_support=0.01, weights="w")
    assert len(found) == 8
    for items, support in zip(found["itemsets"], found["support"], strict=True):
        has = np.logical_and.reduce([replies[name] == answer for name, answer in (item.split("=") for item in items)])
        assert support == pytest.approx(replies.w[has].sum() / replies.w.sum(), rel=1e-9)
    other = dn.itemsets(clear, replies.sample(frac=1, random_state=1), min_support=0.01, weights="w")
    np.testing.assert_allclose(other["support"], found["support"], rtol=1e-9)


def test_intervals_of_weighted_numbers_do_not_depend_on_the_order_of_replies():
    rng = np.random.default_rng(2)
    leave = np.where(rng.random(3_000) < 0.4, "yes", "no")
    people = pd.DataFrame({"leave": leave, "age": rng.integers(18, 80, 3_000)})
    age = dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5)
    noisy = dn.Design([dn.warner(0.8, dn.yes_no("leave")), age])
    replies = dn.disguise(noisy, people, seed=2).assign(w=rng.choice([1.25, 2.25, 3.25], 3_000))
    found = [
        dn.estimate(noisy, each, "age > 50", given="leave == 'yes'", weights="w")
        for each in (replies, replies.sample(frac=1, random_state=1), replies.sort_values("age"))
    ]
    for other in found[1:]:
        assert (other.low, other.high, other.stderr) == pytest.approx(
            (found[0].low, found[0].high, found[0].stderr), rel=1e-9
        )


BAD = [
    ({"weights": "wieght"}, "no column 'wieght'; did you mean 'weight'"),
    ({"weights": "negative"}, "numbers that are not negative, got '-1'"),
    ({"weights": "stratum"}, "must be numbers, got 'words'"),
    ({"weights": "smokes"}, "columns in the clear"),
    ({"strata": "alone"}, "at least two people"),
    ({"strata": "stratum", "clusters": "stratum"}, "at least two clusters"),
    ({"population": 10}, "at least the 1,200 people"),
    ({"population": -1}, "its size, or the name of a column"),
    ({"weights": "weight", "population": 1e6}, "about the population of 1,000,000"),
    ({"weights": [1, 2]}, "the name of a column"),
]


@pytest.mark.parametrize(("how", "line"), BAD)
def test_what_is_no_sample_is_refused_in_one_line(replies, how, line):
    alone = np.where(np.arange(len(replies)) == 7, "x", "y")
    data = replies.assign(negative=-1.0, alone=alone)
    with pytest.raises(dn.DeniableError) as caught:
        dn.estimate(design(), data, "smokes == 'yes'", **how)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


BAD_MARGINS = [
    ({"smokes": {"yes": 0.5, "no": 0.5}}, "asked in the clear"),
    ({"sex": {"f": 0.5, "m": 0.6}}, "add up to 1"),
    ({"sex": {"f": 0.5, "x": 0.5}}, "of its answers f, m"),
    ({"sex": {"f": 1.0, "m": 0.0}}, "a share of 0"),
]


@pytest.mark.parametrize(("margins", "line"), BAD_MARGINS)
def test_margins_that_cannot_be_reached_are_refused(replies, margins, line):
    with pytest.raises(dn.DeniableError, match=line):
        dn.rake(design(), replies, margins)
