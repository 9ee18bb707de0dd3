"""Epsilon of local differential privacy: how much likelier a report can be under one truth than under another.

    epsilon = max over reports r and truths x, x' of  ln( P(r | x) / P(r | x') )

At zero a report reveals nothing; infinity means that some report is impossible under some truth, so it
cannot be denied. Groups are drawn independently, so their epsilons add up.  Warner 1965; Kasiviswanathan et al. 2011
"""

from collections.abc import Sequence
from functools import reduce
from math import ceil, inf, isinf, log

import numpy as np

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.instruction import Matrix
from deniable.survey.question import Question

ROUNDING = 1e-8  # chances are whole numbers out of 2^32: .8 is .80000000004


def question_epsilon(channel: Channel, name: str) -> float:
    """Epsilon of the report to one question alone."""
    return _epsilon(channel, [channel.question(name)])


def channel_epsilon(channel: Channel) -> float:
    """Epsilon of the reports to all questions of a group."""
    return _epsilon(channel, channel.group)


def reply_epsilon(design: Design, disguised_only: bool = False) -> float:
    """Epsilon of a whole reply; questions asked in the clear make it infinite unless left out."""
    channels = [channel for channel in design.channels if not (disguised_only and channel.is_clear)]
    return sum((channel_epsilon(channel) for channel in channels), 0.0)


def rounded_up(epsilon: float) -> float:
    """Epsilon to 6 decimals, never better than the truth."""
    return epsilon if isinf(epsilon) else ceil(epsilon * 1e6) / 1e6


def ratio_word(ratio: float) -> str:
    """A ratio of chances to one decimal, never better than the truth: 4.0, 65,536.0."""
    return f"{ceil(10 * ratio * (1 - ROUNDING)) / 10:,.1f}"


def epsilon_word(epsilon: float) -> float | str:
    """Epsilon as JSON says it."""
    return "infinity" if isinf(epsilon) else epsilon


def _epsilon(channel: Channel, questions: Sequence[Question]) -> float:
    if any(question.is_number or question.omit for question in questions):
        return inf  # in the clear, under noise, whose tails rule out far truths, or visibly skipped
    return log(_worst_ratio(channel.chances, [_pairs(channel, question) for question in questions]))


def _pairs(channel: Channel, question: Question) -> Matrix:
    """For every report and two truths, the chance of the report under each truth, per instruction."""
    kernels = channel.kernels(question)
    pairs = []
    for report in np.moveaxis(kernels, 1, 0):
        seen = np.unique(report, axis=1).T  # truths that look alike are one
        pairs.append(np.hstack([np.repeat(seen, len(seen), axis=0), np.tile(seen, (len(seen), 1))]))
    return np.unique(np.concatenate(pairs), axis=0)


def _worst_ratio(chances: Matrix, by_question: Sequence[Matrix]) -> float:
    """The largest P(reports | truths) / P(reports | other truths) over a group.

    Chances of an instruction multiply over questions. Going from question to question, only those pairs
    are kept that no other outdoes: whatever follows, the ratio of an outdone pair stays smaller.
    """
    start = np.concatenate([chances, chances])[None, :]
    pairs = reduce(_extend, by_question, start)
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
