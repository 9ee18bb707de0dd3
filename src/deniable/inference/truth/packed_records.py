"""Records packed for a model that is fitted to them again and again.

Neighbouring questions are packed into bytes. One count of every two bytes gives the products of all their cells, and
one look-up of a byte the chances of several questions:

    products[a, b]  =  shown_a' H shown_b,     H[i, j] = people whose bytes are i and j
    log chance      =  sum over groups of questions of  table[byte of their cells and of those they depend on]

legend: a, b packs of questions; shown[i, c] whether byte i has cell c, of all cells but each question's first
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.count.packed import BYTE, pack
from deniable.inference.population.records import Cells, Floats
from deniable.inference.truth.dependence import DependenceTree, products_of, shown_cells, shown_pieces

MIN_RECORDS = 2**12  # from which on counting bytes takes less time than multiplying cells
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class _Pack:
    """Questions in one byte: each record's byte, and the shown cells of every byte."""

    bytes: Bytes  # [record]
    shown: Floats  # [byte, shown cell]


class PackedRecords:
    """Records given as one row of cells per question, looked at again in every round of a fit."""

    def __init__(self, cells: Cells, sizes: Sequence[int]) -> None:
        self._cells, self._sizes = cells, tuple(sizes)
        self._keys: tuple[object, list[tuple[list[int], Bytes]]] = (None, [])

    def products(self, weights: Floats) -> Floats:
        """How many people are in every two cells at once, as `cell_products` has them."""
        if len(weights) < MIN_RECORDS or max(self._sizes) > BYTE:
            return products_of(self._shown_pieces, weights)
        starts = np.cumsum([1, *(each.shown.shape[1] for each in self._packs)])
        found = np.empty((starts[-1], starts[-1]))
        found[0, 0] = weights.sum()
        for one, two in combinations_with_replacement(range(len(self._packs)), 2):
            first, second = self._packs[one], self._packs[two]
            here, there = slice(starts[one], starts[one + 1]), slice(starts[two], starts[two + 1])
            if one == two:
                people = np.bincount(first.bytes, weights, minlength=len(first.shown))
                found[0, here] = found[here, 0] = people @ first.shown
                found[here, here] = (first.shown.T * people) @ first.shown
            else:
                keys = first.bytes.astype(np.uint16) * np.uint16(len(second.shown)) + second.bytes
                shape = len(first.shown), len(second.shown)
                people = np.bincount(keys, weights, minlength=prod(shape)).reshape(shape)
                found[here, there] = first.shown.T @ people @ second.shown
                found[there, here] = found[here, there].T
        return found

    def log_chance(self, model: DependenceTree) -> Floats:
        """The logarithm of the chance of each record."""
        if self._keys[0] != model.parents:  # which seldom change from round to round
            self._keys = (model.parents, self._grouped(model))
        total = np.zeros(self._cells.shape[1])
        for questions, keys in self._keys[1]:
            table = np.zeros(1)
            for question in questions:
                table = (table[:, None] + np.log(model.chances[question]).ravel()).ravel()
            total += table.take(keys)
        return total

    def _grouped(self, model: DependenceTree) -> list[tuple[list[int], Bytes]]:
        """As many questions together as a byte holds with those they depend on, and each record's byte."""
        groups: list[list[int]] = []
        for question, chances in enumerate(model.chances):
            if groups and prod(model.chances[each].size for each in groups[-1]) * chances.size <= BYTE:
                groups[-1].append(question)
            else:
                groups.append([question])
        return [(questions, self._digits(model, questions)) for questions in groups]

    def _digits(self, model: DependenceTree, questions: Sequence[int]) -> Bytes:
        columns, radices = [], []
        for question in questions:
            parent = model.parents[question]
            both = [question] if parent is None else [parent, question]
            columns += [self._cells[each] for each in both]
            radices += [self._sizes[each] for each in both]
        return pack(columns, radices, np.min_scalar_type(prod(radices) - 1))

    @cached_property
    def _packs(self) -> list[_Pack]:
        runs: list[list[int]] = []
        for question, size in enumerate(self._sizes):
            if runs and prod(self._sizes[each] for each in runs[-1]) * size <= BYTE:
                runs[-1].append(question)
            else:
                runs.append([question])
        found = []
        for run in runs:
            sizes = [self._sizes[question] for question in run]
            every = np.array(np.unravel_index(np.arange(prod(sizes)), sizes))
            packed = pack([self._cells[question] for question in run], sizes, np.dtype(np.uint8))
            found.append(_Pack(packed, shown_cells(every, sizes)[1:].T))
        return found

    @cached_property
    def _shown_pieces(self) -> list[Floats]:
        return shown_pieces(self._cells, self._sizes)
