"""Counts of one branch by what its siblings leave of the branch above.

Replies that one child does not hear are heard by another, so not all children need be counted. What is known about
them is put together piece by piece: a *piece* are the replies of one voice above that report one cell.

legend: v a voice above, r a reported cell of the question that parts the branch
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.records import Floats

Numbers = NDArray[np.intp]  # [v, r]: what a piece's voice is called in a child, -1 where it is silent


def counts_left(whole: Floats, known: Sequence[tuple[Floats, Numbers]], wanted: Numbers) -> Floats | None:
    """The counts of a child from those of the branch above and of its siblings; none if they do not tell."""
    weight_classes = whole.reshape(len(wanted), -1)
    pieces = _pieces(weight_classes, known)
    found = np.zeros((int(wanted.max(initial=0)) + 1, weight_classes.shape[1]))
    for piece in zip(*np.nonzero(wanted >= 0), strict=True):
        if piece not in pieces:
            return None
        found[wanted[piece]] += pieces[piece]
    return found.reshape(-1, whole.shape[1])


def _pieces(weight_classes: Floats, known: Sequence[tuple[Floats, Numbers]]) -> dict[tuple[int, ...], Floats]:
    """All pieces that are alone in their voice in a sibling, or the only ones missing above."""
    pieces: dict[tuple[int, ...], Floats] = {}
    for counts, numbers in known:
        heard = numbers[numbers >= 0]
        alone = np.bincount(heard, minlength=int(heard.max(initial=0)) + 1) == 1
        counted = counts.reshape(len(alone), -1)
        for piece in zip(*np.nonzero(numbers >= 0), strict=True):
            if alone[numbers[piece]]:
                pieces[piece] = counted[numbers[piece]]
    for voice, all_of_it in enumerate(weight_classes):
        cells = [(voice, cell) for cell in range(known[0][1].shape[1])]
        missing = [piece for piece in cells if piece not in pieces]
        if len(missing) == 1:
            pieces[missing[0]] = all_of_it - sum(pieces[piece] for piece in cells if piece in pieces)
    return pieces
