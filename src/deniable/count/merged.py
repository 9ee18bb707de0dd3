"""Equal replies merged: each distinct combination of cells and numbers once, with its count.

Frames in memory hand out one row for every respondent. Whatever is computed per reply is computed once for equal ones.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import Distinct
from deniable.count.packed import MAX_DENSE_KEYS, MAX_KEYS
from deniable.frame.columns import Column

SMALL_RANGE = 2**16  # of whole numbers, whose codes need no sorting
LOOKED_AT, MANY = 2**15, 0.95  # values, and the share of distinct ones among them that says so without sorting all
FUTILE = 0.5  # of the rows: where more are distinct, merging them is not worth its time


def merged(replies: Distinct) -> Distinct:
    """The same replies, equal ones put together; as they are where hardly any are equal."""
    order, index = groups(replies)
    if index is None:
        return replies
    counts = np.bincount(index, replies.counts, len(order)).astype(float)
    return Distinct({name: column[order] for name, column in replies.columns.items()}, counts)


def together(many: Sequence[Distinct]) -> Distinct:
    """The replies of several, one after the other."""
    columns = {name: np.concatenate([each.columns[name] for each in many]) for name in many[0].names}
    return Distinct(columns, np.concatenate([each.counts for each in many]))


def groups(replies: Distinct) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
    """One row of each group of equal replies, and every row's group; none where hardly any are equal."""
    rows = len(replies.counts)
    if not rows or not replies.columns:
        return np.zeros(min(rows, 1), dtype=np.intp), np.zeros(rows, dtype=np.intp)
    key, size = np.zeros(rows, dtype=np.int64), 1
    for column in replies.columns.values():
        found = _codes(column)
        if found is None or (found[1] > FUTILE * rows and found[1] > SMALL_RANGE):
            return np.arange(rows), None
        codes, radix = found
        if size * radix > MAX_KEYS:
            keys, key = np.unique(key, return_inverse=True)
            size = len(keys)
        key, size = key * radix + codes, size * radix
    if size <= max(MAX_DENSE_KEYS, rows):
        first = np.full(size, -1, dtype=np.intp)
        first[key[::-1]] = np.arange(rows - 1, -1, -1)
        there = first >= 0
        return first[there], (np.cumsum(there) - 1)[key]
    _, order, index = np.unique(key, return_index=True, return_inverse=True)
    return order, index


def same_rows(known: Sequence[Column], asked: Sequence[Column]) -> NDArray[np.intp]:
    """For each row of some columns a known one that has the same values, which there must be."""
    old, new = np.zeros(len(known[0]), np.int64), np.zeros(len(asked[0]), np.int64)
    for before, now in zip(known, asked, strict=True):
        values, codes = np.unique(before, return_inverse=True)
        pairs, old = np.unique(old * len(values) + codes, return_inverse=True)
        new = np.searchsorted(pairs, new * len(values) + np.searchsorted(values, now))
    first = np.unique(old, return_index=True)[1]
    return np.asarray(first[new])


def _codes(column: Column) -> tuple[NDArray[np.int64], int] | None:
    """A whole number from 0 on for each value, equal for equal ones, and how many there may be.

    None where hardly any two values of many are equal.
    """
    if column.dtype.kind != "f":
        codes = column.astype(np.int64)
    else:
        there = ~np.isnan(column)
        low = column[there].min(initial=np.inf)
        spread = column[there].max(initial=-np.inf) - low
        if not (spread < SMALL_RANGE and (np.rint(column[there]) == column[there]).all()):
            some = column[:: max(1, len(column) // LOOKED_AT)]
            if len(some) >= LOOKED_AT and len(np.unique(some)) > MANY * len(some):
                return None
            found, index = np.unique(column, return_inverse=True)
            return index.astype(np.int64), len(found)
        codes = np.where(there, column - low, -1).astype(np.int64)
    low_code = int(codes.min(initial=0))
    return codes - low_code, int(codes.max(initial=0)) - low_code + 1
