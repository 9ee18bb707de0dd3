"""Distinct replies, packed for repeated counting.

A tree needs at every node how often each answer to each question occurs among some replies. As many questions as fit
are packed into one byte per reply, so that one count of the bytes gives the counts of all of them:

    counts[bin, column]  =  sum over bytes b of  (replies in the bin with byte b) indicator[b, column]

legend: a *bin* is a set of replies that is counted by itself, for example those of one class; a *column* is one cell
of one question (the target has none)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.bit_columns import BITS, bit_counts
from deniable.count.counts import Distinct, row_order
from deniable.count.packed import MAX_KEYS, digit, distinct_keys, pack
from deniable.frame.columns import cell_type

Cells = NDArray[Any]  # [row] small whole numbers
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
BYTE = 256
MIN_ROWS_OF_BITS, MIN_BYTES_OF_BITS = 2**13, 8  # from which on counting bits takes less time than counting bytes
CHUNK = 2**14  # rows counted at once, so that they stay in the processor's cache


@dataclass(frozen=True)
class Records:
    """Distinct replies as cells, question by question (the target last), and how often each occurs."""

    cells: tuple[Cells, ...]
    sizes: tuple[int, ...]  # reported cells of each question
    counts: Floats

    @classmethod
    def of(cls, columns: Sequence[Cells], sizes: tuple[int, ...], counts: Floats | None = None) -> Self:
        """Each distinct reply once; the replies as they are where there are too many possible ones to sort by.

        `counts` is how often each reply occurs, if they were counted before.
        """
        if prod(sizes) > MAX_KEYS:
            return cls(tuple(columns), sizes, np.ones(len(columns[0])) if counts is None else counts)
        keys, counts = distinct_keys(columns, sizes, counts)
        cells = [digit(keys, sizes, index).astype(cell_type(size)) for index, size in enumerate(sizes)]
        return cls(tuple(cells), sizes, counts)

    def in_order(self) -> "Records":
        """The same replies in an order that does not depend on the engine that counted them."""
        return self.part(row_order(self.cells))

    def part(self, rows: slice | Rows) -> "Records":
        """Some of the replies."""
        return Records(tuple(column[rows] for column in self.cells), self.sizes, self.counts[rows])

    def named(self, names: Sequence[str]) -> Distinct:
        """The same replies under the names of their questions, as the estimators take them."""
        return Distinct(dict(zip(names, self.cells, strict=True)), self.counts)

    @cached_property
    def total(self) -> float:
        """The number of all replies, distinct or not."""
        return float(self.counts.sum())

    @cached_property
    def has_whole_counts(self) -> bool:
        """Whether all counts are whole numbers, so that differences between them are exact."""
        return bool((self.counts == np.rint(self.counts)).all())

    @cached_property
    def byte_sized(self) -> "Records":
        """The same replies with a single cell for each question that has more cells than a byte holds."""
        if max(self.sizes[:-1], default=0) <= BYTE:
            return self
        one_cell = np.zeros(len(self.counts), dtype=np.int8)
        kept = [size <= BYTE for size in self.sizes[:-1]] + [True]
        cells = [column if keep else one_cell for column, keep in zip(self.cells, kept, strict=True)]
        sizes = [size if keep else 1 for size, keep in zip(self.sizes, kept, strict=True)]
        return Records(tuple(cells), tuple(sizes), self.counts)

    @cached_property
    def columns(self) -> list[NDArray[np.intp]]:
        """The columns of each question."""
        return np.split(np.arange(sum(self.sizes[:-1])), np.cumsum(self.sizes[:-2]))

    def columns_of(self, questions: tuple[int, ...]) -> NDArray[np.intp]:
        """The columns of questions with equally many cells: [question, cell]."""
        if questions not in self._columns_of:
            self._columns_of[questions] = np.array([self.columns[question] for question in questions])
        return self._columns_of[questions]

    @cached_property
    def _columns_of(self) -> dict[tuple[int, ...], NDArray[np.intp]]:
        return {}

    def weights(self, rows: Rows) -> Floats | None:
        """How often each of these replies occurs; None if every reply occurs once."""
        return None if self._all_once else self.counts.take(rows)

    def cross(self, question: int, rows: Rows, bins: Cells, count: int, weights: Floats | None) -> Floats:
        """How often each cell of a question occurs in each of `count` bins of these replies: [bin, cell]."""
        size = self.sizes[question]
        keys = bins * np.intp(size) + self.cells[question].take(rows)
        return np.bincount(keys, weights, minlength=count * size).astype(float).reshape(count, size)

    def tally(self, rows: Rows, bins: Cells, count: int, weights: Floats | None) -> Floats:
        """The same for all questions, side by side: [bin, column]."""
        found = np.zeros((count, sum(self.sizes[:-1])))
        for question, size in enumerate(self.sizes[:-1]):
            if size > BYTE:
                found[:, self.columns[question]] = self.cross(question, rows, bins, count, weights)
        bits = weights is None and len(rows) >= MIN_ROWS_OF_BITS and len(self._packs) >= MIN_BYTES_OF_BITS
        packs = [index for index, each in enumerate(self._packs) if not (bits and each.is_bits)]
        if bits:
            self._count_bits(rows, bins, found)
        for index, counted in zip(packs, self._byte_counts(packs, rows, bins, count, weights), strict=True):
            each, by_byte = self._packs[index], counted.reshape(count, BYTE)
            alone = len(each.questions) == 1  # then a byte is a cell
            found[:, each.columns] = by_byte[:, : each.indicator.shape[1]] if alone else by_byte @ each.indicator
        return found

    def _count_bits(self, rows: Rows, bins: Cells, found: Floats) -> None:
        """Fill in the counts of questions with two cells, [bin, column], bit by bit."""
        words, (bits, columns) = self._bytes.view(np.uint64), self._bit_columns
        for each_bin, into in enumerate(found):
            here = rows.take(np.flatnonzero(bins == each_bin))
            ones = bit_counts(here, words).ravel()[bits]
            into[columns], into[columns + 1] = len(here) - ones, ones

    @cached_property
    def _bit_columns(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The bit of each question with two cells that is one bit of its pack, and the column of its first cell."""
        found = [
            (pack * BITS + len(each.questions) - 1 - index, self.columns[question][0])  # the first is the highest bit
            for pack, each in enumerate(self._packs)
            if each.is_bits
            for index, question in enumerate(each.questions)
        ]
        return tuple(np.array(found, dtype=np.intp).reshape(-1, 2).T)  # type: ignore[return-value]

    def _byte_counts(self, packs: Sequence[int], rows: Rows, bins: Cells, count: int, weights: Floats | None) -> Floats:
        """How often each byte of some packs occurs in each bin: [pack, (bin, byte)]."""
        found = np.zeros((len(packs), count * BYTE))
        dtype = np.min_scalar_type(count * BYTE)
        for start in range(0, len(rows) if packs else 0, CHUNK):
            part = slice(start, start + CHUNK)
            fetched, offset = self._bytes.take(rows[part], axis=0), bins[part].astype(dtype) * BYTE
            weight = None if weights is None else weights[part]
            for index, into in zip(packs, found, strict=True):
                into += np.bincount(fetched[:, index] + offset, weight, minlength=len(into))
        return found

    @cached_property
    def _all_once(self) -> bool:
        return bool((self.counts == 1).all())

    @cached_property
    def _packs(self) -> list["BytePack"]:
        packs: list[list[int]] = []
        for question, size in enumerate(self.sizes[:-1]):
            if packs and prod(self.sizes[each] for each in packs[-1]) * size <= BYTE:
                packs[-1].append(question)
            elif size <= BYTE:
                packs.append([question])
        return [BytePack.of(questions, self) for questions in packs]

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        """Each reply's bytes side by side, so that one access to memory fetches them all: [row, pack]."""
        width = max(1, len(self._packs))
        found = np.zeros((len(self.counts), 1 << (width - 1).bit_length()), dtype=np.uint8)
        for index, questions in enumerate(each.questions for each in self._packs):
            cells = [self.cells[question] for question in questions]
            found[:, index] = pack(cells, [self.sizes[question] for question in questions], found.dtype)
        return found


@dataclass(frozen=True)
class BytePack:
    """Questions whose cells are packed into one byte."""

    questions: tuple[int, ...]
    columns: NDArray[np.intp] | slice  # of these questions
    indicator: Floats  # [byte, column] 1 where the byte contains the cell
    is_bits: bool  # whether every bit is a question of two cells

    @classmethod
    def of(cls, questions: Sequence[int], records: Records) -> Self:
        """Pack questions that together have no more combinations of cells than a byte."""
        sizes = [records.sizes[question] for question in questions]
        cells = np.unravel_index(np.arange(prod(sizes)), sizes)
        indicator = np.zeros((BYTE, sum(sizes)))
        indicator[: prod(sizes)] = np.hstack(
            [cell[:, None] == np.arange(size) for cell, size in zip(cells, sizes, strict=True)]
        )
        columns = np.hstack([records.columns[question] for question in questions])
        together = int(columns[-1]) - int(columns[0]) + 1 == len(columns)  # then a slice, which is quicker
        where = slice(int(columns[0]), int(columns[-1]) + 1) if together else columns
        return cls(tuple(questions), where, indicator, all(size == 2 for size in sizes))
