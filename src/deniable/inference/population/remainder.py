"""Counts by subtraction.

Every reply below a split counts towards at least one child, so the largest child need not be counted: its counts are
those of the parent minus those of its siblings. A child's weight class may join several parts of a parent's class, so
the subtraction works on *pieces*: the replies of one weight class of the parent that report one cell.

    counts[w, r]  =  counts[w] - sum of counts[w, q] over all other reported cells q

Which classes are added and which subtracted depends on the split alone, not on the counts. So it is worked out once,
and nodes that are split alike share it.

legend: w weight class of the parent, q and r reported cells of the question that is split; a *known* class is one of
the parent or of a sibling, in this order
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.records import Floats

ClassIndex = NDArray[np.intp]  # [w, r]: a piece's weight class in a child, -1 where its weight there is zero
Classes = tuple[tuple[int, ...], ...]  # the same in plain numbers


def counts_by_subtraction(
    parent: Floats,  # [(w, s), column]
    siblings: Sequence[tuple[Floats, ClassIndex]],
    wanted: ClassIndex,
) -> Floats | None:
    """The counts of a child from those of its parent and siblings; None if these do not determine them."""
    signs = _signs(_plain(wanted), tuple(_plain(index) for _, index in siblings))
    if signs is None:
        return None
    classes = parent.size // len(wanted)  # numbers that belong to a weight class
    known = np.concatenate([parent.reshape(-1, classes), *(counts.reshape(-1, classes) for counts, _ in siblings)])
    return np.asarray((signs @ known).reshape(-1, parent.shape[1]))


def _plain(index: ClassIndex) -> Classes:
    return tuple(map(tuple, index.tolist()))


@lru_cache(maxsize=1024)
def _signs(wanted: Classes, siblings: tuple[Classes, ...]) -> Floats | None:
    """How often each known class is added to each wanted one, less how often it is subtracted: [wanted, known]."""
    pieces = _pieces(len(wanted), siblings)
    signs = np.zeros((max(map(max, wanted)) + 1, len(wanted) + sum(_count(index) for index in siblings)))
    for parent, classes in enumerate(wanted):
        for cell, weight_class in enumerate(classes):
            if weight_class < 0:
                continue
            if (parent, cell) not in pieces:
                return None
            signs[weight_class] += pieces[parent, cell]
    return signs


def _pieces(parents: int, siblings: tuple[Classes, ...]) -> dict[tuple[int, int], Floats]:
    """All pieces that make up a sibling's weight class alone, or are the only ones missing from the parent's."""
    known = np.eye(parents + sum(_count(index) for index in siblings))
    pieces, start = {}, parents
    for index in siblings:
        used = Counter(weight_class for classes in index for weight_class in classes)
        for parent, classes in enumerate(index):
            for cell, weight_class in enumerate(classes):
                if weight_class >= 0 and used[weight_class] == 1:
                    pieces[parent, cell] = known[start + weight_class]
        start += _count(index)
    for parent in range(parents):
        cells = [(parent, cell) for cell in range(len(siblings[0][parent]))]
        missing = [piece for piece in cells if piece not in pieces]
        if len(missing) == 1:
            pieces[missing[0]] = known[parent] - sum(pieces[piece] for piece in cells if piece in pieces)
    return pieces


def _count(index: Classes) -> int:
    """The number of weight classes."""
    return max(map(max, index), default=-1) + 1
