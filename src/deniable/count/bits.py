"""Bitmaps of replies: one bit for each reply and property.

Replies that have several properties are then an AND of their bits and a count of the ones, 64 replies at a time. A
reply that occurs several times is written into one block for each power of two in its count, and a block's ones count
that power: five equal replies are one bit that counts once and one that counts four times. Replies of people with
weights count in halves, quarters and so on, down to 2^-40 of the largest: so exact is every count, however replies
were grouped.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import frexp
from typing import Self

import numpy as np
from numpy.typing import NDArray

WORD = 64  # bits
CACHE = 2**15  # words that are processed together: they stay in the processor's cache
DIGITS = 40  # binary ones of the largest count, where counts are no whole numbers
MIN = 2**8  # words of a property that are processed together, however many properties there are

Sets = NDArray[np.intp]  # one row per set, the indices of its properties in rising order


class Bits:
    """For each property, the replies that have it."""

    def __init__(self, words: NDArray[np.uint64], blocks: Sequence[tuple[int, int, float]]) -> None:
        self.words = words  # [property, word]
        self.blocks = blocks  # first word, word after the last, and what each bit between counts for

    @classmethod
    def of(cls, said: Iterator[NDArray[np.bool_]], things: int, counts: NDArray[np.float64]) -> Self:
        """Pack the bits of distinct replies, property by property; each reply occurs so many times."""
        unit = 1.0 if (counts == np.rint(counts)).all() else 2.0 ** (frexp(counts.max())[1] - DIGITS)
        whole = np.rint(counts / unit).astype(np.int64)
        powers = [power for power in range(int(whole.max(initial=1)).bit_length()) if (whole >> power & 1).any()]
        rows = [slice(None) if (whole == 1).all() else np.flatnonzero(whole >> power & 1) for power in powers]
        ends = np.cumsum([0] + [-(-len(whole[some]) // WORD) for some in rows])
        words = np.zeros((things, int(ends[-1])), dtype=np.uint64)
        for thing, each in zip(words.view(np.uint8), said, strict=True):
            for start, some in zip(ends, rows, strict=False):
                packed = np.packbits(each[some])
                thing[8 * start : 8 * start + len(packed)] = packed
        spans = pairwise(ends.tolist())
        return cls(words, [(*span, unit * 2**power) for span, power in zip(spans, powers, strict=True)])

    def counts(self, sets: Sets) -> NDArray[np.float64]:
        """The replies with all properties of each set; sets that differ only in the last one must be adjacent."""
        new = (sets[1:, :-1] != sets[:-1, :-1]).any(axis=1)
        starts = [0, *(np.flatnonzero(new) + 1).tolist(), len(sets)]
        found = np.zeros(len(sets))
        for start, stop in pairwise(starts):
            found[start:stop] = self._with(sets[start, :-1], sets[start:stop, -1])
        return found

    def _with(self, first: NDArray[np.intp], lasts: NDArray[np.intp]) -> NDArray[np.float64]:
        """The replies with all the first properties and one of the last."""
        head = np.bitwise_and.reduce(self.words[first], axis=0)
        found = np.zeros(len(lasts))
        for start, stop, weight in self._pieces(max(CACHE // max(len(lasts), 1), MIN)):
            both = self.words[lasts, start:stop]
            both &= head[start:stop]
            found += weight * np.bitwise_count(both).sum(axis=1, dtype=np.uint32).astype(float)
        return found

    def _pieces(self, length: int) -> Iterator[tuple[int, int, float]]:
        for start, stop, weight in self.blocks:
            for index in range(start, stop, length):
                yield index, min(index + length, stop), weight
