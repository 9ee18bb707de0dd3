"""Replies that are counted again and again.

A tree asks at every node: among these replies, how often does each answer to each question occur? So as many
questions as fit are packed into one byte per reply, and one count of bytes tells about all of them.

legend: a *corner* is a part of the replies that is to be counted by itself, say a class; a *column* is one cell of one
question (the target's are left out)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import Distinct
from deniable.count.packed import MAX_KEYS, digit, distinct_keys, pack
from deniable.frame.columns import cell_type

Cells = NDArray[Any]  # small whole numbers
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
BYTE = 256
CHUNK = 2**14  # rows that are tallied at once: they stay in the processor's cache


@dataclass(frozen=True)
class Records:
    """Distinct replies as cells, question by question (the target last), and how often each occurs."""

    cells: tuple[Cells, ...]
    sizes: tuple[int, ...]  # reported cells of each question
    counts: Floats

    @classmethod
    def of(cls, columns: Sequence[Cells], sizes: tuple[int, ...], counts: Floats | None = None) -> Self:
        """Each distinct reply once; where nearly all differ anyway, the replies as they are.

        Those that were counted before occur so many times.
        """
        if prod(sizes) > MAX_KEYS:
            return cls(tuple(columns), sizes, np.ones(len(columns[0])) if counts is None else counts)
        keys, counts = distinct_keys(columns, sizes, counts)
        cells = [digit(keys, sizes, index).astype(cell_type(size)) for index, size in enumerate(sizes)]
        return cls(tuple(cells), sizes, counts)

    def part(self, rows: slice | Rows) -> "Records":
        """Some of the replies."""
        return Records(tuple(column[rows] for column in self.cells), self.sizes, self.counts[rows])

    def named(self, names: Sequence[str]) -> Distinct:
        """The same replies to questions of these names, as counts of which estimates can be asked."""
        return Distinct(dict(zip(names, self.cells, strict=True)), self.counts)

    def target_only(self) -> "Records":
        """The same replies to the target alone."""
        counts = np.bincount(self.cells[-1], self.counts, minlength=self.sizes[-1]).astype(float)
        return Records((np.arange(self.sizes[-1]),), self.sizes[-1:], counts)

    @cached_property
    def people(self) -> float:
        """How many replies there are, distinct or not."""
        return float(self.counts.sum())

    @cached_property
    def whole(self) -> bool:
        """Whether all replies occur a whole number of times, so that differences of counts are exact."""
        return bool((self.counts == np.rint(self.counts)).all())

    @cached_property
    def few(self) -> "Records":
        """The same replies, where questions of more cells than a byte holds stand aside with one cell."""
        if max(self.sizes[:-1], default=0) <= BYTE:
            return self
        nowhere = np.zeros(len(self.counts), dtype=np.int8)
        kept = [size <= BYTE for size in self.sizes[:-1]] + [True]
        cells = [column if keep else nowhere for column, keep in zip(self.cells, kept, strict=True)]
        sizes = [size if keep else 1 for size, keep in zip(self.sizes, kept, strict=True)]
        return Records(tuple(cells), tuple(sizes), self.counts)

    @cached_property
    def columns(self) -> list[NDArray[np.intp]]:
        """Each question's columns in a tally."""
        return np.split(np.arange(sum(self.sizes[:-1])), np.cumsum(self.sizes[:-2]))

    def weights(self, rows: Rows) -> Floats | None:
        """How often each of these replies occurs, unless all occur once."""
        return None if self._once else self.counts.take(rows)

    def cross(self, question: int, rows: Rows, corners: Cells, count: int, weights: Floats | None) -> Floats:
        """How often each cell of a question occurs in each of so many corners of these replies: [corner, cell]."""
        size = self.sizes[question]
        keys = corners * np.intp(size) + self.cells[question].take(rows)
        return np.bincount(keys, weights, minlength=count * size).astype(float).reshape(count, size)

    def tally(self, rows: Rows, corners: Cells, count: int, weights: Floats | None) -> Floats:
        """The same for all questions, side by side: [corner, column]."""
        found = np.zeros((count, sum(self.sizes[:-1])))
        for question, size in enumerate(self.sizes[:-1]):
            if size > BYTE:
                found[:, self.columns[question]] = self.cross(question, rows, corners, count, weights)
        for run, counted in zip(self._runs, self._byte_counts(rows, corners, count, weights), strict=True):
            by_byte = counted.reshape(count, BYTE)
            alone = len(run.questions) == 1  # then a byte is a cell
            found[:, run.columns] = by_byte[:, : len(run.columns)] if alone else by_byte @ run.shown
        return found

    def _byte_counts(self, rows: Rows, corners: Cells, count: int, weights: Floats | None) -> Floats:
        """How often each byte occurs in each corner: [run, (corner, byte)]."""
        found = np.zeros((len(self._runs), count * BYTE))
        kind = np.min_scalar_type(count * BYTE)
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            fetched, corner = self._bytes.take(rows[part], axis=0), corners[part].astype(kind) * BYTE
            weight = None if weights is None else weights[part]
            for index, into in enumerate(found):
                into += np.bincount(fetched[:, index] + corner, weight, minlength=len(into))
        return found

    @cached_property
    def _once(self) -> bool:
        return bool((self.counts == 1).all())

    @cached_property
    def _runs(self) -> list["Run"]:
        runs: list[list[int]] = []
        for question, size in enumerate(self.sizes[:-1]):
            if runs and prod(self.sizes[each] for each in runs[-1]) * size <= BYTE:
                runs[-1].append(question)
            elif size <= BYTE:
                runs.append([question])
        return [Run.of(run, self) for run in runs]

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        """Each reply's bytes side by side, one for each run, so that a reply is fetched at one go."""
        width = max(1, len(self._runs))
        found = np.zeros((len(self.counts), 1 << (width - 1).bit_length()), dtype=np.uint8)
        for index, run in enumerate(self._runs):
            cells = [self.cells[question] for question in run.questions]
            found[:, index] = pack(cells, [self.sizes[question] for question in run.questions], found.dtype)
        return found


@dataclass(frozen=True)
class Run:
    """Questions whose cells are packed into one byte."""

    questions: tuple[int, ...]
    columns: NDArray[np.intp]
    shown: Floats  # which byte shows which column

    @classmethod
    def of(cls, questions: Sequence[int], records: Records) -> Self:
        """These questions; together they have no more combinations than a byte."""
        sizes = [records.sizes[question] for question in questions]
        cells = np.unravel_index(np.arange(prod(sizes)), sizes)
        shown = np.zeros((BYTE, sum(sizes)))
        shown[: prod(sizes)] = np.hstack(
            [cell[:, None] == np.arange(size) for cell, size in zip(cells, sizes, strict=True)]
        )
        return cls(tuple(questions), np.hstack([records.columns[question] for question in questions]), shown)
