"""Packed keys: combinations of cells as one integer each.

A reply to several questions is one number in mixed radix. Counting those numbers once gives the distinct replies, and
every table is then a sum over the distinct, however many replies there were.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.frame.columns import Column

CHUNK = 2**18  # rows that are tallied at once: they stay in the processor's cache
MAX_DENSE_KEYS = 2**20  # keys up to here are counted in a table; beyond, by sorting
MAX_KEYS = 2**62


def distinct_keys(
    columns: Sequence[Column], radices: Sequence[int], weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct combinations of some columns' cells, each packed into one number, and how often each occurs."""
    count, rows = prod(radices), len(columns[0])
    weights = None if weights is None or (weights == 1).all() else weights
    if count > MAX_DENSE_KEYS:
        return _sorted_keys(pack(columns, radices, np.dtype(np.int64)), weights)
    counts, chunk = np.zeros(count), max(CHUNK, count)
    for start in range(0, rows, chunk):
        part = [column[start : start + chunk] for column in columns]
        weight = None if weights is None else weights[start : start + chunk]
        counts += np.bincount(pack(part, radices, np.min_scalar_type(count - 1)), weight, minlength=count)
    found = np.flatnonzero(counts)
    return found, counts[found]


def dense_distinct(columns: Sequence[Column]) -> tuple[list[Column], NDArray[np.float64]] | None:
    """The distinct rows of some columns of cells and how often each occurs, sorted; none where a table is too large.

    Cells may be negative (an answer that was left out).
    """
    if not columns or not len(columns[0]) or any(column.dtype.kind == "f" for column in columns):
        return None
    lowest = [min(int(column.min()), 0) for column in columns]
    radices = [int(column.max()) - low + 1 for column, low in zip(columns, lowest, strict=True)]
    if prod(radices) > min(MAX_DENSE_KEYS, len(columns[0])):
        return None
    shifted = [column - column.dtype.type(low) if low else column for column, low in zip(columns, lowest, strict=True)]
    keys, counts = distinct_keys(shifted, radices)
    cells = [
        (digit(keys, radices, index) + low).astype(column.dtype)
        for index, (column, low) in enumerate(zip(columns, lowest, strict=True))
    ]
    return cells, counts


def _sorted_keys(
    keys: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if weights is None:
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(float)
    found, which = np.unique(keys, return_inverse=True)
    return found, np.bincount(which, weights).astype(float)


def pack(columns: Sequence[Column], radices: Sequence[int], kind: np.dtype[Any]) -> NDArray[Any]:
    """Each row's cells as one number of this type; the first column's cell is its highest digit."""
    keys = np.zeros(len(columns[0]), dtype=kind)
    digits = [(column, radix) for column, radix in zip(columns, radices, strict=True) if radix > 1]
    for start in range(0, len(keys), CHUNK):
        key = keys[start : start + CHUNK]
        for index, (column, radix) in enumerate(digits):
            if index:
                key *= radix
            np.add(key, _unsigned(column[start : start + CHUNK]), out=key, casting="unsafe")
    return keys


def _unsigned(cells: Column) -> Column:
    """Cells are never negative here, and unsigned types need no room for it."""
    return cells.view(f"u{cells.itemsize}")


def digit(keys: NDArray[np.int64], radices: Sequence[int], index: int) -> NDArray[np.int64]:
    """The cells of one column, from packed numbers."""
    return np.asarray(keys // prod(radices[index + 1 :]) % radices[index])
