"""Replies that are counted again and again.

A tree asks at every node: among these replies, how often does each answer to each question occur? So as many
questions as fit are packed into one byte per reply, and one count of bytes tells about all of them.

legend: a *word* is a small whole number that holds a reply's cells of some questions; a *corner* is any part of the
replies that is to be counted by itself, say a class; a *column* is one cell of one question (the target's are left out)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.packed import MOST_KEYS, digit, distinct_keys, pack
from deniable.frame.columns import cell_type

Cells = NDArray[Any]  # small whole numbers
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
BYTE = 256
CHUNK = 2**16  # rows that are tallied at once: they stay in the processor's cache


@dataclass(frozen=True)
class Word:
    """Some questions' cells in one number per reply."""

    keys: NDArray[Any]
    width: int  # numbers there may be
    shown: Floats | None  # which number shows which columns; none for a single question

    @classmethod
    def of(cls, columns: Sequence[Cells], sizes: Sequence[int]) -> Self:
        """Pack these questions."""
        if len(columns) == 1:
            return cls(columns[0], sizes[0], None)
        cells = np.unravel_index(np.arange(prod(sizes)), sizes)
        shown = [each[:, None] == np.arange(size) for each, size in zip(cells, sizes, strict=True)]
        padded = np.zeros((BYTE, sum(sizes)))
        padded[: prod(sizes)] = np.hstack(shown)
        return cls(pack(columns, sizes, np.dtype(np.uint8)), BYTE, padded)


@dataclass(frozen=True)
class Records:
    """Distinct replies as cells, question by question (the target last), and how often each occurs."""

    cells: tuple[Cells, ...]
    sizes: tuple[int, ...]  # reported cells of each question
    times: Floats

    @classmethod
    def of(cls, columns: Sequence[Cells], sizes: tuple[int, ...]) -> Self:
        """Each distinct reply once; where nearly all differ anyway, the replies as they are."""
        if prod(sizes) > MOST_KEYS:
            return cls(tuple(columns), sizes, np.ones(len(columns[0])))
        keys, times = distinct_keys(columns, sizes)
        return cls(
            tuple(digit(keys, sizes, place).astype(cell_type(size)) for place, size in enumerate(sizes)), sizes, times
        )

    def part(self, rows: slice | Rows) -> "Records":
        """Some of the replies."""
        return Records(tuple(column[rows] for column in self.cells), self.sizes, self.times[rows])

    def target_only(self) -> "Records":
        """The same replies to the target alone."""
        times = np.bincount(self.cells[-1], self.times, minlength=self.sizes[-1]).astype(float)
        return Records((np.arange(self.sizes[-1]),), self.sizes[-1:], times)

    def columns(self, question: int) -> NDArray[np.intp]:
        """The columns of a question in a tally."""
        return self._columns[question]

    @cached_property
    def _columns(self) -> list[NDArray[np.intp]]:
        return np.split(np.arange(sum(self.sizes[:-1])), np.cumsum(self.sizes[:-1])[:-1])

    @cached_property
    def _once(self) -> bool:
        """Whether each reply occurs once, so that counting needs no weights."""
        return bool((self.times == 1).all())

    @cached_property
    def _words(self) -> list[Word]:
        runs: list[list[int]] = []
        for question, size in enumerate(self.sizes[:-1]):
            if runs and prod(self.sizes[each] for each in runs[-1]) * size <= BYTE:
                runs[-1].append(question)
            else:
                runs.append([question])
        return [Word.of([self.cells[each] for each in run], [self.sizes[each] for each in run]) for run in runs]

    def weights(self, rows: Rows) -> Floats | None:
        """How often each of these replies occurs, unless all occur once."""
        return None if self._once else self.times[rows]

    def tally(self, rows: Rows, corners: NDArray[Any], count: int, weights: Floats | None) -> Floats:
        """How often each column occurs among these replies, for each of so many corners: [corner, column]."""
        sums = [np.zeros(count * word.width) for word in self._words]
        kind = np.min_scalar_type(count * max((word.width for word in self._words), default=1))
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            some, corner = rows[part], corners[part].astype(kind)
            weight = None if weights is None else weights[part]
            places = {width: corner * width for width in {word.width for word in self._words}}
            for word, into in zip(self._words, sums, strict=True):
                into += np.bincount(word.keys.take(some) + places[word.width], weight, minlength=len(into))
        tables = [into.reshape(count, word.width) for into, word in zip(sums, self._words, strict=True)]
        shown = [
            table if word.shown is None else table @ word.shown for table, word in zip(tables, self._words, strict=True)
        ]
        return np.hstack(shown) if shown else np.zeros((count, 0))
