"""Dependence tree: a model of the truth in which every answer depends on one other.

Of all such models the likeliest joins the pairs of questions with the most mutual information.  Chow and Liu 1968
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.records import Cells, Floats

LAPLACE = 0.25  # added to each pair cell
CHUNK = 2**14  # records that are counted at once


@dataclass(frozen=True)
class DependenceTree:
    """A model of the true answers: each question's chances given the one it depends on (none: its own shares)."""

    parents: tuple[int | None, ...]
    chances: tuple[Floats, ...]  # [parent cell, cell], or [1, cell]

    def log_chance(self, cells: Cells) -> Floats:
        """The logarithm of the chance of each record, given one row of cells per question."""
        total = np.zeros(cells.shape[1])
        for question, (parent, chances) in enumerate(zip(self.parents, self.chances, strict=True)):
            above = 0 if parent is None else cells[parent] * np.intp(chances.shape[1])
            total += np.log(chances).ravel().take(above + cells[question])
        return total


def independent(shares: Sequence[Floats]) -> DependenceTree:
    """The model in which all answers are independent."""
    return DependenceTree((None,) * len(shares), tuple(each[None] for each in shares))


def fit_dependence_tree(products: Floats, sizes: Sequence[int]) -> DependenceTree:
    """The tree with the most mutual information, rooted at the target, from the products of cells."""
    pairs = _pair_counts(products, sizes) + LAPLACE
    root = len(sizes) - 1
    above = _spanning_tree(_information(pairs, sizes), root)
    spans = [slice(start, start + size) for start, size in zip(_starts(sizes), sizes, strict=True)]
    parents = [None if question == root else int(above[question]) for question in range(len(sizes))]
    chances = []
    for question, parent in enumerate(parents):
        other = question - 1 if question else 1
        table = pairs[spans[other if parent is None else parent], spans[question]]
        table = table.sum(axis=0)[None] if parent is None else table
        chances.append(table / table.sum(axis=1, keepdims=True))
    return DependenceTree(tuple(parents), tuple(chances))


def _spanning_tree(weights: Floats, root: int) -> NDArray[np.intp]:
    """The question above each in the tree with the largest sum of weights, grown from the root.  Prim 1957"""
    best, above = weights[root].copy(), np.full(len(weights), root)
    best[root] = -np.inf
    for _ in range(len(weights) - 1):
        joined = int(best.argmax())
        best[joined] = -np.inf
        closer = (weights[joined] > best) & (best > -np.inf)
        best[closer], above[closer] = weights[joined][closer], joined
    return above


def cell_products(cells: Cells, weights: Floats, sizes: Sequence[int]) -> Floats:
    """How many people are in every two cells at once: of everybody, then of all cells but each question's first."""
    return products_of(shown_pieces(cells, sizes), weights)


def products_of(shown: Sequence[Floats], weights: Floats) -> Floats:
    """The same of records whose cells are shown already, in pieces."""
    inner, start = np.zeros((len(shown[0]), len(shown[0]))), 0
    for piece in shown:
        end = start + piece.shape[1]
        inner += (piece * weights[start:end]) @ piece.T
        start = end
    return inner


def shown_pieces(cells: Cells, sizes: Sequence[int]) -> list[Floats]:
    """The shown cells of some records, in pieces that stay in the processor's cache."""
    starts = range(0, max(cells.shape[1], 1), CHUNK)
    return [shown_cells(cells[:, start : start + CHUNK], sizes) for start in starts]


def shown_cells(cells: Cells, sizes: Sequence[int]) -> Floats:
    """Ones, and for all cells but each question's first whether each record has it: [cell, record]."""
    owners = [(question, cell) for question, size in enumerate(sizes) for cell in range(1, size)]
    shown = np.ones((1 + len(owners), cells.shape[1]))
    for index, (question, cell) in enumerate(owners, 1):
        shown[index] = cells[question] == cell
    return shown


def _starts(sizes: Sequence[int]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(sizes[:-1])])


def _pair_counts(products: Floats, sizes: Sequence[int]) -> Floats:
    """The tables of every two questions in one matrix of blocks; never negative, whatever the products are."""
    whole = _all_cells(tuple(sizes))
    return np.maximum(whole @ products @ whole.T, 0)


@lru_cache(maxsize=16)
def _all_cells(sizes: tuple[int, ...]) -> Floats:
    """Each cell in terms of everybody and of all but first cells: [cell, 1 and shown cell]."""
    starts = _starts(sizes)
    owners = [(question, cell) for question, size in enumerate(sizes) for cell in range(1, size)]
    whole = np.zeros((sum(sizes), 1 + len(owners)))
    whole[starts, 0] = 1
    for index, (question, cell) in enumerate(owners, 1):
        whole[starts[question], index], whole[starts[question] + cell, index] = -1, 1
    return whole


def _information(pairs: Floats, sizes: Sequence[int]) -> Floats:
    """The mutual information of every two questions."""
    starts = _starts(sizes)
    margins = np.add.reduceat(pairs, starts, axis=1)  # [cell, other question]
    totals = np.add.reduceat(margins, starts, axis=0)
    here, whole = np.repeat(margins, sizes, axis=1), np.repeat(np.repeat(totals, sizes, axis=0), sizes, axis=1)
    terms = pairs / whole * np.log(pairs * whole / (here * here.T))
    return np.asarray(np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1))
