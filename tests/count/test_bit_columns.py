"""Columns of bits are counted as if one by one, whatever the number of rows."""

import numpy as np
import pytest

from deniable.count import bit_columns
from deniable.count.bit_columns import ROWS, bit_counts
from deniable.inference.population import records
from deniable.inference.population.records import Records


@pytest.mark.parametrize("count", [0, 1, ROWS - 1, ROWS, ROWS + 1, 5 * ROWS])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_every_bit_is_counted(count, share, monkeypatch):
    monkeypatch.setattr(bit_columns, "CHUNK", 2 * ROWS)
    rng = np.random.default_rng(count)
    bits = rng.random((2000, 128)) < share
    words = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    rows = rng.choice(len(bits), count)
    assert bit_counts(rows, words).ravel().tolist() == bits[rows].sum(axis=0).tolist()


def test_bits_and_bytes_give_the_same_tables(monkeypatch):
    """Yes-no questions beside others, in packs of fewer than eight too."""
    rng = np.random.default_rng(1)
    sizes = (*[2] * 50, 3, 3, 3, 1, *[2] * 13, 300, *[2] * 5, 4)
    cells = tuple(rng.integers(0, size, 3000).astype(np.int16) for size in sizes)
    rows = np.flatnonzero(rng.random(3000) < 0.6)
    bins = rng.integers(0, 6, len(rows)).astype(np.int8)
    tables = []
    for least in (1, 10**9):
        monkeypatch.setattr(records, "MIN_ROWS_OF_BITS", least)
        tables.append(Records(cells, sizes, np.ones(3000)).tally(rows, bins, 6, None))
    assert np.array_equal(*tables)
