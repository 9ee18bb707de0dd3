"""Splits of the questions, by impurity gains from clipped tables.

A node's estimated table [cell, class] may have negative entries. They are clipped to zero first, and the node's size,
class shares and impurity are computed from the clipped entries: mixing clipped and raw ones gives shares above one
and negative gains.  Quinlan 1986 (entropy, multiway); Breiman et al. 1984 (gini, binary)

    threshold   two children, the lower cells and the higher ones, where cells have an order
    subset      two children, some answers and the others: with answers ordered by the share of a class, the best cut.
                For two classes no other subset gains more (Breiman et al., theorem 4.5); for more, each class has an
                order of its own, and the best of all cuts is taken
    multiway    one child per answer, as in ID3
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deniable.inference.population.subpopulation import Levels, Subpopulation

Floats = NDArray[np.float64]
TIE = 1e-12


class Split(NamedTuple):
    """A question, the cells that go to each child, and the gain."""

    question: int
    parts: tuple[Sequence[int], ...]  # a run of cells is a range
    gain: float
    grouped: int = 2  # answers that were free to go to either child


def entropy(counts: Floats, axis: int = -1) -> Floats:
    """Entropy of the class in bits, times the size of each group (of this axis: classes)."""
    sizes = np.add.reduce(counts, axis=axis)
    return np.asarray((xlogy(sizes, sizes) - np.add.reduce(xlogy(counts, counts), axis=axis)) / np.log(2))


def gini(counts: Floats, axis: int = -1) -> Floats:
    """The chance that two draws differ in class, times the size of each group."""
    sizes = np.add.reduce(counts, axis=axis)
    squares = np.add.reduce(counts * counts, axis=axis)
    return np.asarray(sizes - squares / np.where(sizes > 0, sizes, 1.0))


Impurity = Callable[..., Floats]
CRITERIA: dict[str, Impurity] = {"entropy": entropy, "gini": gini}


def all_splits(branch: Subpopulation, ordered: Sequence[bool], criterion: str, multiway: bool = False) -> list[Split]:
    """The best split of each question that separates people at all, from the raw tables of a branch.

    Two cells split in one way only, whatever is wanted; questions with equally many cells are computed together.
    """
    tables, impurity = branch.tables(), CRITERIA[criterion]
    found: list[Split | None] = []
    alike: dict[int, list[int]] = {}  # by their number of cells
    in_order: list[int] = []
    nominal: list[int] = []
    for question, table in enumerate(tables):
        if len(table) == 2 or (multiway and not ordered[question]):
            alike.setdefault(len(table), []).append(question)
        else:
            (in_order if ordered[question] else nominal).append(question)
    cuts = _best_cuts([tables[question] for question in in_order], impurity)
    for question, cut in zip(in_order, cuts, strict=True):
        found.append(cut and threshold(question, cut, len(tables[question]), branch.levels(question)))
    clipped = {question: np.maximum(tables[question], 0) for question in nominal}
    for question, part in _best_subsets(clipped, impurity).items() if nominal else ():
        found.append(subset(question, part, clipped[question], branch.levels(question)))
    for questions in alike.values():
        found += one_each(questions, np.maximum([tables[question] for question in questions], 0), impurity)
    return [split for split in found if split]


def one_each(questions: Sequence[int], tables: Floats, impurity: Impurity) -> list[Split]:
    """One child per answer; no split where an answer has nobody."""
    gains, possible = gains_of_each(tables, impurity)
    parts, known = tuple((cell,) for cell in range(tables.shape[1])), gains.tolist()
    return [Split(questions[index], parts, known[index]) for index in possible.nonzero()[0].tolist()]


def gains_of_each(tables: Floats, impurity: Impurity) -> tuple[Floats, NDArray[np.bool_]]:
    """The gain of one child per answer, table by table, [table, cell, class], and whether every answer has somebody."""
    sizes = np.add.reduce(tables, axis=2)
    possible = np.logical_and.reduce(sizes > 0, axis=1) & (sizes.shape[1] > 1)
    gains = impurity(np.add.reduce(tables, axis=1)) - np.add.reduce(impurity(tables), axis=1)
    return np.divide(gains, np.add.reduce(sizes, axis=1), where=possible, out=gains), possible


@dataclass(frozen=True)
class Splitter:
    """Which splits a tree has: call it with a branch."""

    ordered: Sequence[bool]  # per question
    criterion: str
    multiway: bool

    def __call__(self, branch: Subpopulation) -> list[Split]:
        return all_splits(branch, self.ordered, self.criterion, self.multiway)

    @property
    def impurity(self) -> Impurity:
        """What splits lower."""
        return CRITERIA[self.criterion]


class Cut(NamedTuple):
    """The last row before a cut through a table, and the cut's gain."""

    last: int
    gain: float


def threshold(question: int, cut: Cut, cells: int, levels: Levels | None) -> Split:
    """Two children: the first cells, and the rest; `levels` lists the table's cells where some are left out."""
    last, cells = (cut.last, cells) if levels is None else (int(levels.cells[cut.last]), levels.size)
    return Split(question, (range(last + 1), range(last + 1, cells)), cut.gain)


def _best_cuts(tables: Sequence[Floats], impurity: Impurity) -> list[Cut | None]:
    """The best cut of each table, clipped to zero, computed together; shorter tables are padded."""
    if not tables:
        return []
    filled = np.zeros((tables[0].shape[1], len(tables), max(map(len, tables))))  # classes first: sums of long rows
    for index, table in enumerate(tables):
        filled[:, index, : len(table)] = table.T
    np.maximum(filled, 0, out=filled)
    sides = np.empty((len(filled), 2, *filled.shape[1:]))  # below the cut, and above it
    below, above = sides[:, 0], sides[:, 1]
    np.cumsum(filled, axis=2, out=below)
    whole = below[:, :, -1:].copy()
    np.maximum(np.subtract(whole, below, out=above), 0, out=above)
    sizes = np.maximum(np.add.reduce(whole, axis=0), 1e-300)
    people = np.add.reduce(sides, axis=0)
    possible = (people[0] > 0) & (people[1] > TIE * sizes)
    before, after = impurity(whole, axis=0), impurity(sides, axis=0)
    gains = np.where(possible, (before - after[0] - after[1]) / sizes, -np.inf)
    most = gains.max(axis=1)
    first = np.argmax(gains >= most[:, None] - TIE, axis=1).tolist()
    some = possible.any(axis=1).tolist()
    return [Cut(*cut) if any_ else None for *cut, any_ in zip(first, most.tolist(), some, strict=True)]


class Part(NamedTuple):
    """Some rows of a table, the others that somebody has, and the gain of parting them."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    gain: float


def subset(question: int, part: Part, table: Floats, levels: Levels | None) -> Split:
    """Two children: some of the answers, and the others; answers that nobody has go with the larger child."""
    cells, size = (np.arange(len(table)), len(table)) if levels is None else levels
    smaller = min(part.first, part.second, key=lambda rows: float(table[rows].sum()))
    apart = cells[smaller]
    parts = sorted([sorted(apart.tolist()), np.setdiff1d(np.arange(size), apart).tolist()])
    return Split(question, tuple(map(tuple, parts)), part.gain, len(part.first) + len(part.second))


def _best_subsets(tables: Mapping[int, Floats], impurity: Impurity) -> dict[int, Part]:
    """The best subset of the rows of each table that can be parted, computed together."""
    orders = [(question, order) for question, table in tables.items() for order in _orders(table)]
    cuts = _best_cuts([tables[question][order] for question, order in orders], impurity)
    best: dict[int, Part] = {}
    for (question, order), cut in zip(orders, cuts, strict=True):
        if cut and (question not in best or cut.gain > best[question].gain + TIE):
            best[question] = Part(order[: cut.last + 1], order[cut.last + 1 :], cut.gain)
    return best


def _orders(table: Floats) -> list[NDArray[np.intp]]:
    """Rows that somebody is in, by falling share of a class: in one order for two classes, else in one for each."""
    sizes, classes = table.sum(axis=1), np.flatnonzero(table.sum(axis=0) > 0)
    held = np.flatnonzero(sizes > 0)
    shares = table[held] / sizes[held, None]
    several = classes if len(classes) > 2 else classes[:1]
    return [held[np.argsort(-shares[:, each], kind="stable")] for each in several]
