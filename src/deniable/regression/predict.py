"""Predictions of a regression for true data."""

from typing import Any

import numpy as np

from deniable.errors import UnknownAnswer
from deniable.frame.columns import Column, true_columns
from deniable.frame.frames import arrow, eager
from deniable.regression.fit import Fit
from deniable.regression.outcome import Floats
from deniable.regression.variables import Variable


def predicted(fit: Fit, people: Any) -> Floats:
    """Chances [row] of the second of two answers, [row, answer] of each of several, or means [row]."""
    if not fit.terms.variables:
        rows = len(eager(people, "people"))
        columns: dict[str, Column] = {}
    else:
        frame = eager(people, "people")
        rows = len(frame)
        questions = [each.question for each in fit.terms.variables]
        columns = true_columns(questions, lambda name: arrow(frame[name]), frame.columns)
    for each in fit.terms.variables:
        _check_known(fit, each, columns)
    found = fit.model.chances(fit.model.index(fit.terms.matrix(columns, rows), fit.b))
    return np.asarray(found[:, -1] if found.shape[1] <= 2 else found)


def _check_known(fit: Fit, variable: Variable, columns: dict[str, Column]) -> None:
    """Refuse answers that no reply gave, of a question in the clear: the model has no coefficient for them."""
    if variable.is_number:
        return
    known = fit.terms.levels[variable.name]
    if unknown := sorted({int(cell) for cell in np.unique(columns[variable.name])} - set(known)):
        answers = variable.question.answers
        raise UnknownAnswer(variable.name, [answers[cell] for cell in unknown], [answers[cell] for cell in known])
