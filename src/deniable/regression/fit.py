"""Fitted coefficients, with what each reply adds to them.

By the likelihood of reports where nothing but the outcome is disguised and versions were drawn; by corrected scores
otherwise, also where versions were chosen: who chose which may differ, and each then stands for its own people.
"""

from dataclasses import dataclass
from functools import cached_property
from math import log, pi
from typing import Literal

import numpy as np

from deniable.errors import BadRequest, NotIdentified
from deniable.regression.corrected import CorrectedScore
from deniable.regression.likelihood import Likelihood, lotteries_of
from deniable.regression.outcome import Answers, Floats, Number, OrderedAnswers, Outcome, Values
from deniable.regression.records import Records
from deniable.regression.sandwich import Sample
from deniable.regression.solve import MIN_RATIO, Root, root_of
from deniable.regression.terms import Terms
from deniable.regression.variables import Explained

Method = Literal["likelihood", "corrected scores", "least squares"]
Errors = Literal["sandwich", "model", "opg"]


@dataclass(frozen=True)
class Fit:
    """Coefficients, their covariance, and what each reply adds to them."""

    model: Outcome
    terms: Terms
    records: Records
    sample: Sample
    method: Method
    x: Values  # [(c, t), term]
    scale: Floats  # [coefficient] that predictors were divided by
    root: Root  # with coefficients of scaled predictors
    scores: Floats  # [i, coefficient] of scaled predictors
    inverse: Floats  # of the information, likewise
    stable: bool  # whether the information is that of a maximum
    log_likelihood: float | None
    errors: Errors

    @property
    def b(self) -> Floats:
        """The coefficients."""
        return self.root.b / self.scale

    @cached_property
    def added(self) -> Floats:
        """What each respondent adds to the coefficients: [i, coefficient]."""
        return np.asarray((self.scores @ self.inverse) / self.scale)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the coefficients."""
        if self.errors == "model":
            return np.asarray(self._variance * self.inverse / np.outer(self.scale, self.scale))
        if self.errors == "opg":
            square = (self.scores * self.records.counts[:, None]).T @ self.scores
            return np.asarray(_inverse(square)[0] / np.outer(self.scale, self.scale))
        return self.sample.covariance(self.added, len(self.b))

    @property
    def _variance(self) -> float:
        """Of one reply's residual, by which the inverse information of a linear regression is multiplied."""
        return self.residual_square / (self.records.n - len(self.b)) if isinstance(self.model, Number) else 1.0

    @cached_property
    def residual_square(self) -> float:
        """The sum of squared residuals of a number that nothing disguises."""
        assert self.records.numbers is not None
        rest = self.records.numbers - (self.x @ self.b)[self.records.clear_index]
        return float(self.records.counts @ rest**2)


def fit(outcome: Explained, terms: Terms, records: Records, sample: Sample, errors: Errors = "sandwich") -> Fit:
    """Fit a regression."""
    if records.n <= len(outcome.model.coefficients(terms.names)):
        raise BadRequest("replies", "more than coefficients", records.n, "collect more, or use fewer terms")
    columns = records.columns()
    x = terms.matrix(columns, records.points * records.truths)
    people = np.abs(records.people)
    terms.check_apart(x, people)
    scale = np.sqrt((people @ np.abs(x) ** 2) / people.sum())
    method = _method(outcome, records)
    start = outcome.model.start(records.moments.sum(axis=0) / records.counts.sum(), terms.names)
    scales = outcome.model.scales(scale)
    maker = _by_likelihood if method == "likelihood" else _by_scores
    root, scores, information, worth = maker(outcome, records, x / scale, start * scales)
    inverse, stable = _inverse(information)
    if method == "likelihood" and not stable:
        inverse, stable = _inverse(Likelihood(*_parts(outcome, records, x / scale)).look(root.b)[1])
    made = Fit(
        model=outcome.model, terms=terms, records=records, sample=sample, method=method, x=x, scale=scales, root=root,
        scores=scores * records.sampling[:, None], inverse=inverse, stable=stable, log_likelihood=worth, errors=errors,
    )  # fmt: skip
    if errors != "sandwich" and method != "likelihood" and not (errors == "model" and method == "least squares"):
        raise BadRequest("errors", f"'sandwich' by {method}", errors, "leave it out")
    return _with_worth(made) if method == "least squares" else made


def _method(outcome: Explained, records: Records) -> Method:
    plain = not records.cells and not records.nodes
    if isinstance(outcome.model, Number):
        return "least squares" if plain and outcome.variable.source == "clear" else "corrected scores"
    chosen = any(stack.block.chosen for stack in records.used.stacks if hasattr(stack, "block"))
    folded = outcome.mask is not None and outcome.variable.source == "cells"
    return "corrected scores" if not plain or chosen or folded else "likelihood"


def _parts(outcome: Explained, records: Records, x: Values) -> tuple[Answers | OrderedAnswers, Floats, list]:  # type: ignore[type-arg]
    assert isinstance(outcome.model, Answers | OrderedAnswers)
    return outcome.model, x, lotteries_of(records, outcome)


def _by_likelihood(
    outcome: Explained, records: Records, x: Values, start: Floats
) -> tuple[Root, Floats, Floats, float | None]:
    made = Likelihood(*_parts(outcome, records, x))
    root = root_of(made.look, start, outcome.model.feasible, made.worth, linear=False)
    return root, made.scores(root.b, records.clear_index), made.observed(root.b), made.worth(root.b)


def _by_scores(
    outcome: Explained, records: Records, x: Values, start: Floats
) -> tuple[Root, Floats, Floats, float | None]:
    made = CorrectedScore(outcome.model, x, records)
    linear = isinstance(outcome.model, Number)
    root = root_of(made.look, start, outcome.model.feasible, None, linear)
    return root, made.scores(root.b), made.look(root.b)[1], None


def _inverse(information: Floats) -> tuple[Floats, bool]:
    """The inverse of an information, and whether it is that of a maximum."""
    sizes, directions = np.linalg.eigh((information + information.T) / 2)
    least = np.abs(sizes).max(initial=0.0) * MIN_RATIO
    stable = bool((sizes > least).all())
    sizes = np.where(np.abs(sizes) > least, sizes, least + 1e-300)
    return np.asarray((directions / sizes) @ directions.T), stable


def _with_worth(made: Fit) -> Fit:
    """Least squares with the log-likelihood of normal residuals."""
    n = float(made.records.counts.sum())
    variance = made.residual_square / n
    if not variance > 0:
        raise NotIdentified("an error of the regression", "the predictors tell the outcome exactly", "leave them out")
    from dataclasses import replace

    return replace(made, log_likelihood=-n / 2 * (log(2 * pi * variance) + 1))
