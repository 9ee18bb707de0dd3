"""The worst ratio of a lottery: how much likelier a report can be under one truth than under another.

legend: chances [instruction], kernels [instruction, reported, true] of each question
"""

from collections.abc import Sequence
from functools import reduce
from math import inf

import numpy as np

from deniable.channel.instruction import Matrix


def worst_ratio(chances: Matrix, kernels: Sequence[Matrix]) -> float:
    """The largest P(reports | truths) / P(reports | other truths) of some questions of one lottery.

    Chances of an instruction multiply over questions. Going from question to question, only those pairs
    are kept that no other outdoes: whatever follows, the ratio of an outdone pair stays smaller.
    """
    start = np.concatenate([chances, chances])[None, :]
    pairs = reduce(_extend, map(_pairs, kernels), start)
    half = len(chances)
    above, below = pairs[:, :half].sum(axis=1), pairs[:, half:].sum(axis=1)
    possible = above > 0
    if not possible.any():
        return 1.0
    if (below[possible] <= 0).any():
        return inf
    return max(1.0, float((above[possible] / below[possible]).max()))


def _extend(states: Matrix, pairs: Matrix) -> Matrix:
    half = states.shape[1] // 2
    both = (states[:, None, :] * pairs[None, :, :]).reshape(-1, states.shape[1])
    both = both[both[:, :half].sum(axis=1) > 0]
    both /= np.where(both[:, half:].max(axis=1) > 0, both[:, half:].max(axis=1), both[:, :half].max(axis=1))[:, None]
    both = np.unique(both.round(14), axis=0)
    return _not_outdone(both, half)


def _not_outdone(states: Matrix, half: int) -> Matrix:
    """Those with no other that, on some scale, is at least as likely above and at most as likely below."""
    above, below = states[:, :half], states[:, half:]
    kept = np.ones(len(states), dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        for index in np.argsort(-above.sum(axis=1) / below.sum(axis=1), kind="stable"):
            if kept[index]:
                least_scale = np.where(above > 0, above / above[index], 0.0).max(axis=1)
                most_scale = np.where(below[index] > 0, below / below[index], inf).min(axis=1)
                outdone = least_scale <= most_scale * (1 + 1e-12)
                outdone[index] = False
                kept &= ~outdone
    return states[kept]


def _pairs(kernels: Matrix) -> Matrix:
    """For every report and two truths, the chance of the report under each truth, per instruction."""
    pairs = []
    for report in np.moveaxis(kernels, 1, 0):
        seen = np.unique(report, axis=1).T  # truths that look alike are one
        pairs.append(np.hstack([np.repeat(seen, len(seen), axis=0), np.tile(seen, (len(seen), 1))]))
    return np.unique(np.concatenate(pairs), axis=0)
