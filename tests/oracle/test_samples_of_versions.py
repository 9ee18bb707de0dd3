"""Samples that are not simple, where respondents answer different versions or numbers are told by interval."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn

AGE = dn.number("age", 18, 80, integer=True)
SMOKES, FRIENDS = dn.yes_no("smokes"), dn.yes_no("friends")
N = 2400


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    age = rng.integers(18, 81, N)
    smokes = rng.random(N) < 0.2 + 0.004 * (age - 18)
    friends = rng.random(N) < np.where(smokes, 0.6, 0.2)
    answers = {"smokes": np.where(smokes, "yes", "no"), "friends": np.where(friends, "yes", "no"), "age": age}
    weight, cluster = np.where(age > 50, 4.0, 1.0), rng.integers(0, 60, N)
    return pd.DataFrame({**answers, "weight": weight, "cluster": cluster, "one": 1.0})


def answered(design: dn.Design, people: pd.DataFrame) -> pd.DataFrame:
    """The replies, and the columns that say how people were drawn."""
    found = dn.disguise(design, people, seed=3)
    return found.assign(**{name: people[name].to_numpy() for name in ("weight", "cluster", "one")})


def arms(**kind: bool) -> dn.Design:
    """Two versions of a number and a question."""
    two = {"1": [dn.clear(AGE), dn.clear(SMOKES)], "2": [dn.gaussian(AGE, privacy=0.3), dn.warner(0.9, SMOKES)]}
    return dn.Design([dn.versions(two, column="arm", **kind)])


@pytest.mark.parametrize("given", [None, "smokes == 'yes'"])
@pytest.mark.parametrize("chosen", [False, True])
def test_equal_weights_change_no_mean_over_versions(people, given, chosen):
    design = arms(chosen=chosen)
    replies = dn.disguise(design, people.assign(arm=np.tile(["1", "2"], N // 2)), seed=3).assign(one=1.0)
    even, weighted = (dn.mean(design, replies, "age", given, **how) for how in ({}, {"weights": "one"}))
    assert weighted.value == pytest.approx(even.value)
    assert weighted.stderr == pytest.approx(even.stderr, rel=2e-3)
    assert (weighted.low, weighted.high) == pytest.approx((even.low, even.high), abs=0.01)
    assert "design effect 1.00" in weighted.note


def test_a_weighted_mean_over_versions_in_the_clear_is_the_textbooks(people):
    """Both versions ask the number as it is, so they count alike: the weighted mean of all, versions as strata."""
    two = {"1": [dn.clear(AGE), dn.clear(SMOKES)], "2": [dn.clear(AGE), dn.warner(0.9, SMOKES)]}
    design = dn.Design([dn.versions(two, column="arm")])
    replies = answered(design, people)
    d, x = people.weight, people.age
    for how in ({"weights": "weight"}, {"weights": "weight", "clusters": "cluster"}):
        found = dn.mean(design, replies, "age", **how)
        assert found.value == pytest.approx(np.average(x, weights=d))
        within = x - people.assign(sum=d * x).groupby(replies.arm)["sum"].transform("sum") / d.groupby(
            replies.arm
        ).transform("sum")
        z = d * within / d.sum()
        sums = z if len(how) == 1 else z.groupby(people.cluster).sum()
        variance = len(sums) / (len(sums) - 1) * ((sums - sums.mean()) ** 2).sum()
        assert found.stderr == pytest.approx(np.sqrt(variance), rel=1e-4)
        assert "design effect" in found.note


def test_weighted_means_over_versions_are_those_of_the_population(people):
    design = arms()
    replies = answered(design, people)
    yes = people.smokes == "yes"
    for given, some in ((None, people), ("smokes == 'yes'", people[yes])):
        found = dn.mean(design, replies, "age", given, weights="weight")
        assert abs(found.value - np.average(some.age, weights=some.weight)) < 4 * found.stderr
        assert found.n == pytest.approx(N * some.weight.sum() / people.weight.sum(), rel=0.1)
    median = dn.quantile(design, replies, "age", 0.5, weights="weight")
    assert people.weight[people.age <= median.value].sum() / people.weight.sum() == pytest.approx(0.5, abs=0.05)
    assert median.n == N
    assert "design effect" in median.note


def test_rules_over_versions_have_the_errors_of_tables(people):
    two = {
        "1": [dn.warner(0.9, SMOKES), dn.warner(0.9, FRIENDS)],
        "2": [dn.forced(0.1, 0.1, SMOKES), dn.clear(FRIENDS)],
    }
    design = dn.Design([dn.versions(two)])
    replies, how = answered(design, people), {"weights": "weight", "clusters": "cluster"}
    cells = dn.table(design, replies, ["smokes", "friends"], **how).set_index(["smokes", "friends"])
    sets = dn.itemsets(design, replies, min_support=0.05, max_length=2, **how)
    pairs = [row for row in sets.itertuples() if len(row.itemsets) == 2]
    assert len(pairs) == 4
    for row in pairs:
        answers = dict(item.split("=") for item in row.itemsets)
        cell = cells.loc[(answers["smokes"], answers["friends"])]
        assert (row.support, row.support_stderr) == pytest.approx((cell.share, cell.stderr))
        assert "design effect" in row.note
    rules = dn.rules(design, replies, min_support=0.05, min_confidence=0.5, **how)
    assert {"friends=yes"} in [set(each) for each in rules.antecedents]


def test_a_finite_population_leaves_what_the_lottery_adds(people):
    """Everybody replied: of a number in the clear nothing is left, of one told by a disguised interval the lottery."""
    bands = dn.number("age", 18, 80, integer=True, cuts=[40, 60])
    clear, disguised = (dn.Design([dn.versions({"1": [made], "2": [made]})]) for made in
                        (dn.clear(AGE), dn.k_ary(0.7, bands)))  # fmt: skip
    assert dn.mean(clear, answered(clear, people), "age", population=N).stderr == pytest.approx(0, abs=1e-6)
    replies = answered(disguised, people)
    large, census = (dn.mean(disguised, replies, "age", population=size) for size in (None, N))
    assert 0.6 * large.stderr < census.stderr < 0.95 * large.stderr
    assert census.n == large.n == N
    plain, whole = (dn.quantile(disguised, replies, "age", 0.5, population=size) for size in (None, N))
    assert 0.5 * plain.stderr < whole.stderr < plain.stderr
