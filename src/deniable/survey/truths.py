"""Truths that people do not pick: liars, and the answer to another question that is never sent.

They exist in the analysis, as further cells of a question, and neither on the page nor in the promise. A liar is a
truth with a fixed report, whatever the lottery tells. A question *beside* another shares its report, as in two samples
with an unrelated question or in lists of items: then the cells are pairs of answers.

>>> from deniable.survey.question import yes_no
>>> with_liars(yes_no("drinks"), {"cheats": "no"}).answers
('no', 'yes', 'cheats')
>>> [part.name for part in with_beside(yes_no("drinks"), yes_no("july")).parts]
['drinks', 'july']
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadQuestion, BadRequest
from deniable.survey.question import Question


def with_liars(question: Question, liars: Mapping[str, str]) -> Question:
    """A question of which more can be true: words for people who always report the same answer."""
    for word in liars:
        if word in question.answers:
            raise BadQuestion(question.name, f"has an answer {word!r}, the name of those who lie", "rename that answer")
    reports = [question.cell(answer) for answer in liars.values()]
    return Question(question.name, (*question.answers, *liars), question.wording, asked=question, liars=reports)


def with_beside(question: Question, beside: Question) -> Question:
    """A question whose cells are its answers for the first answer of another question, for the second, and so on."""
    words = [f"{own}, {beside.name} {other}" for other in beside.answers for own in question.answers]
    return Question(question.name, words, question.wording, asked=question, beside=beside)


def refuse_beside(question: Question) -> None:
    """Refuse a question that shares its report with another one, where its own report is needed."""
    if question.beside is not None:
        other = f"one beside {question.beside.name}"
        raise BadRequest(f"question {question.name!r}", "one whose report depends on its own answer alone", other,
                         "leave it out; dn.estimate and dn.table take it")  # fmt: skip


def cells_of_part(question: Question, name: str) -> NDArray[np.intp]:
    """The cell of one of a question's parts that each of its own cells belongs to."""
    if question.beside is None:
        return np.arange(len(question))
    own, other = len(question.plain), len(question.beside)
    return np.tile(np.arange(own), other) if name == question.name else np.repeat(np.arange(other), own)
