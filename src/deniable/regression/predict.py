"""Predictions of a regression for true data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from deniable.errors import UnknownAnswer
from deniable.frame.columns import Column, true_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.spark import is_spark
from deniable.frame.spark_columns import column_of
from deniable.regression.fit import Fit
from deniable.regression.outcome import Floats, Outcome
from deniable.regression.terms import Terms
from deniable.regression.variables import Variable


def predicted(fit: Fit, people: Any) -> Any:
    """Chances [row] of the second of two answers, [row, answer] of each of several, or means [row].

    Of a Spark frame, a column of it, with an array in each row where there are several answers.
    """
    predictor = Predictor(fit.model, fit.terms, fit.b)
    if not is_spark(people):
        return predictor(people)
    kind = pa.list_(pa.float64()) if len(fit.model.answers) > 2 else pa.float64()
    names = [each.name for each in fit.terms.variables] or people.columns[:1]
    return column_of(people, names, kind, lambda rows: pa.array(predictor(rows).tolist(), kind))


@dataclass(frozen=True)
class Predictor:
    """What predicts: all of a fit but the replies."""

    model: Outcome
    terms: Terms
    b: Floats

    def __call__(self, people: Any) -> Floats:
        """The predictions for people in memory."""
        frame = eager(people, "people")
        questions = [each.question for each in self.terms.variables]
        columns = true_columns(questions, lambda name: arrow(frame[name]), frame.columns)
        for each in self.terms.variables:
            self._check_known(each, columns)
        found = self.model.chances(self.model.index(self.terms.matrix(columns, len(frame)), self.b))
        return np.asarray(found[:, -1] if found.shape[1] <= 2 else found)

    def _check_known(self, variable: Variable, columns: dict[str, Column]) -> None:
        """Refuse answers that no reply gave, of a question in the clear: the model has no coefficient for them."""
        if variable.is_number:
            return
        known = self.terms.levels[variable.name]
        if unknown := sorted({int(cell) for cell in np.unique(columns[variable.name])} - set(known)):
            answers = variable.question.answers
            raise UnknownAnswer(variable.name, [answers[cell] for cell in unknown], [answers[cell] for cell in known])
