"""Packed keys: combinations of cells as one integer each.

A reply to several questions is one number in mixed radix. Counting those numbers once gives the distinct replies, and
every table is then a sum over the distinct, however many replies there were.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.frame.columns import Column

CHUNK = 2**18  # rows that are tallied at once: they stay in the processor's cache
MAX_DENSE_KEYS = 2**20  # keys up to here are counted in a table; beyond, by sorting
MAX_KEYS = 2**62
BYTE = 256
GAP, MIN_GAPPED = 8, 64  # cells of a table: a line of the cache; and the numbers from which on it costs little room


def distinct_keys(
    columns: Sequence[Column], radices: Sequence[int], weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct combinations of some columns' cells, each packed into one number, and how often each occurs."""
    count, rows = prod(radices), len(columns[0])
    weights = None if weights is None or (weights == 1).all() else weights
    if count > MAX_DENSE_KEYS:
        return _sorted_keys(pack(columns, radices, np.dtype(np.int64)), weights)
    low, gap = _lowest_run(radices)
    counts, chunk = np.zeros(count // low * (low + gap)), max(CHUNK, count)
    kind = np.min_scalar_type(len(counts) - 1)
    for start in range(0, rows, chunk):
        part = [column[start : start + chunk] for column in columns]
        weight = None if weights is None else weights[start : start + chunk]
        counts += np.bincount(pack(part, radices, kind, gap), weight, minlength=len(counts))
    counts = counts.reshape(-1, low + gap)[:, :low].ravel()
    found = np.flatnonzero(counts)
    return found, counts[found]


def _lowest_run(radices: Sequence[int]) -> tuple[int, int]:
    """How many combinations the digits of the lowest byte have, and how many cells of a table to leave free after them.

    Without a gap cells that differ in higher digits only lie whole powers of 2 apart and share a few places of the
    processor's cache: counting takes twice as long.
    """
    runs = _byte_runs([radix for radix in radices if radix > 1])
    low = prod(runs[-1]) if len(runs) > 1 else 1
    return low, GAP if low >= MIN_GAPPED else 0


def dense_distinct(columns: Sequence[Column]) -> tuple[list[Column], NDArray[np.float64]] | None:
    """The distinct rows of some columns of cells and how often each occurs, sorted; none where a table is too large.

    Cells may be negative (an answer that was left out).
    """
    if not columns or not len(columns[0]) or any(column.dtype.kind == "f" for column in columns):
        return None
    lowest, radices = [], []
    for column in columns:
        low, high = _range(column)
        lowest.append(low)
        radices.append(high - low + 1)
        if prod(radices) > min(MAX_DENSE_KEYS, len(column)):
            return None
    shifted = [column - column.dtype.type(low) if low else column for column, low in zip(columns, lowest, strict=True)]
    keys, counts = distinct_keys(shifted, radices)
    cells = [
        (digit(keys, radices, index) + low).astype(column.dtype)
        for index, (column, low) in enumerate(zip(columns, lowest, strict=True))
    ]
    return cells, counts


def _range(cells: Column) -> tuple[int, int]:
    """The lowest cell, 0 if none is negative, and the highest: seen at one look where none is negative."""
    highest = int(_unsigned(cells).max())
    if highest <= np.iinfo(cells.dtype).max:
        return 0, highest
    return int(cells.min()), int(cells.max())


def _sorted_keys(
    keys: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if weights is None:
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(float)
    found, which = np.unique(keys, return_inverse=True)
    return found, np.bincount(which, weights).astype(float)


def pack(columns: Sequence[Column], radices: Sequence[int], kind: np.dtype[Any], gap: int = 0) -> NDArray[Any]:
    """Each row's cells as one number of this type; the first column's cell is its highest digit.

    After every so many numbers as the lowest byte takes, `gap` are left out.
    Digits that fit into a byte together are put together as bytes first, which takes a fraction of the time.
    """
    digits = [(column, radix) for column, radix in zip(columns, radices, strict=True) if radix > 1]
    if not digits:
        return np.zeros(len(columns[0]), dtype=kind)
    lengths = [len(run) for run in _byte_runs([radix for _, radix in digits])]
    runs = [digits[end - length : end] for end, length in zip(accumulate(lengths), lengths, strict=True)]
    keys = np.empty(len(columns[0]), dtype=kind)
    for start in range(0, len(keys), CHUNK):
        rows = slice(start, start + CHUNK)
        here = keys[rows]
        here[:] = _byte(runs[0], rows)
        for index, run in enumerate(runs[1:], 1):
            here *= prod(radix for _, radix in run) + (gap if index == len(runs) - 1 else 0)
            np.add(here, _byte(run, rows), out=here, casting="unsafe")
    return keys


Digits = list[tuple[Column, int]]  # a column's cells, and how many there are


def _byte_runs(radices: Sequence[int]) -> list[list[int]]:
    """Neighbouring digits, as many together as a byte holds."""
    runs: list[list[int]] = []
    for radix in radices:
        if runs and prod(runs[-1]) * radix <= BYTE:
            runs[-1].append(radix)
        else:
            runs.append([radix])
    return runs


def _byte(run: Digits, rows: slice) -> Column:
    """Some digits of some rows as one byte each; a digit that is larger than that by itself."""
    if len(run) == 1:
        return _unsigned(run[0][0][rows])
    found: NDArray[np.uint8] = run[0][0][rows].astype(np.uint8)
    for column, radix in run[1:]:
        np.add(found, found, out=found) if radix == 2 else np.multiply(found, np.uint8(radix), out=found)
        np.add(found, _unsigned(column[rows]), out=found, casting="unsafe")
    return found


def _unsigned(cells: Column) -> Column:
    """Cells are never negative here, and unsigned types need no room for it."""
    return cells.view(f"u{cells.itemsize}")


def digit(keys: NDArray[np.int64], radices: Sequence[int], index: int) -> NDArray[np.int64]:
    """The cells of one column, from packed numbers."""
    return np.asarray(keys // prod(radices[index + 1 :]) % radices[index])
