"""Numbers in the clear that an engine cuts, sums up or searches: figures are those of all rows, and few rows leave."""

import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as some

import deniable as dn
from deniable.count import files, frame
from deniable.count.cut import Cut
from deniable.count.moments import two_numbers
from deniable.inference import clear_quantile
from deniable.learn.model import text_of
from deniable.survey.range import Range

PEOPLE = 4_000
ENGINES = ["polars", "duckdb", "dask", "parquet", "csv", "jsonl"]
pytestmark = pytest.mark.filterwarnings("ignore:.*does not say under which design")


@pytest.fixture(scope="module")
def survey():
    """A design with numbers in the clear, and replies of which some lack one."""
    asked = dn.Design(
        [
            dn.clear(dn.number("age", 18, 80, cells=5)),
            dn.clear(dn.number("pay", -1_000, 100_000, integer=True, cuts=[5_000, 20_000])),
            dn.clear(dn.number("debt", 0, 1e9)),
            dn.warner(0.9, dn.yes_no("smokes")),
            dn.versions({"a": [dn.warner(0.9, dn.yes_no("argues"))], "b": [dn.clear(dn.yes_no("argues"))]}, [0.6, 0.4]),
            dn.warner(0.95, dn.yes_no("leave")),
        ],
        target="leave",
    )
    rng = np.random.default_rng(8)
    age, smokes = rng.uniform(18, 80, PEOPLE), rng.random(PEOPLE) < 0.4
    leaves = rng.random(PEOPLE) < 0.1 + 0.6 * (age > 50) + 0.2 * smokes
    true = pd.DataFrame(
        {
            "age": age,
            "pay": np.clip(rng.lognormal(9, 1, PEOPLE), 0, 100_000).astype(int) - 500,
            "debt": np.where(rng.random(PEOPLE) < 0.5, 0.0, np.minimum(rng.lognormal(10, 1, PEOPLE), 1e9)),
            **{name: np.where(each, "yes", "no") for name, each in (("smokes", smokes), ("leave", leaves))},
            "argues": rng.choice(["yes", "no"], PEOPLE),
        }
    )
    replies = dn.disguise(asked, true, seed=4)
    replies.loc[rng.random(PEOPLE) < 0.02, "age"] = np.nan
    return asked, replies.assign(weight=rng.uniform(0.5, 2, PEOPLE), town=rng.integers(0, 30, PEOPLE), size=9_000)


@pytest.fixture(scope="module")
def sources(survey, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")

    def of(replies):
        for kind, write in (("parquet", replies.to_parquet), ("csv", lambda path: replies.to_csv(path, index=False))):
            write(folder / f"replies.{kind}")
        replies.to_json(folder / "replies.jsonl", orient="records", lines=True, double_precision=15)
        frames = {"polars": pl.from_pandas(replies).lazy(), "duckdb": duckdb.from_df(replies)}
        frames["dask"] = dd.from_pandas(replies, npartitions=3)
        return frames | {kind: folder / f"replies.{kind}" for kind in ("parquet", "csv", "jsonl")}

    return of


SAMPLES = {
    "clusters": {"weights": "weight", "clusters": "town"},
    "population": {"weights": "drawn", "population": "size"},
}
FIGURES = {
    "share": lambda *at: [dn.estimate(*at, "age > 50 and pay <= 9000 and smokes == 'yes'")],
    "given": lambda *at: [dn.estimate(*at, "leave == 'yes'", given="age < 33.3")],
    "versions": lambda *at: [dn.estimate(*at, "argues == 'yes'", given="age < 33.3")],
    "weighted": lambda *at: [dn.estimate(*at, "age > 50", **how) for how in SAMPLES.values()],
    "every share": lambda *at: [each for _, each in sorted(_shares(*at))],
    "difference": lambda *at: [dn.difference(*at, "age > 50", ("smokes == 'yes'", "smokes == 'no'"))],
    "mean": lambda *at: [dn.mean(*at, name) for name in ("age", "pay", "debt")],
    "mean among some": lambda *at: [
        dn.mean(*at, "pay", given="pay > 5000 and smokes == 'yes' and age > 30"),
        dn.mean(*at, "age", given="argues == 'yes'"),
    ],
    "weighted mean": lambda *at: [
        dn.mean(*at, "debt", given=given, **how)
        for how in SAMPLES.values()
        for given in (None, "smokes == 'yes' and pay > 2000")
    ],
    "quantile": lambda *at: [dn.quantile(*at, *which) for which in (("age", 0.9), ("debt", 0.3), ("debt", 0.6))],
    "weighted quantile": lambda *at: [dn.quantile(*at, "pay", 0.5, **how) for how in SAMPLES.values()],
    "correlation": lambda *at: [dn.correlation(*at, "age", "pay"), dn.correlation(*at, "age", "smokes")],
    "weighted correlation": lambda *at: [dn.correlation(*at, "age", "smokes", **how) for how in SAMPLES.values()],
    "score": lambda *at: [dn.score(model, *at) for model in _models(*at)],
    "cross-validation": lambda *at: dn.cross_val_score(dn.NaiveBayes(at[0]), *at, cv=2),
    "regression": lambda *at: list(dn.regress(*at, "debt ~ age", **SAMPLES["population"]).coefficients),
}  # fmt: skip


def _shares(asked, replies):
    found = dn.estimate(asked, replies)
    rows = found.to_pandas() if not isinstance(found, pd.DataFrame) else found
    return [((each.question, each.answer), _Row(each)) for each in rows.itertuples()]


class _Row:
    def __init__(self, row):
        self.value, self.stderr, self.low, self.high, self.note = row.share, row.stderr, row.low, row.high, row.note


def _models(asked, replies):
    return [learner(asked).fit(replies) for learner in (dn.TreeClassifier, dn.NaiveBayes)]


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("what", FIGURES)
def test_figures_are_those_of_all_rows_and_few_rows_leave_the_engine(survey, sources, kind, what, monkeypatch):
    asked, replies = survey
    replies = replies.assign(drawn=replies.weight.clip(1) * 9_000 / replies.weight.clip(1).sum())
    sizes = []
    for module in (frame, files):
        found = module.distinct_in
        monkeypatch.setattr(
            module, "distinct_in", lambda *at, found=found, **how: sizes.append(at[1].num_rows) or found(*at, **how)
        )
    monkeypatch.setattr(clear_quantile, "TOLD", 100)
    here, there = (FIGURES[what](asked, each) for each in (replies, sources(replies)[kind]))
    if what == "regression":
        both = [[(each.estimate, each.stderr) for each in found] for found in (there, here)]
    else:
        assert [each.note for each in there] == [each.note for each in here]
        both = [[(each.value, each.stderr, each.low, each.high) for each in found] for found in (there, here)]
    np.testing.assert_allclose(*both, rtol=1e-7, atol=1e-12)
    few = 0.5 if "weighted" in what else 0.1  # of clusters and their weights
    assert max(sizes, default=0) < few * PEOPLE or what == "regression" or "mean" in what or "correlation" in what


@pytest.mark.parametrize("kind", ENGINES)
def test_models_rules_and_tables_are_those_of_all_rows(survey, sources, kind):
    asked, replies = survey
    source = sources(replies)[kind]
    for here, there in zip(_models(asked, replies), _models(asked, source), strict=True):
        assert text_of(there) == text_of(here)
    pruned = [dn.TreeClassifier(asked, method="inverse", stop=None, prune=each) for each in (replies, source)]
    assert text_of(pruned[0].fit(replies[["age", "smokes"]], replies["leave"])) == text_of(
        pruned[1].fit(replies[["age", "smokes"]], replies["leave"])
    )
    for ask in (
        lambda data: dn.table(asked, data, ["age", "smokes"], cuts={"age": [30, 50]}, percent="row"),
        lambda data: dn.reconstruct(asked, data, "pay", by="leave"),
        lambda data: dn.rules(asked, data, min_support=0.1, min_confidence=0.3, items=["smokes", "age", "leave"]),
    ):
        tables = [
            nw.from_native(ask(data)).to_pandas().select_dtypes("number").to_numpy() for data in (replies, source)
        ]
        np.testing.assert_allclose(*tables, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (kind, name, value)
        for kind in ENGINES
        for name, value in (("age", 81.0), ("age", -np.inf), ("pay", 12.5))
        if not (kind == "jsonl" and np.isinf(value))  # which JSON has not
    ],
)
def test_what_is_no_answer_is_refused_as_elsewhere(survey, sources, kind, name, value):
    asked, replies = survey
    spoiled = replies.assign(**{name: replies[name].astype(float).where(replies.index > 2, value)})
    for ask in (
        lambda data: dn.estimate(asked, data, f"{name} > 50 and smokes == 'yes'"),
        lambda data: dn.mean(asked, data, name),
        lambda data: dn.quantile(asked, data, name, 0.5),
        lambda data: dn.TreeClassifier(asked).fit(data),
    ):
        with pytest.raises(dn.DeniableError) as refused:
            ask(sources(spoiled)[kind])
        with pytest.raises(dn.DeniableError) as wanted:
            ask(spoiled)
        assert str(refused.value).endswith(str(wanted.value))
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "polars", "duckdb"])
@pytest.mark.parametrize("word", ["old", "1_000", "nan", "0x20", " 30", "3O"])
def test_words_that_are_no_numbers_are_refused_as_elsewhere(survey, sources, kind, word):
    asked, replies = survey
    spoiled = replies.assign(age=replies.age.astype(str).where(replies.index > 2, word).replace("nan", None))
    if word == "nan":
        spoiled.loc[:2, "age"] = "nan"
    source = sources(spoiled)[kind]
    for ask in (lambda: dn.estimate(asked, source, "age > 50"), lambda: dn.mean(asked, source, "age")):
        with pytest.raises(dn.DeniableError, match="age") as refused:
            ask()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", ["duckdb", "parquet"])
def test_dots_and_quotes_in_names_are_part_of_them(kind, tmp_path):
    ages = np.random.default_rng(1).uniform(0, 1, 3_000)
    for name in ("my.age", 'my "age"'):
        asked = dn.Design([dn.clear(dn.number(name, 0, 1))])
        replies = pd.DataFrame({name: ages})
        replies.to_parquet(tmp_path / "replies.parquet")
        source = {"duckdb": duckdb.from_df(replies), "parquet": tmp_path / "replies.parquet"}[kind]
        if "." in name:
            found = dn.estimate(asked, source, f"`{name}` > 0.25")
            assert found.value == pytest.approx((ages > 0.25).mean())
        assert dn.mean(asked, source, name).value == pytest.approx(ages.mean())
        assert dn.quantile(asked, source, name, 0.3).value == pytest.approx(np.quantile(ages, 0.3))


@given(
    some.lists(some.floats(-1e6, 1e6), min_size=1, max_size=40),
    some.floats(-1e3, 1e3),
)
def test_two_numbers_have_the_moments_of_all(numbers, by):
    numbers = np.array(numbers) / 1e6 * 10 + by
    mean = numbers.mean()
    second, third = ((numbers - mean) ** 2).mean(), ((numbers - mean) ** 3).mean()
    figures = [np.array([each]) for each in (numbers.min(), numbers.max(), mean, second, third)]
    low, high, share = (float(each[0]) for each in two_numbers(*figures))
    assert numbers.min() <= low <= high <= numbers.max()
    assert 0 <= share <= 1
    sd = np.sqrt(second)
    for power, wanted in ((1, 0.0), (2, second)):
        found = share * (low - mean) ** power + (1 - share) * (high - mean) ** power
        assert found == pytest.approx(wanted, abs=1e-7 * sd**power + 1e-9)


@given(
    some.lists(some.floats(0, 100), min_size=1, max_size=12, unique=True),
    some.booleans(),
    some.lists(some.floats(-5, 105), min_size=1, max_size=30),
)
def test_every_number_is_replaced_by_one_of_its_cell(edges, integer, numbers):
    limits = Range(0, 100, (-0.5, 100.5) if integer else (0.0, 100.0), integer).cut(edges)
    numbers = [float(round(each)) for each in numbers] if integer else numbers
    numbers += [float(edge) for edge in limits.edges if not integer]
    inside = np.array([each for each in numbers if 0 <= each <= 100] or [50.0])
    cut = Cut(limits)
    lazy = nw.from_native(pl.DataFrame({"x": inside}).lazy()).with_columns(cut.column("x")).collect()["x"].to_numpy()
    table = duckdb.from_arrow(pl.DataFrame({"x": inside}).to_arrow())
    sql = np.array([row[0] for row in table.project(cut.sql_column("x", words=False)).fetchall()])
    np.testing.assert_array_equal(lazy, sql)
    np.testing.assert_array_equal(lazy, cut.of_numbers(inside))
    np.testing.assert_array_equal(limits.cells(lazy), limits.cells(inside))
    assert set(lazy) <= set(cut.starts)


@pytest.mark.parametrize("kind", ENGINES)
def test_a_column_may_be_the_weight_and_the_cluster(survey, sources, kind):
    asked, replies = survey
    replies = replies.assign(own=replies.weight, copy=replies.weight)
    for ask in (
        lambda data, by: dn.mean(asked, data, "age", weights="own", clusters=by),
        lambda data, by: dn.correlation(asked, data, "age", "debt", weights="own", clusters=by),
        lambda data, by: dn.correlation(asked, data, "age", "debt", weights="own", strata=None, clusters=by),
        lambda data, by: dn.regress(asked, data, "debt ~ age", weights="own", clusters=by).coefficients[1],
    ):
        here, copied, there = ask(replies, "own"), ask(replies, "copy"), ask(sources(replies)[kind], "own")
        assert here.stderr == pytest.approx(copied.stderr)
        assert there.stderr == pytest.approx(here.stderr)


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("high", [1e3, 1e9, 1e12])
def test_wide_ranges_lose_no_digits(kind, sources, high):
    rng = np.random.default_rng(5)
    debt = np.where(rng.random(2_000) < 0.5, 0, np.minimum(rng.lognormal(4, 1, 2_000), 1e3))
    other = np.clip(rng.normal(50, 15, 2_000) + (debt > 0) * 10, 0, 100)
    replies = pd.DataFrame({"debt": debt, "other": other, "same": 7.3})
    asked = dn.Design([dn.clear(dn.number("debt", 0, high)), dn.clear(dn.number("other", 0, 100)),
                       dn.clear(dn.number("same", 0, high))])  # fmt: skip
    source = sources(replies)[kind]
    wanted = np.corrcoef(debt, other)[0, 1]
    for data in (replies, source):
        assert dn.correlation(asked, data, "debt", "other").value == pytest.approx(wanted, rel=1e-9)
        with pytest.raises(dn.DeniableError, match="show no spread of same"):
            dn.correlation(asked, data, "same", "other")
    narrow = dn.Design([dn.clear(dn.number("debt", -high, high))])
    here, there = (dn.mean(narrow, data, "debt") for data in (replies[["debt"]], source))
    both = ((each.value, each.stderr, each.low, each.high) for each in (there, here))
    np.testing.assert_allclose(*both, rtol=1e-7 if high < 1e12 else 1e-4)


@pytest.mark.filterwarnings("ignore:the replies do not tell")
def test_every_engine_holds_out_the_same_replies():
    asked = dn.Design([dn.clear(dn.number("age", 18, 80)), dn.warner(0.9, dn.yes_no("y"))], target="y")
    for seed in range(8):
        rng = np.random.default_rng(seed)
        ages, said = rng.uniform(18, 80, 2_500), rng.choice(["yes", "no"], 2_500, p=[0.45, 0.55])
        replies = pd.DataFrame({"age": ages, "y": said})
        here, there = (dn.TreeClassifier(asked).fit(data) for data in (replies, pl.from_pandas(replies).lazy()))
        assert text_of(here) == text_of(there)


def test_what_is_not_a_number_in_a_file_is_missing(tmp_path):
    """Its statistics do not tell of it: all numbers are within the range, for all that they say."""
    rng = np.random.default_rng(1)
    ages, weights = rng.uniform(30, 70, 3_000), rng.uniform(1, 2, 3_000)
    ages[::7], weights[::11] = np.nan, np.nan
    frame = pl.DataFrame({"age": ages, "weight": weights})
    frame.write_parquet(tmp_path / "replies.parquet")
    asked = dn.Design([dn.clear(dn.number("age", 18, 80))])
    for how in ({}, {"weights": "weight"}):
        for ask in (
            lambda data, how=how: dn.estimate(asked, data, "age > 50", **how),
            lambda data, how=how: dn.mean(asked, data, "age", **how),
            lambda data, how=how: dn.quantile(asked, data, "age", 0.4, **how),
        ):
            here, there = (ask(data) for data in (frame.to_pandas(), tmp_path / "replies.parquet"))
            assert (there.n, there.note) == (here.n, here.note)
            assert (there.value, there.stderr, there.low) == pytest.approx((here.value, here.stderr, here.low))


def test_names_that_differ_by_case_alone_are_two(tmp_path):
    rng = np.random.default_rng(1)
    replies = pd.DataFrame({"Age": rng.uniform(0, 50, 2_500), "age": rng.uniform(50, 100, 2_500), "W": 1.0})
    replies["w"] = rng.uniform(1, 2, 2_500)
    replies.to_parquet(tmp_path / "replies.parquet")
    asked = dn.Design([dn.clear(dn.number("age", 0, 100))])
    for how in ({}, {"weights": "w"}):
        here, there = (dn.mean(asked, data, "age", **how) for data in (replies, tmp_path / "replies.parquet"))
        assert there.value == pytest.approx(here.value)
        assert there.stderr == pytest.approx(here.stderr)


def test_a_dotted_column_beside_a_number_takes_no_names_from_it():
    rng = np.random.default_rng(2)
    for name in ("c0", "age"):
        asked = dn.Design([dn.clear(dn.number(name, 0, 100)), dn.warner(0.9, dn.yes_no("a.b"))])
        replies = pd.DataFrame({name: rng.uniform(50, 100, 2_000), "a.b": rng.choice(["yes", "no"], 2_000)})
        replies["town.id"] = rng.integers(0, 30, 2_000)
        source = duckdb.from_df(replies)
        for how in ({"clusters": "town.id"}, {"given": "`a.b` == 'yes'"}):
            here, there = (dn.mean(asked, data, name, **how) for data in (replies, source))
            assert (there.value, there.stderr) == pytest.approx((here.value, here.stderr))


@pytest.mark.parametrize("kind", ["parquet", "duckdb", "polars"])
def test_a_number_that_is_not_asked_for_may_be_what_is_missing(sources, kind):
    asked = dn.Design([dn.clear(dn.number("age", 18, 80)), dn.warner(0.9, dn.yes_no("y"))])
    frame = pl.DataFrame({"age": [20.0, float("nan"), None, 30.0] * 5, "y": ["yes", "no"] * 10})
    source = {"polars": frame.lazy(), "duckdb": duckdb.from_arrow(frame.to_arrow())}.get(kind)
    if source is None:
        source = sources(pd.DataFrame({"age": [20.0], "y": ["yes"]}))[kind]
        frame.write_parquet(source)
    with pytest.raises(dn.DeniableError, match=r"missing values in 'age' \(10\)"):
        dn.estimate(asked, source, "y == 'yes'", missing="refuse")


@pytest.mark.parametrize(("kind", "engine"), [("parquet", files.FileCounts), ("polars", frame.FrameCounts)])
def test_whether_numbers_are_many_is_looked_up_once(survey, sources, monkeypatch, kind, engine):
    """Two samples may say two things, of which a regression's weights and sums would each believe one."""
    asked, replies = survey
    replies = replies.assign(drawn=replies.weight.clip(1) * 9_000 / replies.weight.clip(1).sum())
    found, seen = engine._sampled, []
    monkeypatch.setattr(engine, "_sampled", lambda self, names: seen.append(tuple(names)) or found(self, names))
    dn.regress(asked, sources(replies)[kind], "debt ~ age", **SAMPLES["population"])
    assert 1 <= seen.count(("drawn",)) <= 2  # of the sum of all weights, and of the regression


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet"])
def test_a_model_is_validated_on_its_own_cells(sources, kind):
    rng = np.random.default_rng(1)
    ages = rng.uniform(18, 80, 3_000)
    replies = pd.DataFrame({"age": ages, "y": np.where((ages // 5) % 2, "yes", "no")})
    fine, coarse = (
        dn.Design([dn.clear(dn.number("age", 18, 80, cells=cells)), dn.clear(dn.yes_no("y"))], target="y")
        for cells in (62, 2)
    )
    for data in (replies, sources(replies)[kind]):
        assert min(each.value for each in dn.cross_val_score(dn.TreeClassifier(fine), coarse, data, cv=3)) > 0.85


@pytest.mark.parametrize("kind", ["polars", "duckdb", "parquet"])
def test_few_rows_leave_also_where_one_is_to_be_refused(survey, sources, kind, monkeypatch):
    asked, replies = survey
    monkeypatch.setenv("DENIABLE_MEMORY", "0.1MB")
    source = sources(replies.assign(age=replies.age.where(replies.index != 1, 99.0)))[kind]
    for ask in (
        lambda: dn.estimate(asked, source, "age > 50"),
        lambda: dn.mean(asked, source, "age"),
        lambda: dn.quantile(asked, source, "age", 0.5),
    ):
        with pytest.raises(dn.DeniableError, match=r"from 18 to 80, got '?99"):
            ask()


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_numbers_with_dots_in_their_names_stay_too(engine, monkeypatch):
    rng, sizes = np.random.default_rng(1), []
    asked = dn.Design([dn.clear(dn.number("my.age", 0, 1)), dn.warner(0.9, dn.yes_no("y"))])
    replies = pd.DataFrame({"my.age": rng.uniform(0, 1, 5_000), "y": rng.choice(["yes", "no"], 5_000)})
    source = {"duckdb": duckdb.from_df, "polars": lambda each: pl.from_pandas(each).lazy()}[engine](replies)
    found = frame.distinct_in
    monkeypatch.setattr(clear_quantile, "TOLD", 100)
    monkeypatch.setattr(frame, "distinct_in", lambda *at, **how: sizes.append(at[1].num_rows) or found(*at, **how))
    for ask in (
        lambda data: dn.estimate(asked, data, "`my.age` > 0.25 and y == 'yes'"),
        lambda data: dn.mean(asked, data, "my.age", given="y == 'yes'"),
        lambda data: dn.quantile(asked, data, "my.age", 0.3),
    ):
        here, there = ask(replies), ask(source)
        assert (there.value, there.stderr) == pytest.approx((here.value, here.stderr))
    assert max(sizes) < 500


@pytest.mark.parametrize("kind", ["polars", "parquet"])
def test_impossible_replies_are_told_of_once(survey, sources, kind):
    asked, replies = survey
    spoiled = replies.assign(smokes="yes")
    with pytest.warns(UserWarning, match="whatever the truth") as found:
        dn.estimate(asked, sources(spoiled)[kind], given="age > 50")
    assert len([each for each in found if "whatever the truth" in str(each.message)]) == 1


def test_a_model_of_others_gets_numbers_only_where_all_is_in_the_clear(survey, monkeypatch):
    from sklearn.dummy import DummyClassifier

    _, replies = survey
    whole = dn.Design(
        [dn.clear(dn.number("age", 18, 80, cells=5)), dn.warner(0.95, dn.yes_no("leave"))], target="leave"
    )
    model = DummyClassifier(strategy="constant", constant="no").fit(replies[["age"]], replies["leave"])
    sizes, found = [], frame.distinct_in
    monkeypatch.setattr(frame, "distinct_in", lambda *at, **how: sizes.append(at[1].num_rows) or found(*at, **how))
    here, there = (dn.score(model, whole, data) for data in (replies, pl.from_pandas(replies).lazy()))
    assert there == here
    assert max(sizes) < 50
