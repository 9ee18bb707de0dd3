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
def test_weights_that_are_none_are_refused_alike(survey, kind, times, tmp_path):
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
    sums = [np.array([each.sum()]) for each in (1 / d, np.ones(len(d)), d, d * d)]
    nodes, people = two_weights(*sums)
    for power, wanted in zip((-1, 0, 1, 2), sums, strict=True):
        assert (people * nodes**power).sum() == pytest.approx(float(wanted[0]), rel=1e-5)
    there = nodes[people > 0]
    assert (people >= 0).all()
    assert d.min() * (1 - 1e-5) <= there.min() <= there.max() <= d.max() * (1 + 1e-5)
