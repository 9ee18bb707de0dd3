"""Questions that not everybody is asked, held against their channels: nothing that is sent may tell who was asked.

What is not asked is answered on the device and disguised like any answer. That hides it only where a lottery decides
what is sent, and where the device knows the answers that decide.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from deniable.channel.block import Block
from deniable.channel.channel import DEVICE, Channel
from deniable.errors import BadQuestion
from deniable.survey.question import Question
from deniable.survey.survey import Survey


def check_skips(survey: Survey, blocks: Sequence[Block]) -> None:
    """Refuse conditions whose outcome a reply would give away, or that no device can decide."""
    if all(question.plain.ask_if is None for question in survey.questions):
        return
    block_of = {name: block for block in blocks for name in block.names}
    for question in survey.questions:
        if (when := question.plain.ask_if) is not None:
            for name in when.names:
                _check_decides(question, name, block_of[name])
            _check_hides(question, when.names, block_of)


def _check_decides(question: Question, name: str, block: Block) -> None:
    """Refuse a condition on what only some are asked, or on what the device is not told."""
    if not block.asked_by_all(name):
        raise BadQuestion(question.name, f"is asked by the answer to {name!r}, which only some versions ask",
                          "ask by a question that everybody is asked")  # fmt: skip
    if any(channel.drawn_by != DEVICE for channel in block.channels_of(name)):
        raise BadQuestion(question.name, f"is asked by the answer to {name!r}, which respondents draw for themselves",
                          "the device does not know it; ask by another answer")  # fmt: skip


def _check_hides(question: Question, deciding: Sequence[str], block_of: Mapping[str, Block]) -> None:
    """Refuse a question whose report would tell that it was not asked."""
    channels = block_of[question.name].channels_of(question.name)
    if any(channel.drawn_by != DEVICE for channel in channels):
        raise BadQuestion(question.name, "is not asked of everybody, but respondents draw for it themselves",
                          "let the device draw, or ask everybody")  # fmt: skip
    if all(_hides(channel, question.name) for channel in channels):
        return
    clear = [name for name in deciding if all(each.is_clear for each in block_of[name].channels_of(name))]
    if len(clear) < len(deciding):
        known = next(name for name in deciding if name not in clear)
        raise BadQuestion(
            question.name, f"is sent as it is, so its answer would tell what {known!r} hides",
            "disguise it too, ask everybody, or ask by answers that are in the clear",
        )  # fmt: skip


def _hides(channel: Channel, name: str) -> bool:
    """Whether a lottery decides what is sent: some answer has more than one possible report."""
    if channel.question(name).is_number:
        return not channel.says_the_truth
    matrix = np.asarray(channel.matrix([name]))
    return bool((matrix.max(axis=0) < 1).any())
