"""Population assumed from margins: made-up people who stand in for a pilot.

Where nobody has been asked yet, shares may be known from elsewhere: of a question's answers among all people, or among
those with each answer to the target. Answers are drawn by them and depend on each other through the target alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.deniability.whole import Prior, prior_of
from deniable.errors import BadRequest, UnknownQuestion
from deniable.survey.question import Question

Margin = Prior | Mapping[str, Prior]  # among all, or by the answers of the target
Margins = Mapping[str, Margin]
PEOPLE = 6000  # as many as make the error of drawing them small beside what designs differ by


def assumed_people(questions: Sequence[Question], target: str | None, shares: Margins) -> pa.Table:
    """True answers of made-up people with these shares; where none are given, all answers are alike."""
    names = [question.name for question in questions]
    for name in shares:
        if name not in names:
            raise UnknownQuestion(name, names)
    rng = np.random.default_rng(0)
    goal = next((question for question in questions if question.name == target), None)
    classes = np.zeros(PEOPLE, dtype=np.int64) if goal is None else _classes(goal, shares.get(goal.name), rng)
    columns = {}
    for question in questions:
        cells = classes
        if question is not goal:
            chances = _by_class(question, goal, shares.get(question.name))[classes].cumsum(axis=1)  # [person, cell]
            cells = (rng.random(PEOPLE)[:, None] > chances[:, :-1]).sum(axis=1)
        columns[question.name] = values_of_cells(question)[cells].tolist()
    return pa.table(columns)


def tell_dependence(shares: Margins) -> bool:
    """Whether some question's shares are given by the answers of the target."""
    return any(isinstance(each, Mapping) for each in shares.values())


def values_of_cells(question: Question) -> NDArray[Any]:
    """What people with each answer say: the answer, or the least number of the interval."""
    if question.range is None:
        return np.array(question.answers, dtype=object)
    lowest = np.array(question.range.edges[:-1])
    return np.ceil(lowest).astype(np.int64) if question.range.integer else lowest


def _classes(goal: Question, given: Margin | None, rng: np.random.Generator) -> NDArray[np.int64]:
    if isinstance(given, Mapping):
        raise BadRequest(f"the share of {goal.name}", "that among all people", dict(given), "it is the target itself")
    return rng.choice(len(goal), PEOPLE, p=prior_of(goal, given, "share"))


def _by_class(question: Question, goal: Question | None, given: Margin | None) -> NDArray[np.float64]:
    """The shares of a question's answers among people of each class: [class, cell]."""
    if not isinstance(given, Mapping):
        return np.repeat(prior_of(question, given, "share")[None], 1 if goal is None else len(goal), axis=0)
    if goal is None:
        raise BadRequest(f"the share of {question.name}", "one among all people where there is no target", dict(given),
                         "name the target")  # fmt: skip
    for word in given:
        goal.cell(word)  # refuses a word that it does not have
    if lacking := [word for word in goal.answers if word not in given]:
        raise BadRequest(f"the share of {question.name}", f"one for each answer to {goal.name}",
                         f"none for {lacking[0]}", "give it too")  # fmt: skip
    return np.array([prior_of(question, given[word], "share") for word in goal.answers])
