"""Epsilon of local differential privacy: how much likelier a report can be under one truth than under another.

    epsilon = max over reports r and truths x, x' of  ln( P(r | x) / P(r | x') )

At zero a report reveals nothing; infinity means that some report is impossible under some truth, so it
cannot be denied. Groups are drawn independently, so their epsilons add up.  Warner 1965; Kasiviswanathan et al. 2011

A version is drawn without regard to the truth, so its share cancels in the ratio, and a respondent answers one version
only: the epsilon of a block is the largest among its versions, not their sum.

    epsilon of a reply = sum over blocks of  max over versions of  sum over the version's channels of epsilon

Versions that respondents choose are no draw. Their epsilon is that of what is sent besides the choice; what the choice
itself says about somebody has no bound.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, exp, inf, isinf, log

import numpy as np

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.ratio import worst_ratio
from deniable.survey.question import Question

ROUNDING = 1e-8  # chances are whole numbers out of 2^32: .8 is .80000000004
STEP = 2.0**-32  # between two chances: a ratio r may be r^2 such steps off
MAX_SLACK = 1e-3  # beyond, a ratio is not taken for a rounder one
MANY = 1e6  # beyond, a ratio needs no figure
MAX_EXPONENT = 700.0  # of a float
DENIABLE = 100.0  # a ratio of chances beyond which nobody believes a denial


def question_epsilon(channel: Channel, name: str) -> float:
    """Epsilon of the report to one question alone."""
    return _epsilon(channel, [channel.question(name)])


def channel_epsilon(channel: Channel) -> float:
    """Epsilon of the reports to all questions of a group."""
    return _epsilon(channel, channel.group)


def version_epsilons(block: Block, disguised_only: bool = False) -> list[float]:
    """Epsilon of the replies to each version of a block; channels that are alike are worked out once.

    With `disguised_only`, questions that no version disguises are left out. What one version asks in the clear and
    another disguises is not: it was promised a disguise, and the epsilon of those who answer in the clear is infinite.
    """
    disguised = {name for channel in block.channels if not channel.is_clear for name in channel.names}
    return [
        sum((
            channel_epsilon(channel)
            for channel in version.channels
            if not (disguised_only and channel.is_clear and disguised.isdisjoint(channel.names))
        ), 0.0)
        for version in block.versions
    ]  # fmt: skip


def reply_epsilon(design: Design, disguised_only: bool = False) -> float:
    """Epsilon of a whole reply; questions asked in the clear make it infinite unless left out."""
    return sum((max(version_epsilons(block, disguised_only)) for block in design.blocks), 0.0)


def rounded_up(epsilon: float) -> float:
    """Epsilon to 6 decimals, never better than the truth."""
    return epsilon if isinf(epsilon) else ceil(epsilon * 1e6) / 1e6


def ratio_of(epsilon: float) -> float:
    """The ratio of chances that an epsilon is the logarithm of; infinite where no float holds it."""
    return exp(epsilon) if epsilon < MAX_EXPONENT else inf


def ratio_word(ratio: float) -> str:
    """A ratio of chances to one decimal, never better than the truth: 4.0, 65,536.0; over a million."""
    return f"{_shown(ratio):,.1f}" if _shown(ratio) <= MANY else "over a million"


def at_most_words(ratio: float) -> str:
    """How many times as likely: at most 4.0 times; at worst over a million times."""
    return f"at {'most' if _shown(ratio) <= MANY else 'worst'} {ratio_word(ratio)} times"


def is_deniable(ratio: float) -> bool:
    """Whether a denial is believed, by the ratio as it is shown."""
    return _shown(ratio) <= DENIABLE


def _shown(ratio: float) -> float:
    if isinf(ratio):
        return ratio
    slack = max(ratio * ROUNDING, min(ratio**2 * STEP, MAX_SLACK))  # 199, not 199.1, at theta .995
    return ceil(10 * (ratio - slack)) / 10


def epsilon_word(epsilon: float) -> float | str:
    """Epsilon as JSON says it."""
    return "infinity" if isinf(epsilon) else epsilon


def _epsilon(channel: Channel, questions: Sequence[Question]) -> float:
    if any(question.is_number or question.omit for question in questions):
        return inf  # in the clear, under noise, whose tails rule out far truths, or visibly skipped
    kernels = [channel.kernels(question) for question in questions]
    return _of_lottery(channel.chances.tobytes(), tuple(sorted((each.tobytes(), each.shape) for each in kernels)))


@lru_cache(maxsize=4096)
def _of_lottery(chances: bytes, kernels: tuple[tuple[bytes, tuple[int, ...]], ...]) -> float:
    """Epsilon of a lottery, whose questions come in any order; versions and sentences ask for it again and again."""
    found = [np.frombuffer(each).reshape(shape) for each, shape in kernels]
    return log(worst_ratio(np.frombuffer(chances), found))
