"""Replies in chunks: sums over chunks, in memory or on disk, are those over all replies at once."""

import gc
import resource
import signal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import deniable as dn
from deniable.count import chunked
from deniable.count.chunked import ChunkedPieces, Slices
from deniable.count.counts import Distinct
from deniable.count.outline import outline_of_pieces

PEOPLE = 3_000
DRAWN = {"weights": "weight", "strata": "region", "clusters": "town"}
pytestmark = pytest.mark.filterwarnings("ignore:.*does not say under which design")


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A design with uncut numbers, replies to it, and files of these."""
    asked = dn.Design(
        [
            dn.clear(dn.number("age", 18, 80)),
            dn.gaussian(dn.number("pay", 0, 100), sd=5),
            dn.warner(0.9, dn.yes_no("smokes")),
            dn.versions({"a": [dn.warner(0.9, dn.yes_no("leave"))], "b": [dn.clear(dn.yes_no("leave"))]}, [0.6, 0.4]),
        ]
    )
    rng = np.random.default_rng(5)
    age, pay, smokes = rng.uniform(18, 80, PEOPLE), rng.uniform(0, 100, PEOPLE), rng.random(PEOPLE) < 0.4
    leaves = rng.random(PEOPLE) < 1 / (1 + np.exp(1 - 0.03 * (age - 40) - smokes + 0.02 * (pay - 50)))
    answers = {"smokes": np.where(smokes, "yes", "no"), "leave": np.where(leaves, "yes", "no")}
    town = rng.integers(0, 20, PEOPLE)
    hours = np.where(rng.random(PEOPLE) < 0.02, np.nan, 40 + 0.1 * age + rng.normal(0, 5, PEOPLE))
    weight = np.where(rng.random(PEOPLE) < 0.02, 0.0, rng.uniform(0.5, 2, PEOPLE))
    replies = dn.disguise(asked, pd.DataFrame({"age": age, "pay": pay, **answers}), seed=2).assign(
        hours=hours, weight=weight, town=town, kind=town % 3, region=np.array(["east", "west"])[town % 2]
    )
    folder = tmp_path_factory.mktemp("chunked")
    replies.to_parquet(folder / "replies.parquet")
    replies.to_csv(folder / "replies.csv", index=False)
    lazy = pl.from_pandas(replies).lazy()
    return asked, {
        "pandas": replies,
        "lazy": lazy,
        "parquet": folder / "replies.parquet",
        "csv": folder / "replies.csv",
    }


@pytest.mark.parametrize("kind", ["pandas", "lazy", "parquet", "csv"])
@pytest.mark.parametrize(
    ("formula", "how"),
    [
        ("leave ~ age + C(kind)", DRAWN),
        ("leave ~ smokes * age + pay", {"weights": "weight"}),
        ("hours ~ log(age) + region", {}),
        ("leave ~ poly(age, 2)", {"population": 9_000}),
        ("leave ~ smokes + kind + pay", {}),  # many replies of every chunk are alike
    ],
)
def test_regressions_in_chunks_are_those_of_all_replies_at_once(survey, monkeypatch, kind, formula, how):
    asked, sources = survey
    whole = dn.regress(asked, sources[kind], formula, **how)
    for name, size in (("MAX_AT_ONCE", 500), ("ROWS", 700)):
        monkeypatch.setattr(chunked, name, size)
    parts = dn.regress(asked, sources[kind], formula, **how)
    assert isinstance(parts.fit.pieces, ChunkedPieces)
    assert (parts.n, parts.note, parts.method) == (whole.n, whole.note, whole.method)
    for what in ("estimate", "stderr"):
        both = [[getattr(each, what) for each in found.coefficients] for found in (parts, whole)]
        np.testing.assert_allclose(*both, rtol=1e-8, err_msg=what)
    assert parts.fit.index_error == pytest.approx(whole.fit.index_error)
    effects = [[(each.value, each.stderr) for *_, each in found.effects] for found in (parts, whole)]
    np.testing.assert_allclose(*effects, rtol=1e-6)
    shares = [[(each.value, each.stderr) for *_, each in found.shares(None, None)] for found in (parts, whole)]
    np.testing.assert_allclose(*shares, rtol=1e-6)


@pytest.mark.parametrize("kind", ["pandas", "parquet"])
def test_raked_weights_in_chunks_are_those_of_all_replies_at_once(survey, monkeypatch, kind):
    asked, sources = survey
    margins = {"region": {"east": 0.3, "west": 0.7}}
    frame = sources["pandas"]
    whole = dn.rake(asked, sources[kind], margins, weights="weight")
    monkeypatch.setattr(chunked, "MAX_AT_ONCE", 500)
    parts = dn.rake(asked, sources[kind], margins, weights="weight")
    np.testing.assert_allclose(np.asarray(parts, dtype=float), np.asarray(whole, dtype=float))
    assert np.average(frame.region == "east", weights=np.asarray(parts, dtype=float)) == pytest.approx(0.3)


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_an_outline_has_the_ends_of_numbers_and_the_signs_of_weights(monkeypatch, rows):
    monkeypatch.setattr(chunked, "ROWS", rows)
    columns = {
        "age": np.array([20.0, 30.0, np.nan, 40.0, 50.0]),
        "smokes": np.array([0, 1, 1, 0, 1], dtype=np.int8),
        "weight": np.array([1.0, 2.0, 0.0, np.nan, -0.5]),
    }
    found = outline_of_pieces(Slices(Distinct(columns, np.ones(5))), ["age"], "weight")
    assert found.n == 5
    there = {tuple(row) for row in np.column_stack(list(found.columns.values())).tolist() if not np.isnan(row).any()}
    assert there == {(20, 0, 2), (50, 0, 2), (20, 1, 2), (50, 1, 2), (20, 1, -0.5), (50, 1, -0.5)}
    assert np.isnan(found.columns["age"]).sum() == 2
    assert (found.columns["weight"][np.isnan(found.columns["age"])] == 0).all()


def test_two_passes_at_once_and_the_end_of_a_spool(survey, monkeypatch):
    asked, sources = survey
    monkeypatch.setattr(chunked, "MAX_AT_ONCE", 500)
    fit = dn.regress(asked, sources["parquet"], "leave ~ age").fit
    spool = fit.pieces.chunks
    once = [chunk.columns["age"].sum() for chunk in spool]
    assert [one.columns["age"].sum() for one, _ in zip(spool, spool, strict=True)] == once
    file = spool._file
    assert not file.closed
    del fit, spool
    gc.collect()
    assert file.closed


def test_a_disk_without_room_is_told_in_one_line(survey, monkeypatch):
    asked, sources = survey
    monkeypatch.setattr(chunked, "MAX_AT_ONCE", 500)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(dn.DeniableError, match=r"cannot be kept on the disk .*; make room there") as refused:
            dn.regress(asked, sources["parquet"], "leave ~ age")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "\n" not in str(refused.value)


def test_a_spline_has_effects_at_its_ends(survey):
    asked, sources = survey
    found = dn.regress(asked, sources["pandas"], "leave ~ bs(age, df=4)")
    ((*_, effect),) = found.effects
    assert 0 < effect.value < 0.02
    assert effect.stderr > 0
