"""Are estimates right on average? Seeded surveys, each limit at 4 or more standard errors."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.count.counts import Distinct
from sizes import in_short

AGE = dn.number("age", 18, 80, integer=True)
INCOME = dn.number("income", 0, 200)
DESIGN = dn.Design([
    dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no("leave")),
    dn.k_ary(0.7, dn.Question("drinks", ("never", "weekly", "daily"), ordered=True)),
    dn.gaussian(AGE, privacy=0.5),
    dn.interval(INCOME, width=25),
    dn.clear(dn.number("height", 140, 210)),
])  # fmt: skip


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    n = 30_000
    age = np.clip(rng.normal(45, 12, n), 18, 80).round()
    smokes = rng.random(n) < np.where(age > 50, 0.15, 0.35)
    leave = rng.random(n) < 0.2 + 0.2 * smokes
    words = np.array(["no", "yes"])
    return pd.DataFrame({
        "smokes": words[smokes.astype(int)],
        "leave": words[leave.astype(int)],
        "drinks": rng.choice(["never", "weekly", "daily"], n, p=[0.3, 0.5, 0.2]),
        "age": age,
        "income": np.clip(rng.gamma(4, 12, n), 0, 200),
        "height": rng.normal(172, 9, n).clip(140, 210),
    })  # fmt: skip


@pytest.fixture(scope="module")
def replies(people):
    return dn.disguise(DESIGN, people, seed=2)


def near(found, truth):
    return abs(found.value - truth) < 4 * max(found.stderr, 1e-9)


@pytest.mark.parametrize(
    ("expression", "query"),
    [
        ("smokes == 'yes'", "smokes == 'yes'"),
        ("smokes == 'yes' and leave == 'yes'", "smokes == 'yes' and leave == 'yes'"),
        ("drinks >= 'weekly'", "drinks != 'never'"),
        ("drinks in ('never', 'daily')", "drinks != 'weekly'"),
        ("smokes == 'yes' and drinks not in ('never', 'daily')", "smokes == 'yes' and drinks == 'weekly'"),
        ("age > 40", "age > 40"),
        ("30 <= age < 50", "age >= 30 and age < 50"),
        ("smokes == 'yes' and not (age > 40 or leave == 'yes')", "smokes == 'yes' and age <= 40 and leave == 'no'"),
        ("income >= 50 and height > 170.5", "income >= 50 and height > 170.5"),
        ("income < 25 or drinks == 'daily'", "income < 25 or drinks == 'daily'"),
    ],
)
def test_shares(people, replies, expression, query):
    assert near(dn.estimate(DESIGN, replies, expression), len(people.query(query)) / len(people))


@pytest.mark.parametrize("given", ["leave == 'yes'", "drinks == 'daily'", "age > 40", "height < 170"])
def test_conditional_shares(people, replies, given):
    within = people.query(given)
    assert near(dn.estimate(DESIGN, replies, "smokes == 'yes'", given=given), (within.smokes == "yes").mean())


@pytest.mark.parametrize("name", ["age", "income", "height"])
@pytest.mark.parametrize("given", in_short([None, "smokes == 'yes'", "age > 40", "height > 180"], None, "height > 180"))
def test_means(people, replies, name, given):
    within = people if given is None else people.query(given)
    found = dn.mean(DESIGN, replies, name, given)
    truth = within[name].mean()
    if name == "income":  # told by its interval: not unbiased, but the interval allows for that
        assert found.low <= truth <= found.high
        assert "evenly" in found.note
    else:
        assert near(found, truth)


@pytest.mark.parametrize("name", ["age", "income", "height"])
@pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
def test_quantiles(people, replies, name, q):
    found = dn.quantile(DESIGN, replies, name, q)
    inside_a_cell = {"age": 0.5, "income": 3.0, "height": 0.0}[name]
    assert abs(found.value - people[name].quantile(q)) < 4 * found.stderr + inside_a_cell


@pytest.mark.parametrize("percent", [None, "row", "column"])
def test_tables(people, replies, percent):
    table = dn.table(DESIGN, replies, ["smokes", "drinks"], percent=percent)
    normalize = {None: "all", "row": "index", "column": "columns"}[percent]
    truth = pd.crosstab(people.smokes, people.drinks, normalize=normalize)
    assert list(table.columns) == ["smokes", "drinks", "share", "stderr", "low", "high", "n", "note"]
    for row in table.itertuples():
        assert abs(row.share - truth.loc[row.smokes, row.drinks]) < 4 * row.stderr
        assert 0 <= row.low <= row.high <= 1
    totals = {None: ["smokes"], "row": ["smokes"], "column": ["drinks"]}[percent]
    sums = table.groupby(totals).share.sum()
    assert np.allclose(sums.sum() if percent is None else sums, 1)


def test_association_sees_what_is_there_and_nothing_else(replies):
    assert dn.association(DESIGN, replies, "smokes", "leave").p_value < 1e-6  # one group
    assert dn.association(DESIGN, replies, "smokes", "age").p_value < 1e-6  # a number under noise
    assert dn.association(DESIGN, replies, "smokes", "drinks").p_value > 1e-4
    assert dn.association(DESIGN, replies, "income", "height").p_value > 1e-4


@pytest.mark.parametrize("together", [True, False])
def test_the_test_of_association_keeps_its_level(together, figure):
    """1,000 seeded surveys without any association: a true level of .05 gives .03 to .07 but once in 250."""
    a, b = dn.yes_no("a"), dn.yes_no("b")
    design = dn.Design([dn.warner(0.75, a, b)] if together else [dn.warner(0.75, a), dn.warner(0.75, b)])
    rng, run = np.random.default_rng(4), np.repeat(np.arange(1000), 500)
    people = pd.DataFrame({"a": rng.random(len(run)) < 0.3, "b": rng.random(len(run)) < 0.4})
    replies = dn.disguise(design, people, seed=4).to_numpy(dtype=np.intp)  # of all surveys
    tables = np.bincount(4 * run + replies @ [2, 1], minlength=4000).reshape(1000, 4).astype(float)
    columns = dict(zip("ab", np.indices((2, 2), dtype=np.int8).reshape(2, 4), strict=True))
    surveys = [Distinct(columns, table) for table in tables]
    rejected = sum(dn.association(design, survey, "a", "b").p_value < 0.05 for survey in surveys)
    figure(f"level of the association test, {'one group' if together else 'two groups'}", rejected / 1000)
    assert 0.03 <= rejected / 1000 <= 0.07
