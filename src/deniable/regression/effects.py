"""Predicted shares and average marginal effects of a regression.

Predictors are set to a value for everybody, or moved a little, and the chances that the model then gives are averaged
over all people, who are known by their replies' signed weights. Its error is that of the coefficients and the people:

    added(i) = (what reply i says of the average - average) / n + slope of the average * added(i) of the coefficients

legend: i reply, n people
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from deniable.inference.error import Z
from deniable.inference.estimates import Estimate
from deniable.regression.fit import Fit
from deniable.regression.matrix import matrix_of
from deniable.regression.outcome import Answers, Floats, OrderedAnswers, Values
from deniable.regression.predicted import Predicted
from deniable.regression.variables import Variable

SHOWN = 5  # values of a number, from its least to its greatest
LITTLE = 1e-4  # of a number's spread: what it is moved by for its slope


@dataclass(frozen=True)
class Average:
    """What a model predicts for everybody, [figure], and what each reply adds to it, [i, figure]."""

    value: Floats
    added: Floats

    def __sub__(self, other: "Average") -> "Average":
        return Average(self.value - other.value, self.added - other.added)

    def times(self, factor: float) -> "Average":
        """All of it so many times."""
        return Average(self.value * factor, self.added * factor)


def average(fit: Fit, predicted: Predicted) -> Average:
    """The average chances of the answers, or the average number, if predictors had these values."""
    records, x = fit.records, matrix_of(fit.terms, predicted)
    n = float(records.counts.sum())
    own = np.zeros((len(records.report), max(len(fit.model.answers), 1)))  # [i, figure]
    slope = np.zeros((own.shape[1], len(fit.b)))
    for rows, some, factor in x.blocks():
        by = fit.model.scales(factor)
        slopes = records.people[rows, None, None] * _chances(fit, fit.model.index(some, by * fit.b))[1]
        slope += by * np.stack([fit.model.summed(some, slopes[:, k]).real for k in range(len(slope))])
    for rows in records.chunks:
        for truth in range(records.truths):
            chances = _chances(fit, fit.model.index(x.rows(records.pairs(rows, truth)), fit.b))[0]
            own[rows] += ((records.moments_of(rows, truth) @ records.unit)[:, None] * chances).real
    value = records.counts @ own / n
    return Average(value, records.sampling[:, None] * (own - value) / n + fit.added @ slope.T / n)


def _chances(fit: Fit, e: Values) -> tuple[Values, Values]:
    """Chances [row, answer] and their slopes [row, answer, index]; of a number its mean."""
    if isinstance(fit.model, Answers | OrderedAnswers):
        return fit.model.chance_slopes(e)
    return e, np.ones((*e.shape, 1))


def moved(fit: Fit, variable: Variable) -> Average:
    """The average slope of what is predicted, by a number."""
    predicted = fit.records.predicted
    numbers = variable.numbers(predicted.column(variable.name))
    little = LITTLE * max(float(np.sqrt(np.mean(np.abs(numbers - numbers.mean()) ** 2))), 1e-12)
    up, down = (average(fit, predicted.moved(variable.name, by, numbers)) for by in (little, -little))
    return (up - down).times(1 / (2 * little))


def estimates(fit: Fit, found: Average, limits: tuple[float, float], note: str) -> list[Estimate]:
    """Averages with their standard errors and intervals."""
    variances = fit.units.covariance(found.added, len(fit.b)).diagonal()
    made = []
    for value, variance in zip(found.value.tolist(), variances.tolist(), strict=True):
        stderr = sqrt(max(variance, 0.0))
        low, high = np.clip([value - Z * stderr, value + Z * stderr], *limits).tolist()
        made.append(Estimate(value, stderr, low, high, fit.records.n, fit.method, None, limits, note))
    return made


def levels_of(fit: Fit, variable: Variable, at: Sequence[float] | None) -> list[tuple[str, float]]:
    """The values that a predictor is set to, in words and as they are: its answers, or some numbers."""
    if not variable.is_number:
        return [(variable.question.answers[cell], cell) for cell in fit.terms.levels[variable.name]]
    if at is None:
        limits, column = variable.question.range, fit.records.predicted.column(variable.name)
        assert limits is not None
        clear = variable.source == "clear"
        low, high = (float(column.min()), float(column.max())) if clear else (limits.low, limits.high)
        at = np.linspace(low, high, SHOWN).tolist()
    return [(f"{value:g}", float(value)) for value in at]
