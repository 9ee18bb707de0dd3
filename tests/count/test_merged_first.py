"""Replies in memory: merged into distinct ones where these are few, one by one where rows are asked for."""

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.count.counts import ArrayCounts, Distinct, row_order
from deniable.count.merged import merged
from deniable.count.packed import dense_distinct, distinct_keys
from deniable.count.replies import counts_of


def test_merged_replies_are_those_that_were_given():
    rng = np.random.default_rng(1)
    columns = {"a": rng.integers(-1, 2, 5_000).astype(np.int8), "b": rng.integers(0, 3, 5_000).astype(np.int32)}
    found = ArrayCounts(columns).distinct(["a", "b"], answered=False)
    expected = pd.DataFrame(columns).value_counts(sort=False).sort_index()
    assert list(zip(found.columns["a"], found.columns["b"], strict=True)) == list(expected.index)
    assert found.counts.tolist() == expected.tolist()
    assert {name: column.dtype for name, column in found.columns.items()} == {"a": np.int8, "b": np.int32}
    assert ArrayCounts(columns).distinct(["a", "b"]).n == int((columns["a"] >= 0).sum())


@pytest.mark.parametrize("radices", [(2,) * 15, (3, 1, 5, 2, 7, 4, 9, 2), (2, 255, 64), (2, 200, 3)])
def test_keys_are_counted_whether_or_not_their_table_has_gaps(radices):
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, radix, 30_000).astype(np.int16) for radix in radices]
    weights = rng.integers(1, 5, 30_000).astype(float)
    keys = np.ravel_multi_index(columns, radices)
    expected = np.bincount(keys), np.bincount(keys, weights)
    for (found, counts), wanted in zip(
        [distinct_keys(columns, radices), distinct_keys(columns, radices, weights)], expected, strict=True
    ):
        assert found.tolist() == np.flatnonzero(wanted).tolist()
        assert counts.tolist() == wanted[found].tolist()


def test_numbers_and_many_combinations_stay_as_they_are():
    rows = np.arange(100)
    assert dense_distinct([rows.astype(float)]) is None
    assert dense_distinct([rows, rows]) is None
    assert dense_distinct([]) is None
    assert len(ArrayCounts({"a": rows, "b": rows}).distinct(["a", "b"]).counts) == 100


@pytest.mark.parametrize("rows", [2**15 - 1, 2**15, 40_000, 2**16, 2**16 + 1])
def test_numbers_of_which_hardly_two_are_equal_are_left_as_they_are(rows):
    """Whatever the number of replies: around 2^15 only some are looked at, around 2^16 codes need no sorting."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"leave": rng.choice(["no", "yes"], rows), "lat": rng.random(rows)})
    design = dn.Design([dn.warner(0.8, dn.yes_no("leave"))])
    replies = Distinct({"leave": np.zeros(rows, dtype=np.int8), "lat": frame["lat"].to_numpy()}, np.ones(rows))
    assert merged(replies).n == rows
    assert dn.regress(design, frame, "leave ~ lat").n == rows


def test_rows_are_handed_out_in_their_order_where_that_is_asked_for():
    design = dn.Design([dn.warner(0.8, dn.yes_no("a"))])
    frame = pd.DataFrame({"a": ["yes", "no", "no", "yes"] * 10})
    assert len(counts_of(design, frame).distinct(["a"]).counts) == 2
    rows = counts_of(design, frame, one_by_one=True).distinct(["a"])
    assert rows.columns["a"].tolist() == [1, 0, 0, 1] * 10
    weights = dn.weights(design, frame, "a == 'yes'")
    assert weights.tolist() == pytest.approx(np.where(frame["a"] == "yes", 4 / 3, -1 / 3).tolist())


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_sorted_as_by_all_their_columns(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 200))
    columns = [
        rng.choice([0.0, 1.0, 2.0, np.nan], count) if rng.random() < 0.6 else rng.integers(-1, 3, count).astype(np.int8)
        for _ in range(int(rng.integers(1, 7)))
    ]
    assert row_order(columns).tolist() == np.lexsort(columns[::-1]).tolist()
