"""Disguise what people answered.

>>> import pandas as pd
>>> import deniable as dn
>>> design = dn.Design([dn.warner(0.8, dn.yes_no("smokes"))])
>>> people = pd.DataFrame({"name": ["Ann", "Bob"], "smokes": ["yes", "no"]})
>>> list(dn.disguise(design, people).columns)   # the names are dropped: they would tell who is who
['smokes']
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import pyarrow as pa

from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.device.follow import follow_lottery
from deniable.device.randomness import Randomness, secure, seeded
from deniable.frame.columns import Column, in_words, true_columns
from deniable.frame.frames import arrow, eager, like
from deniable.survey.question import Question

Frame = TypeVar("Frame")
Draws = Callable[[Channel, Mapping[str, Column]], Randomness]


def disguise(design: Design, people: Frame, *, seed: int | None = None) -> Frame:
    """Disguised replies to all questions of the design, as a frame of the same kind.

    Each row draws its own lottery from cryptographic randomness; `seed` makes the draws reproducible, for
    simulations only. Columns that are no question are dropped. Rows and index keep their order.
    """
    check_design(design)
    frame = eager(people, "people")
    stream = secure() if seed is None else seeded(seed)
    arrays = {name: arrow(frame[name]) for name in design.names if name in frame.columns}
    true = true_columns(design.questions, arrays.__getitem__, frame.columns)
    reported = disguise_columns(design, true, lambda channel, columns: stream)
    changed = [question for question in design.questions if not _unchanged(design, question, arrays[question.name])]
    reported_words = {
        question.name: in_words(design.reported(question), reported[question.name], arrays[question.name].type)
        for question in changed
    }
    made: Frame = like(frame, design.names, reported_words)
    return made


def _unchanged(design: Design, question: Question, array: pa.Array) -> bool:
    """Whether a column stays as it is: in the clear, and nobody preferred not to say."""
    return design.channel(question.name).is_clear and not (question.optional and array.null_count)


def disguise_columns(design: Design, true: Mapping[str, Column], draws: Draws) -> dict[str, Column]:
    """Reported columns from true ones; `draws` says where the draws of a channel come from."""
    reported: dict[str, Column] = {}
    for channel in design.channels:
        reported |= follow_lottery(channel, true, draws(channel, true))
    return reported
