"""How much a split sorts the classes: gains from clipped tables.

A node's estimated table may have negative cells. They are clipped to zero first, and everything else (the
node's size, its class shares, its purity) is taken from the clipped cells: mixing clipped and raw figures gives
shares above one and negative gains.  Quinlan 1986 (entropy, multiway); Breiman et al. 1984 (gini, binary)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deniable.inference.branch import Branch, Levels

Floats = NDArray[np.float64]
TIE = 1e-12
EXHAUSTIVE = 10  # answers up to which all subsets are tried when there are more than two classes


@dataclass(frozen=True)
class Split:
    """A question, the cells that go to each child, and what that gains."""

    question: int
    parts: tuple[Sequence[int], ...]  # a run of cells is a range
    gain: float


def entropy(counts: Floats) -> Floats:
    """Bits needed to tell the class, times the size of each group (last axis: classes)."""
    sizes = counts.sum(axis=-1)
    return np.asarray((xlogy(sizes, sizes) - xlogy(counts, counts).sum(axis=-1)) / np.log(2))


def gini(counts: Floats) -> Floats:
    """The chance that two draws differ in class, times the size of each group."""
    sizes = counts.sum(axis=-1)
    squares = (counts**2).sum(axis=-1)
    return np.asarray(sizes - np.divide(squares, sizes, out=np.zeros_like(sizes), where=sizes > 0))


CRITERIA: dict[str, Callable[[Floats], Floats]] = {"entropy": entropy, "gini": gini}


def all_splits(branch: Branch, ordered: Sequence[bool], criterion: str) -> list[Split]:
    """The best split of each question that separates people at all, from the raw tables of a branch.

    Two cells part in one way only, whatever the criterion; questions of as many cells are worked out together.
    """
    tables, impurity = branch.tables(), CRITERIA[criterion]
    found: list[Split | None] = []
    alike: dict[int, list[int]] = {}  # by their number of cells
    for question, table in enumerate(tables):
        if len(table) == 2 or not (ordered[question] or criterion == "gini"):
            alike.setdefault(len(table), []).append(question)
        elif ordered[question]:
            found.append(threshold(question, np.maximum(table, 0), impurity, branch.levels(question)))
        else:
            found.append(subset(question, np.maximum(table, 0), impurity))
    for questions in alike.values():
        found += multiway(questions, np.maximum([tables[question] for question in questions], 0), impurity)
    return [split for split in found if split]


def multiway(questions: Sequence[int], tables: Floats, impurity: Callable[[Floats], Floats]) -> list[Split]:
    """One child per answer; nothing where an answer has nobody."""
    sizes = tables.sum(axis=2)
    possible = (sizes > 0).all(axis=1) & (sizes.shape[1] > 1)
    parts = tuple((cell,) for cell in range(sizes.shape[1]))
    gains = impurity(tables.sum(axis=1)) - impurity(tables).sum(axis=1)
    gains = np.divide(gains, sizes.sum(axis=1), where=possible, out=gains).tolist()
    return [Split(questions[place], parts, gains[place]) for place in np.flatnonzero(possible).tolist()]


def threshold(
    question: int, table: Floats, impurity: Callable[[Floats], Floats], levels: Levels | None = None
) -> Split | None:
    """Two children: the first cells, and the rest; `levels` tells which cells a table has, where not all."""
    found = _best_cut(table, impurity)
    if found is None:
        return None
    last, cells = (found[0], len(table)) if levels is None else (int(levels.cells[found[0]]), levels.size)
    return Split(question, (range(last + 1), range(last + 1, cells)), found[1])


def _best_cut(table: Floats, impurity: Callable[[Floats], Floats]) -> tuple[int, float] | None:
    """The last row of the first part, and what parting there gains."""
    below = np.cumsum(table, axis=0)
    whole = below[-1]
    above = whole - below
    possible = np.flatnonzero((below.sum(axis=1) > 0) & (above.sum(axis=1) > TIE * whole.sum()))
    if not len(possible):
        return None
    gains = (impurity(whole) - impurity(below[possible]) - impurity(np.maximum(above[possible], 0))) / whole.sum()
    best = possible[int(np.argmax(gains >= gains.max() - TIE))]
    return int(best), float(gains.max())


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
        cut = _best_cut(table[order], impurity)
        return cut and Split(question, (tuple(order[: cut[0] + 1]), tuple(order[cut[0] + 1 :])), cut[1])
    best: Split | None = None
    for size in range(1, len(held)):
        for some in combinations(held[1:], size - 1):
            left = [int(held[0]), *map(int, some)]
            right = [cell for cell in range(len(table)) if cell not in left]
            found = _best_cut(np.array([table[left].sum(axis=0), table[right].sum(axis=0)]), impurity)
            if found and (best is None or found[1] > best.gain + TIE):
                best = Split(question, (tuple(left), tuple(right)), found[1])
    return best
