"""Weights that are all different: engines add them up, and two for each reply give the figures that all give."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as some

import deniable as dn
from deniable.count import weighted
from deniable.count.weighted import two_weights

PEOPLE = 4_000
pytestmark = pytest.mark.filterwarnings("ignore:.*does not say under which design")


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A design, and replies of people who were drawn with chances that are all different."""
    yes_no = dn.yes_no
    asked = dn.Design(
        [
            dn.warner(0.85, yes_no("smokes")),
            dn.clear(dn.number("age", 18, 80, integer=True)),
            dn.gaussian(dn.number("pay", 0, 100), sd=5),
            dn.clear(yes_no("member")),
            dn.draw(dn.epsilon(3), yes_no("leave"), yes_no("drinks"), always=["leave"], ask=1),
            dn.versions(
                {"a": [dn.warner(0.9, yes_no("argues"))], "b": [dn.clear(yes_no("argues"))]}, [0.6, 0.4], "arm"
            ),
        ]
    )
    rng = np.random.default_rng(3)
    names = ("smokes", "member", "leave", "drinks", "argues")
    true = {name: np.where(rng.random(PEOPLE) < 0.4, "yes", "no") for name in names}
    people = pd.DataFrame({**true, "age": rng.integers(18, 81, PEOPLE), "pay": rng.uniform(0, 100, PEOPLE)})
    town = rng.integers(0, 40, PEOPLE)
    chance = rng.uniform(0.05, 0.9, PEOPLE) / (1 + (people.smokes == "yes"))
    replies = dn.disguise(asked, people, seed=2).assign(
        weight=1 / chance, town=town, region=np.array(["east", "west"])[town % 2], size=round((1 / chance).sum())
    )
    replies.loc[rng.random(PEOPLE) < 0.03, "smokes"] = None
    replies["spoiled"] = replies.weight.where(rng.random(PEOPLE) > 0.05, np.nan).where(rng.random(PEOPLE) > 0.05, 0.0)
    folder = tmp_path_factory.mktemp("weighted")
    replies.to_parquet(folder / "replies.parquet")
    replies.to_csv(folder / "replies.csv", index=False)
    frames = {"polars": pl.from_pandas(replies).lazy(), "duckdb": duckdb.from_df(replies)}
    return asked, replies, {**frames, **{kind: folder / f"replies.{kind}" for kind in ("parquet", "csv")}}


BOTH = ("member == 'yes'", "member == 'no'")
FIGURES = {
    "estimate": lambda *at, **how: [dn.estimate(*at, "smokes == 'yes' and age > 40", **how)],
    "given": lambda *at, **how: [dn.estimate(*at, "leave == 'yes'", given="member == 'yes'", **how)],
    "versions": lambda *at, **how: [dn.estimate(*at, "argues == 'yes'", **how)],
    "mean": lambda *at, **how: [dn.mean(*at, "age", given="smokes == 'yes'", **how), dn.mean(*at, "pay", **how)],
    "quantile": lambda *at, **how: [dn.quantile(*at, "age", 0.3, **how)],
    "difference": lambda *at, **how: [dn.difference(*at, "smokes == 'yes'", BOTH, **how)],
    "correlation": lambda *at, **how: [dn.correlation(*at, "smokes", "age", **how)],
}  # fmt: skip
HOW = {
    "weights": {"weights": "weight"},
    "strata": {"weights": "weight", "strata": "region"},
    "clusters": {"weights": "weight", "strata": "region", "clusters": "town"},
    "population": {"weights": "weight", "population": "size"},
    "some have none": {"weights": "spoiled", "strata": "region"},
}


def values(found):
    return [[getattr(each, name) for name in ("value", "stderr", "low", "high", "n")] for each in found]


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet", "csv"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("figure", FIGURES)
def test_sums_of_weights_tell_what_all_weights_tell(survey, kind, how, figure):
    asked, replies, sources = survey
    here, there = (FIGURES[figure](asked, each, **HOW[how]) for each in (replies, sources[kind]))
    np.testing.assert_allclose(values(there), values(here), rtol=1e-6)
    assert [each.note for each in there] == [each.note for each in here]


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet", "csv"])
def test_frames_of_figures_and_totals_agree_too(survey, kind):
    asked, replies, sources = survey
    how = HOW["clusters"]
    for found in (
        lambda data: dn.estimate(asked, data, **how),
        lambda data: dn.table(asked, data, ["smokes", "member"], percent="row", **how),
        lambda data: dn.itemsets(asked, data, min_support=0.05, items=["smokes", "member"], **how),
    ):
        tables = [pd.DataFrame(_rows(found(data))) for data in (replies, sources[kind])]
        numbers = [each.select_dtypes("number").to_numpy() for each in tables]
        np.testing.assert_allclose(*numbers, rtol=1e-6, atol=1e-9)
    totals = [dn.total(asked, data, "smokes == 'yes'", weights="weight") for data in (replies, sources[kind])]
    np.testing.assert_allclose(*map(values, ([each] for each in totals)), rtol=1e-6)


def _rows(frame):
    return frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict("list")


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet", "csv"])
def test_few_rows_leave_the_engine(survey, kind, monkeypatch):
    asked, replies, sources = survey
    sizes = []
    found = weighted.WeightSums.with_weights
    monkeypatch.setattr(
        weighted.WeightSums, "with_weights", lambda self, name: sizes.append(len(self.least)) or found(self, name)
    )
    dn.estimate(asked, sources[kind], "member == 'yes'", weights="weight", strata="region")
    assert sizes == [4]
    assert len(replies) == PEOPLE


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet"])
@pytest.mark.parametrize("times", [-1, 0])
def test_weights_that_are_not_positive_are_refused_alike(survey, kind, times, tmp_path):
    asked, replies, _ = survey
    frame = replies.assign(weight=times * replies.weight)
    path = tmp_path / "replies.parquet"
    frame.to_parquet(path)
    other = {"polars": pl.from_pandas(frame).lazy(), "duckdb": duckdb.from_df(frame), "parquet": path}[kind]
    lines = []
    for each in (frame, other):
        with pytest.raises(dn.DeniableError) as refused:
            dn.estimate(asked, each, "member == 'yes'", weights="weight")
        lines.append(str(refused.value))
    assert lines[0] == lines[1]


@given(some.lists(some.floats(1e-3, 1e3), min_size=1, max_size=50))
def test_two_weights_have_the_sums_of_all_and_lie_between_them(weights):
    d = np.array(weights)
    sums = np.array([[each.sum()] for each in (1 / d, np.ones(len(d)), d, d * d)])
    nodes, people = two_weights(sums, np.array([d.min()]), np.array([d.max()]))
    for power, wanted in zip((-1, 0, 1, 2), sums, strict=True):
        assert (people * nodes**power).sum() == pytest.approx(float(wanted[0]), rel=1e-7)
    there = nodes[people > 0]
    assert (people >= 0).all()
    assert d.min() * (1 - 1e-5) <= there.min() <= there.max() <= d.max() * (1 + 1e-5)


@pytest.mark.parametrize("weights", [np.full(10**6, 0.1), np.full(10**6, 1 / 3), 1.37 + 1e-5 * np.arange(10**6) / 10**6,
                                     np.append(np.ones(10**6), 1e6), np.array([5.0])])  # fmt: skip
def test_two_weights_bear_the_rounding_of_long_sums(weights):
    sums = np.array([[np.cumsum(each)[-1]] for each in (1 / weights, np.ones(len(weights)), weights, weights**2)])
    nodes, people = two_weights(sums, weights[:1] * 0 + weights.min(), weights[:1] * 0 + weights.max())
    there = nodes[people > 0]
    assert (people >= 0).all()
    assert weights.min() * (1 - 1e-9) <= there.min() <= there.max() <= weights.max() * (1 + 1e-9)
    assert people.sum() == pytest.approx(len(weights), rel=1e-12)
    assert (people * nodes).sum() == pytest.approx(weights.sum(), rel=1e-9)
    assert (people * nodes**2).sum() == pytest.approx((weights**2).sum(), rel=1e-7)


def test_weights_that_are_equal_in_one_stratum_are_no_trouble(survey, tmp_path):
    asked, replies, _ = survey
    many = pd.concat([replies] * 50).assign(weight=lambda each: each.weight.where(each.region == "east", 1.37))
    many.to_parquet(tmp_path / "many.parquet")
    how = {"weights": "weight", "strata": "region"}
    here, there = (dn.estimate(asked, data, "member == 'yes'", **how) for data in (many, tmp_path / "many.parquet"))
    np.testing.assert_allclose(values([there]), values([here]), rtol=1e-6)


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet"])
@pytest.mark.parametrize("how", [{"weights": "w"}, {"weights": "weight", "clusters": "weight"},
                                 {"weights": "weight", "strata": "weight_"}])  # fmt: skip
def test_weights_that_are_something_else_too_are_counted(kind, how, tmp_path):
    asked = dn.Design([dn.clear(dn.number("w", 0, 10)), dn.warner(0.9, dn.yes_no("smokes"))])
    rng = np.random.default_rng(2)
    w = rng.uniform(0.5, 9, 3_000)
    people = pd.DataFrame({"w": w, "smokes": np.where(rng.random(3_000) < w / 10, "yes", "no")})
    replies = dn.disguise(asked, people, seed=1).assign(weight=w, weight_=np.where(w > 5, "much", "little"))
    path = tmp_path / "replies.parquet"
    replies.to_parquet(path)
    other = {"polars": pl.from_pandas(replies).lazy(), "duckdb": duckdb.from_df(replies), "parquet": path}[kind]
    for ask in (
        lambda data: dn.quantile(asked, data, "w", 0.25, **how),
        lambda data: dn.estimate(asked, data, "w > 3 and smokes == 'yes'", **how),
    ):
        np.testing.assert_allclose(values([ask(other)]), values([ask(replies)]), rtol=1e-6)


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet", "csv"])
@pytest.mark.parametrize(
    ("change", "ask"),
    [
        ({"weight": lambda each: each.weight.astype(str) + " a"}, "member == 'yes'"),
        ({"weight": lambda each: each.weight.where(each.index > 5, np.inf)}, "member == 'yes'"),
        ({"weight_": 1.0}, "member == 'yes'"),
        ({"member": None}, "member == 'yes'"),
    ],
    ids=["words", "infinite", "no weights", "no answers"],
)
def test_what_is_no_weight_is_refused_in_one_line_by_every_engine(survey, tmp_path, kind, change, ask):
    asked, replies, _ = survey
    frame = replies.assign(**{name: value for name, value in change.items() if value is not None})
    frame = frame.drop(columns=[name for name, value in change.items() if value is None])
    how = "nobody" if "weight_" in change else "weight"
    path = tmp_path / f"replies.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(tmp_path / "replies.parquet")
    frames = {"polars": lambda: pl.from_pandas(frame).lazy(), "duckdb": lambda: duckdb.from_df(frame)}
    other = frames[kind]() if kind in frames else path
    for each in (frame, other):
        with pytest.raises(dn.DeniableError) as refused:
            dn.estimate(asked, each, ask, weights=how)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["polars", "parquet"])
def test_sums_that_do_not_fit_are_refused_before_they_are_counted(survey, kind, monkeypatch):
    asked, _, sources = survey
    source = sources[kind]
    if kind == "polars":
        source = source.with_columns(person=pl.Series(np.arange(PEOPLE)))
    monkeypatch.setenv("DENIABLE_MEMORY", "0.05MB")
    with pytest.raises(dn.DeniableError, match=r"distinct replies to .* would take"):
        dn.estimate(asked, source, "age > 40 and smokes == 'yes'", weights="weight", clusters="town")


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet"])
@pytest.mark.parametrize("low", [0.4, 1e-3])
def test_weights_below_one_are_seen_where_people_are_counted(survey, tmp_path, kind, low):
    asked, replies, _ = survey
    frame = replies.assign(weight=replies.weight.where(replies.index != 5, low))
    frame["size"] = round(frame.weight.sum())
    path = tmp_path / "replies.parquet"
    frame.to_parquet(path)
    other = {"polars": pl.from_pandas(frame).lazy(), "duckdb": duckdb.from_df(frame), "parquet": path}[kind]
    for ask in (
        lambda data: dn.estimate(asked, data, "member == 'yes'", weights="weight", population="size"),
        lambda data: dn.total(asked, data, "member == 'yes'", weights="weight"),
    ):
        lines = []
        for data in (frame, other):
            with pytest.raises(dn.DeniableError, match=f"got '{low:g}'") as refused:
                ask(data)
            lines.append(str(refused.value))
        assert lines[0] == lines[1]
    both = [dn.estimate(asked, data, "smokes == 'yes'", weights="weight", strata="region") for data in (frame, other)]
    np.testing.assert_allclose(*map(values, ([each] for each in both)), rtol=1e-6)
