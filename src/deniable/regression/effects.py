"""Predicted shares and average marginal effects of a regression.

Predictors are set to a value for everybody, or moved a little, and the chances that the model then gives are averaged
over all people, who are known by their replies' signed weights. Its error is that of the coefficients and the people:

    added(i) = (what reply i says of the average - average) / n + slope of the average * added(i) of the coefficients

legend: i reply, n people
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from deniable.count.pieces import in_one_pass
from deniable.inference.error import Z
from deniable.inference.estimates import Estimate
from deniable.regression.fit import Fit, FittedPiece
from deniable.regression.matrix import matrix_of
from deniable.regression.outcome import Floats, Outcome
from deniable.regression.predicted import Predicted
from deniable.regression.terms import Terms
from deniable.regression.variables import Variable

SHOWN = 5  # values of a number, from its least to its greatest
LITTLE = 1e-4  # of a number's spread: what it is moved by for its slope


Change = Callable[[Predicted], Predicted]
Changes = tuple[tuple[float, Change], ...]  # of predictors, each with its factor


@dataclass(frozen=True)
class Average:
    """What a model predicts for everybody, or the difference between two such figures."""

    changes: Changes
    value: Floats  # [figure]
    slope: Floats  # [figure, coefficient]


@dataclass(frozen=True)
class _Predictor:
    """What each reply says of an average, and what it adds to it."""

    model: Outcome
    terms: Terms
    b: Floats
    changes: Changes

    def sums(self, piece: FittedPiece) -> tuple[Floats, Floats]:
        """The sums of figures, [figure], and of their slopes, [figure, coefficient]."""
        records = piece.records
        slope = np.zeros((max(len(self.model.answers), 1), len(self.b)))
        for times, change in self.changes:
            for rows, some, factor in matrix_of(self.terms, change(records.predicted)).blocks():
                by = self.model.scales(factor)
                _, own = self.model.chance_slopes(self.model.index(some, by * self.b))
                slopes = records.people[rows, None, None] * own
                slope += times * by * np.stack([self.model.summed(some, each).real for each in slopes.swapaxes(0, 1)])
        return records.counts @ self.own(piece), slope

    def own(self, piece: FittedPiece) -> Floats:
        """[i, figure]."""
        records = piece.records
        found = np.zeros((len(records.report), max(len(self.model.answers), 1)))
        for times, change in self.changes:
            x = matrix_of(self.terms, change(records.predicted))
            for rows in records.chunks:
                for truth in range(records.truths):
                    chances = self.model.chances(self.model.index(x.rows(records.pairs(rows, truth)), self.b))
                    people = times * (records.moments_of(rows, truth) @ records.unit)
                    found[rows] += (people[:, None] * chances).real
        return found

    def added(self, average: Average, n: float, piece: FittedPiece) -> Floats:
        """[i, figure] to the average."""
        spread = piece.records.sampling[:, None] * (self.own(piece) - average.value)
        return np.asarray((spread + piece.added @ average.slope.T) / n)


def averages(fit: Fit, many: Sequence[Changes]) -> list[Average]:
    """The average chances of the answers, or the average number, if predictors were changed in several ways."""
    predictors = [_Predictor(fit.model, fit.terms, fit.b, changes) for changes in many]
    found = in_one_pass(fit.pieces, [each.sums for each in predictors])
    return [Average(changes, value / fit.people, slope) for changes, (value, slope) in zip(many, found, strict=True)]


def with_value(name: str, value: float) -> Change:
    """One value of a predictor for everybody."""
    return partial(_with_value, name, value)


def _with_value(name: str, value: float, predicted: Predicted) -> Predicted:
    return predicted.with_column(name, value)


def unchanged(predicted: Predicted) -> Predicted:
    """Predictors as they are."""
    return predicted


def slopes(fit: Fit, variables: Sequence[Variable]) -> list[Changes]:
    """What gives the slopes of what is predicted, by each of some numbers."""
    columns = [each.numbers(fit.records.predicted.column(each.name)).real for each in variables]
    centres = [float(column.mean()) for column in columns]
    spreads = [partial(_spread, each, centre) for each, centre in zip(variables, centres, strict=True)]
    found: list[Changes] = []
    sums = in_one_pass(fit.pieces, spreads)
    for variable, column, (points, total, square) in zip(variables, columns, sums, strict=True):
        little = LITTLE * max(float(np.sqrt(max(square / points - (total / points) ** 2, 0.0))), 1e-12)
        ends = (-np.inf, np.inf)
        if fit.terms.formula.depends_on_all(variable.name):  # a spline has no values beyond
            ends = (float(column.min()) + little, float(column.max()) - little)
        found.append(tuple((sign / (2 * little), partial(_moved, variable, sign * little, ends)) for sign in (1, -1)))
    return found


def _spread(variable: Variable, centre: float, piece: FittedPiece) -> tuple[Floats, Floats, Floats]:
    """How many numbers there are, and the sums of how far they lie from about their centre, and of its square."""
    apart = variable.numbers(piece.records.predicted.column(variable.name)) - centre
    return np.asarray(float(len(apart))), np.asarray(apart.real.sum()), np.asarray((np.abs(apart) ** 2).sum())


def _moved(variable: Variable, by: float, ends: tuple[float, float], predicted: Predicted) -> Predicted:
    numbers = variable.numbers(predicted.column(variable.name))
    inside = numbers if np.iscomplexobj(numbers) else np.clip(numbers, *ends)
    return predicted.moved(variable.name, by, inside)


def estimates(
    fit: Fit, many: Sequence[Average], limits: Sequence[tuple[float, float]], note: str
) -> list[list[Estimate]]:
    """Averages, each within its limits, with their standard errors and intervals."""
    predictors = [_Predictor(fit.model, fit.terms, fit.b, each.changes) for each in many]
    added = [partial(own.added, each, fit.people) for own, each in zip(predictors, many, strict=True)]
    covariances = fit.covariances_of(added)
    return [_figures(fit, *each, note) for each in zip(many, covariances, limits, strict=True)]


def _figures(fit: Fit, found: Average, covariance: Floats, limits: tuple[float, float], note: str) -> list[Estimate]:
    """One average, figure by figure."""
    made = []
    for value, variance in zip(found.value.tolist(), covariance.diagonal().tolist(), strict=True):
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
