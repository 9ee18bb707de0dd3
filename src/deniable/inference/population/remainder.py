"""Counts by subtraction.

Every reply below a split counts towards at least one child, so the largest child need not be counted: its counts are
those of the parent minus those of its siblings. A child's weight class may join several parts of a parent's class, so
the subtraction works on *pieces*: the replies of one weight class of the parent that report one cell.

    counts[w, r]  =  counts[w] - sum of counts[w, q] over all other reported cells q

legend: w weight class of the parent, q and r reported cells of the question that is split
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.records import Floats

ClassIndex = NDArray[np.intp]  # [w, r]: a piece's weight class in a child, -1 where its weight there is zero


def counts_by_subtraction(
    parent: Floats,  # [(w, s), column]
    siblings: Sequence[tuple[Floats, ClassIndex]],
    wanted: ClassIndex,
) -> Floats | None:
    """The counts of a child from those of its parent and siblings; None if these do not determine them."""
    by_class = parent.reshape(len(wanted), -1)
    pieces = _pieces(by_class, siblings)
    counts = np.zeros((int(wanted.max(initial=0)) + 1, by_class.shape[1]))
    for piece in zip(*np.nonzero(wanted >= 0), strict=True):
        if piece not in pieces:
            return None
        counts[wanted[piece]] += pieces[piece]
    return counts.reshape(-1, parent.shape[1])


def _pieces(by_class: Floats, siblings: Sequence[tuple[Floats, ClassIndex]]) -> dict[tuple[int, ...], Floats]:
    """All pieces that make up a sibling's weight class alone, or are the only ones missing from the parent's."""
    pieces: dict[tuple[int, ...], Floats] = {}
    for counts, index in siblings:
        used = index[index >= 0]
        alone = np.bincount(used, minlength=int(used.max(initial=0)) + 1) == 1
        counted = counts.reshape(len(alone), -1)
        for piece in zip(*np.nonzero(index >= 0), strict=True):
            if alone[index[piece]]:
                pieces[piece] = counted[index[piece]]
    for weight_class, total in enumerate(by_class):
        cells = [(weight_class, cell) for cell in range(siblings[0][1].shape[1])]
        missing = [piece for piece in cells if piece not in pieces]
        if len(missing) == 1:
            pieces[missing[0]] = total - sum(pieces[piece] for piece in cells if piece in pieces)
    return pieces
