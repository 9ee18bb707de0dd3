"""Split criteria: impurity gains from clipped tables.

A node's estimated table [cell, class] may have negative entries. They are clipped to zero first, and the node's size,
class shares and impurity are computed from the clipped entries: mixing clipped and raw ones gives shares above one
and negative gains.  Quinlan 1986 (entropy, multiway); Breiman et al. 1984 (gini, binary)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deniable.inference.population.subpopulation import Levels, Subpopulation

Floats = NDArray[np.float64]
TIE = 1e-12
EXHAUSTIVE = 10  # answers up to which all subsets are tried when there are more than two classes


@dataclass(frozen=True)
class Split:
    """A question, the cells that go to each child, and the gain."""

    question: int
    parts: tuple[Sequence[int], ...]  # a run of cells is a range
    gain: float


def entropy(counts: Floats) -> Floats:
    """Entropy of the class in bits, times the size of each group (last axis: classes)."""
    sizes = counts.sum(axis=-1)
    return np.asarray((xlogy(sizes, sizes) - xlogy(counts, counts).sum(axis=-1)) / np.log(2))


def gini(counts: Floats) -> Floats:
    """The chance that two draws differ in class, times the size of each group."""
    sizes = counts.sum(axis=-1)
    squares = (counts * counts).sum(axis=-1)
    return np.asarray(sizes - squares / np.where(sizes > 0, sizes, 1.0))


CRITERIA: dict[str, Callable[[Floats], Floats]] = {"entropy": entropy, "gini": gini}


def all_splits(branch: Subpopulation, ordered: Sequence[bool], criterion: str) -> list[Split]:
    """The best split of each question that separates people at all, from the raw tables of a branch.

    Two cells split in one way only, whatever the criterion; questions with equally many cells are computed together.
    """
    tables, impurity = branch.tables(), CRITERIA[criterion]
    found: list[Split | None] = []
    alike: dict[int, list[int]] = {}  # by their number of cells
    in_order: list[int] = []
    for question, table in enumerate(tables):
        if len(table) == 2 or not (ordered[question] or criterion == "gini"):
            alike.setdefault(len(table), []).append(question)
        elif ordered[question]:
            in_order.append(question)
        else:
            found.append(subset(question, np.maximum(table, 0), impurity))
    cuts = _best_cuts([np.maximum(tables[question], 0) for question in in_order], impurity)
    for question, cut in zip(in_order, cuts, strict=True):
        found.append(cut and threshold(question, cut, len(tables[question]), branch.levels(question)))
    for questions in alike.values():
        found += multiway(questions, np.maximum([tables[question] for question in questions], 0), impurity)
    return [split for split in found if split]


def multiway(questions: Sequence[int], tables: Floats, impurity: Callable[[Floats], Floats]) -> list[Split]:
    """One child per answer; no split where an answer has nobody."""
    sizes = tables.sum(axis=2)
    possible = (sizes > 0).all(axis=1) & (sizes.shape[1] > 1)
    parts = tuple((cell,) for cell in range(sizes.shape[1]))
    gains = impurity(tables.sum(axis=1)) - impurity(tables).sum(axis=1)
    gains = np.divide(gains, sizes.sum(axis=1), where=possible, out=gains).tolist()
    return [Split(questions[index], parts, gains[index]) for index in np.flatnonzero(possible).tolist()]


class Cut(NamedTuple):
    """The last row before a cut through a table, and the cut's gain."""

    last: int
    gain: float


def threshold(question: int, cut: Cut, cells: int, levels: Levels | None) -> Split:
    """Two children: the first cells, and the rest; `levels` lists the table's cells where some are left out."""
    last, cells = (cut.last, cells) if levels is None else (int(levels.cells[cut.last]), levels.size)
    return Split(question, (range(last + 1), range(last + 1, cells)), cut.gain)


def _best_cuts(tables: Sequence[Floats], impurity: Callable[[Floats], Floats]) -> list[Cut | None]:
    """The best cut of each table, computed together; shorter tables are padded with zeros."""
    if not tables:
        return []
    filled = np.zeros((tables[0].shape[1], len(tables), max(map(len, tables))))  # classes first: sums of long rows
    for index, table in enumerate(tables):
        filled[:, index, : len(table)] = table.T
    below = np.cumsum(filled, axis=2)
    whole = below[:, :, -1:]
    above = np.maximum(whole - below, 0)
    sizes = np.maximum(whole.sum(axis=0), 1e-300)
    possible = (below.sum(axis=0) > 0) & (above.sum(axis=0) > TIE * sizes)
    before, after = impurity(np.moveaxis(whole, 0, -1)), [impurity(np.moveaxis(each, 0, -1)) for each in (below, above)]
    gains = np.where(possible, (before - after[0] - after[1]) / sizes, -np.inf)
    most = gains.max(axis=1)
    first = np.argmax(gains >= most[:, None] - TIE, axis=1).tolist()
    some = possible.any(axis=1).tolist()
    return [Cut(*cut) if any_ else None for *cut, any_ in zip(first, most.tolist(), some, strict=True)]


def subset(question: int, table: Floats, impurity: Callable[[Floats], Floats]) -> Split | None:
    """Two children: the best subset of the answers, and the rest."""
    held = np.flatnonzero(table.sum(axis=1) > 0)
    if len(held) < 2:
        return None
    if (table.sum(axis=0) > 0).sum() <= 2 or len(held) > EXHAUSTIVE:
        chief = int(np.argmax(table.sum(axis=0)))
        share = np.divide(
            table[:, chief], table.sum(axis=1), out=np.full(len(table), np.inf), where=table.sum(axis=1) > 0
        )
        order = np.argsort(-share, kind="stable").tolist()
        (cut,) = _best_cuts([table[order]], impurity)
        return cut and Split(question, (tuple(order[: cut.last + 1]), tuple(order[cut.last + 1 :])), cut.gain)
    best: Split | None = None
    for size in range(1, len(held)):
        for some in combinations(held[1:], size - 1):
            left = [int(held[0]), *map(int, some)]
            right = [cell for cell in range(len(table)) if cell not in left]
            (cut,) = _best_cuts([np.array([table[left].sum(axis=0), table[right].sum(axis=0)])], impurity)
            if cut and (best is None or cut.gain > best.gain + TIE):
                best = Split(question, (tuple(left), tuple(right)), cut.gain)
    return best
