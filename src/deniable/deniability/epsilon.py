"""Epsilon of local differential privacy: how much likelier a report can be under one truth than under another.

    epsilon = max over reports r and truths x, x' of  ln( P(r | x) / P(r | x') )

At zero a report reveals nothing; infinity means that some report is impossible under some truth, so it
cannot be denied. Groups are drawn independently, so their epsilons add up.  Warner 1965; Kasiviswanathan et al. 2011
"""

from collections.abc import Sequence
from math import ceil, inf, isinf, log

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.ratio import worst_ratio
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
    return log(worst_ratio(channel.chances, [channel.kernels(question) for question in questions]))
