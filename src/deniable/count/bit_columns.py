"""Columns of bits, counted together.

Replies to many yes-no questions are rows of bits. How many rows have each bit set is counted for 64 questions at once,
in lanes within a word that widen as they fill: three rows fit into lanes of two bits, five of their sums into four
bits, seventeen of those into bytes.

    3 (2^1 - 1)  =  2^2 - 1,     5 (2^2 - 1)  =  2^4 - 1,     17 (2^4 - 1)  =  2^8 - 1
"""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
BITS = 8
LANES = (  # rows that are added, the mask of every other lane, and the bits of a lane
    (3, np.uint64(0x5555555555555555), np.uint64(1)),
    (5, np.uint64(0x3333333333333333), np.uint64(2)),
    (17, np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(4)),
)
ROWS = 3 * 5 * 17  # that fill a byte
CHUNK = 128 * ROWS  # that are added at once, in the processor's cache
ORDER = (0, 4, 2, 6, 1, 5, 3, 7)  # of the bits of a byte, in which lanes are split off


def bit_counts(rows: NDArray[np.intp], words: Words) -> NDArray[np.int64]:
    """How many of these rows, [row, word], have each bit of their bytes set: [byte, bit], the lowest bit first."""
    found = np.zeros((words.shape[1] * words.itemsize, BITS), dtype=np.int64)
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        fetched = np.zeros((-(-len(some) // ROWS) * ROWS, words.shape[1]), dtype=np.uint64)
        words.take(some, axis=0, out=fetched[: len(some)], mode="clip")  # which needs no room for a copy
        found += _added(fetched)
    return found


def _added(words: Words) -> NDArray[np.int64]:
    """Sums of the bits of some rows: [byte, bit]."""
    lanes = [words]
    for parts, mask, shift in LANES:
        lanes = [_folded(half & mask, parts) for each in lanes for half in (each, each >> shift)]
    bytes_ = np.array(lanes).view(np.uint8)  # [lane, row, byte]
    return np.asarray(bytes_.sum(axis=1, dtype=np.int64)[list(ORDER)].T)


def _folded(words: Words, parts: int) -> Words:
    return np.asarray(np.add.reduce(words.reshape(parts, -1, words.shape[1]), axis=0))
