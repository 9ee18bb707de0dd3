"""Wide designs: the questions that tell most about the target, found before replies are counted whole.

Hardly two replies to hundreds of questions are alike, so counting them whole means holding them all. The tables of each
question with the target are small and are counted in one pass; only the questions that tell most about the target
(mutual information of the estimated table) are then counted together.
"""

from collections.abc import Sequence

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct, tally
from deniable.errors import NotIdentified, NotInvertible, TooManyCells
from deniable.inference.independence import mutual_information
from deniable.inference.invert.inverse import InverseEstimates
from deniable.survey.question import Question

MAX_QUESTIONS = 100  # that are counted together
MIN_QUESTIONS = 3  # with the target: where no more fit into memory, that is refused


def strongest(
    design: Design, counts: Counts, questions: Sequence[Question], target: Question, most: int = MAX_QUESTIONS
) -> tuple[Question, ...]:
    """The questions, at most so many and in their own order, that tell most about the target."""
    if len(questions) <= most:
        return tuple(questions)
    tables = counts.tables([design.columns_of((question.name, target.name)) for question in questions])
    information = [
        _information(design, replies, [each, target]) for each, replies in zip(questions, tables, strict=True)
    ]
    kept = np.sort(np.argsort(-np.array(information), kind="stable")[:most])
    return tuple(questions[index] for index in kept)


def _information(design: Design, replies: Distinct, questions: Sequence[Question]) -> float:
    """Mutual information of the estimated true table; of the reported one where nothing can be inverted."""
    try:
        found = InverseEstimates(design, replies).table([question.name for question in questions]).counts
    except (NotInvertible, NotIdentified, TooManyCells):
        reported = [design.reported(question) for question in questions]
        found = tally(replies.answered(), reported)
    return mutual_information(np.maximum(found, 0.0)) if found.max(initial=0.0) > 0 else 0.0
