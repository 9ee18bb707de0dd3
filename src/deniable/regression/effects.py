"""Predicted shares and average marginal effects of a regression.

Predictors are set to a value for everybody, or moved a little, and the chances that the model then gives are averaged
over all people, who are known by their replies' signed weights. Its error is that of the coefficients and the people:

    added(i) = (what reply i says of the average - average) / n + slope of the average * added(i) of the coefficients

legend: i reply, n people
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from deniable.frame.columns import Column
from deniable.inference.error import Z
from deniable.inference.estimates import Estimate
from deniable.regression.fit import Fit
from deniable.regression.outcome import Answers, Floats, OrderedAnswers, Values

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


def average(fit: Fit, changed: Mapping[str, Column | complex | float]) -> Average:
    """The average chances of the answers, or the average number, if some predictors had these values."""
    records = fit.records
    columns = records.columns()
    for name, value in changed.items():
        shape = columns[name].shape
        columns[name] = np.broadcast_to(np.asarray(value), shape)
    x = fit.terms.matrix(columns, records.points * records.truths)
    chances, slopes = _chances(fit, x)
    n = float(records.counts.sum())
    own = records.averages(chances)  # [i, figure]
    value = records.counts @ own / n
    slope = np.stack([fit.model.spread(x, records.people[:, None] * slopes[:, k]).real.sum(axis=0)
                      for k in range(slopes.shape[1])])  # fmt: skip
    added = records.sampling[:, None] * (own - value) / n + fit.added @ slope.T / n
    return Average(value, added)


def _chances(fit: Fit, x: Values) -> tuple[Values, Values]:
    """Chances [(c, t), answer] and their slopes [(c, t), answer, index]; of a number its mean."""
    e = fit.model.index(x, fit.b)
    if isinstance(fit.model, Answers | OrderedAnswers):
        chances = fit.model.chances(e)
        return chances, chances[..., None] * fit.model.slopes(e)
    return e, np.ones((*e.shape, 1))


def moved(fit: Fit, name: str) -> Average:
    """The average slope of what is predicted, by a number."""
    records = fit.records
    here = records.columns()[name]
    little = LITTLE * max(float(np.sqrt(np.mean(np.abs(here - here.mean()) ** 2))), 1e-12)
    up, down = average(fit, {name: here + little}), average(fit, {name: here - little})
    return (up - down).times(1 / (2 * little))


def estimates(fit: Fit, found: Average, limits: tuple[float, float], note: str) -> list[Estimate]:
    """Averages with their standard errors and intervals."""
    variances = fit.sample.covariance(found.added, len(fit.b)).diagonal()
    made = []
    for value, variance in zip(found.value.tolist(), variances.tolist(), strict=True):
        stderr = sqrt(max(variance, 0.0))
        low, high = np.clip([value - Z * stderr, value + Z * stderr], *limits).tolist()
        made.append(Estimate(value, stderr, low, high, fit.records.n, fit.method, None, limits, note))
    return made


def levels_of(fit: Fit, name: str, at: Sequence[float] | None) -> list[tuple[str, Column | float]]:
    """The values that a predictor is set to, in words and as they are: its answers, or some numbers."""
    variable = next(each for each in fit.terms.variables if each.name == name)
    if not variable.is_number:
        return [(variable.question.answers[cell], np.asarray(cell)) for cell in fit.terms.levels[name]]
    if at is None:
        limits = variable.question.range
        column = variable.numbers(fit.records.columns()[name]).real
        low, high = (column.min(), column.max()) if variable.source == "clear" else (limits.low, limits.high)  # type: ignore[union-attr]
        at = np.linspace(low, high, 5).tolist()
    return [(f"{value:g}", float(value)) for value in at]
