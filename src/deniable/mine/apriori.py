"""Frequent itemsets, found level by level: single items, pairs, threes.

A set can only be frequent if all its subsets are, so each level is built from the sets kept in the one before
(Agrawal and Srikant's Apriori, 1994). Supports are estimates here, and a subset may by chance seem rarer than the set;
so a set is kept for the next level unless its support is more than three standard errors below the minimum.

legend: sets of k items each, items as indices into a list; `below` are the indices, in the level before, of a set's k
subsets that lack one item; `counts` are the replies that support each subset of its items (see supports.py)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from deniable.count.bits import Sets
from deniable.errors import TooManySets
from deniable.mine.item_bits import ItemBits
from deniable.mine.items import Item
from deniable.mine.supports import Floats, SetWeights, combination_counts, covariances, means

MARGIN = 3  # standard errors
SLACK = 1e-12  # for supports that differ only by rounding
MAX_CANDIDATES = 2_000_000  # for the sets of one length
MAX_ENTRIES = 2**26  # of a level's counts
MAX_COMBINATIONS = 2**20  # combinations, times terms, that are estimated at once
LONGEST = 20  # items of a set

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Level:
    """The sets of one length that were kept, in rising order, with their estimated supports."""

    sets: Sets
    below: Sets
    counts: Floats
    support: Floats
    stderr: Floats

    @classmethod
    def joint(cls, levels: Sequence["Level"]) -> "Level":
        """The sets of several portions together."""
        return cls(*[np.concatenate([getattr(each, field.name) for each in levels]) for field in fields(cls)])

    def only(self, rows: slice | NDArray[np.bool_]) -> "Level":
        """Some of the sets."""
        return Level(*[getattr(self, field.name)[rows] for field in fields(self)])

    def at_least(self, min_support: float) -> "Level":
        """The sets whose estimated support reaches the minimum."""
        return self.only(self.support >= min_support - SLACK)


def frequent(
    items: Sequence[Item],
    bits: ItemBits,
    n: float,
    min_support: float,
    max_length: int,
    progress: Progress | None = None,
) -> list[Level]:
    """The levels of all sets of items that are, or may be, frequent among n replies."""
    weights = SetWeights(items)
    questions = np.unique([item.reported.name for item in items], return_inverse=True)[1]
    level = Level(np.empty((1, 0), np.intp), np.empty((1, 0), np.intp), np.array([[n]]), np.ones(1), np.zeros(1))
    sets, below = np.arange(len(items))[:, None], np.zeros((len(items), 1), np.intp)
    levels: list[Level] = []
    while len(sets) and len(levels) < max_length:
        found = []
        for rows in portions(sets, weights):
            found.append(_kept(level, sets[rows], below[rows], bits, weights, min_support))
            if progress is not None:
                progress((len(levels) + rows.stop / len(sets)) / max_length)
        level = Level.joint(found)
        levels.append(level)
        if len(levels) < max_length:
            sets, below = _candidates(level, questions, weights.degrees)
    return levels


def portions(sets: Sets, weights: SetWeights) -> list[slice]:
    """The sets in portions whose weights fit the memory."""
    step = max(1, MAX_COMBINATIONS // (int(weights.terms.max()) * weights.degrees ** sets.shape[1]))
    return [slice(start, min(start + step, len(sets))) for start in range(0, len(sets), step)]


def _kept(level: Level, sets: Sets, below: Sets, bits: ItemBits, weights: SetWeights, min_support: float) -> Level:
    """Those of the candidates that are, or may be, frequent."""
    counts = _counts(level.counts, below, bits.counts(sets), weights.degrees)
    table, weight = combination_counts(counts, weights.degrees), weights.of(sets)
    support, stderr = means(table, weight), np.sqrt(covariances(table, [weight])[0, 0])
    return Level(sets, below, counts, support, stderr).only(support + MARGIN * stderr >= min_support - SLACK)


def _counts(lower: Floats, below: Sets, whole: Floats, degrees: int) -> Floats:
    """The counts of all subsets: those that lack item j, and none before it, are counts of the part without j."""
    length = below.shape[1]
    counts = np.empty((len(below), *[degrees] * length))
    parts = lower.reshape(len(lower), *[degrees] * (length - 1))
    above = slice(1, None)
    counts[(slice(None), *[above] * length)] = whole
    for lacking in range(length):
        before = (slice(None), *[above] * lacking)
        without: tuple[slice | int, ...] = (*before, 0)
        counts[without] = parts[below[:, lacking]][before]
    return counts.reshape(len(below), -1)


def _candidates(level: Level, questions: NDArray[np.intp], degrees: int) -> tuple[Sets, Sets]:
    """The sets of the next level whose parts were all kept, and the indices of these parts."""
    one, other = _alike_but_last(level, questions, MAX_ENTRIES // degrees ** (level.sets.shape[1] + 1))
    last = level.sets[other, -1]
    keys = level.below[:, -1] * len(questions) + level.sets[:, -1]  # part without the last item, last item
    parts, whole = [], np.ones(len(one), dtype=bool)
    for lacking in range(level.sets.shape[1] - 1):
        wanted = level.below[one, lacking] * len(questions) + last
        indices = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        whole &= keys[indices] == wanted
        parts.append(indices)
    sets, below = np.column_stack([level.sets[one], last]), np.column_stack([*parts, other, one])
    return sets[whole], below[whole]


def _alike_but_last(level: Level, questions: NDArray[np.intp], most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of sets that differ only in the last item, with last items of different questions."""
    many, length = level.sets.shape
    first = level.below[:, -1]
    later = np.searchsorted(first, first, side="right") - np.arange(many) - 1
    found, most = int(later.sum()), min(MAX_CANDIDATES, most)
    if found > most:
        what = f"candidates for sets of {length + 1} items"
        raise TooManySets(what, found, most, "raise min_support or lower max_length")
    one = np.repeat(np.arange(many), later)
    other = one + 1 + np.arange(found) - np.repeat(np.cumsum(later) - later, later)
    differ = questions[level.sets[one, -1]] != questions[level.sets[other, -1]]
    return one[differ], other[differ]
