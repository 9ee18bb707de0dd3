"""Answers as cells: which word of the data means which answer.

Data come as words, whole numbers or true/false; each has a few spellings under which an answer may
be listed. `True` is the answer "yes" where the question has it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.survey.question import Question

LEFT_OUT = -1  # no cell: a number that was left out, or a missing value (count/missing.py tells which)
UNKNOWN = -2  # no cell: a word that is no answer, or that a model has never met
YES = ("True", "true", "yes", "1")
NO = ("False", "false", "no", "0")


def spellings(value: object) -> Sequence[str]:
    """The words under which a value may be listed as an answer, the best first."""
    if isinstance(value, bool | np.bool_):
        return YES if value else NO
    if isinstance(value, float) and value.is_integer():
        return (str(int(value)), repr(value))
    return (str(value),)


def cells_of(question: Question, values: Iterable[object]) -> NDArray[np.int64]:
    """The cell of each value, or UNKNOWN."""
    cells = {answer: cell for cell, answer in enumerate(question.answers)}
    cells |= {word: cells[answer] for word, answer in question.merges}
    found = [next((cells[word] for word in spellings(value) if word in cells), UNKNOWN) for value in values]
    return np.array(found, dtype=np.int64)


def values_of(question: Question, kind: type) -> list[object] | None:
    """The answers as values of the data's own kind, or None where one cannot be said in it."""
    if kind is bool:
        words = [next((word for word in some if word in question.answers), None) for some in (NO, YES)]
        if len(question) == 2 and None not in words:
            return [answer == words[1] for answer in question.answers]
        return None
    try:
        values = [kind(answer) for answer in question.answers]
    except ValueError:
        return None
    return values if list(cells_of(question, values)) == list(range(len(question))) else None
