"""Fitted coefficients, with what each reply adds to them.

By the likelihood of reports where nothing but the outcome is disguised and versions were drawn; by corrected scores
otherwise, also where versions were chosen: who chose which may differ, and each then stands for its own people.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import log, pi
from typing import Literal

import numpy as np

from deniable.errors import BadRequest, NotIdentified, TooFewForTerms
from deniable.regression.corrected import CorrectedScore
from deniable.regression.finite import population_square, taken_off, without
from deniable.regression.likelihood import Likelihood, lotteries_of
from deniable.regression.matrix import TermMatrix
from deniable.regression.outcome import Answers, Floats, Number, OrderedAnswers, Outcome
from deniable.regression.records import Records
from deniable.regression.sandwich import Units
from deniable.regression.solve import MIN_RATIO, Root, root_of
from deniable.regression.terms import Terms
from deniable.regression.variables import Explained

PER_COEFFICIENT = 10  # replies, the usual rule of thumb: with fewer, what does not settle is refused
Method = Literal["likelihood", "corrected scores", "least squares"]
Errors = Literal["sandwich", "model", "opg"]
Solved = tuple[Likelihood | CorrectedScore, Root, Floats, Floats, bool]


@dataclass(frozen=True)
class Fit:
    """Coefficients, their covariance, and what each reply adds to them."""

    model: Outcome
    terms: Terms
    records: Records
    units: Units
    method: Method
    x: TermMatrix
    square: Floats  # of the matrix, per person
    scale: Floats  # [coefficient] that predictors were divided by
    root: Root  # with coefficients of scaled predictors
    scores: Floats  # [i, coefficient] of scaled predictors
    inverse: Floats  # of the information, likewise
    stable: bool  # whether the information is that of a maximum
    log_likelihood: float | None
    errors: Errors
    population: Floats | None = None  # sum of g g' over a finite one (finite.py)

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
        found = self.units.covariance(self.added, len(self.b))
        if self.population is None:
            return found
        to_coefficients = self.inverse / self.scale
        few = self.records.n / (self.records.n - len(self.b))  # as in the sandwich
        part = few * taken_off(self.population, self.scores, self.records, self.units)
        return without(found, to_coefficients.T @ part @ to_coefficients)

    def check_enough(self) -> None:
        """Refuse what so few replies leave open: a search that does not settle, or a singular information."""
        n, sought = self.records.n, len(self.b)
        if n < sought * PER_COEFFICIENT and not (self.stable and self.root.converged):
            raise TooFewForTerms(n, sought, sought * PER_COEFFICIENT, self.records.used.gaps.note)

    @property
    def index_error(self) -> float:
        """The standard error of a person's index, on average over all people; of several indices the largest."""
        size = len(self.square)
        starts = range(0, len(self.b), size) if isinstance(self.model, Answers) else (0,)
        found = [(self.covariance[at : at + size, at : at + size] * self.square).sum() for at in starts]
        return float(np.sqrt(max([0.0, *found])))

    @property
    def _variance(self) -> float:
        """Of one reply's residual, by which the inverse information of a linear regression is multiplied."""
        return self.residual_square / (self.records.n - len(self.b)) if isinstance(self.model, Number) else 1.0

    @cached_property
    def residual_square(self) -> float:
        """The sum of squared residuals of a number that nothing disguises."""
        assert self.records.numbers is not None
        rest = self.records.numbers - (self.x.by_point @ self.b)[self.records.clear_index]
        return float(self.records.counts @ rest**2)


def fit(
    outcome: Explained, terms: Terms, x: TermMatrix, records: Records, units: Units, errors: Errors = "sandwich"
) -> Fit:
    """Fit a regression with these terms."""
    sought = len(outcome.model.coefficients(terms.names))
    if records.n <= sought:
        raise TooFewForTerms(records.n, sought, sought * PER_COEFFICIENT, records.used.gaps.note)
    method = _method(outcome, records)
    if errors != "sandwich" and method != "likelihood" and not (errors == "model" and method == "least squares"):
        raise BadRequest("errors", f"'sandwich' by {method}", errors, "leave it out")
    square = _square(x, np.abs(records.people)) / np.abs(records.people).sum()
    terms.check_apart(square)
    scale = np.sqrt(square.diagonal())
    start = outcome.model.start(records.moments.sum(axis=0) / records.counts.sum(), terms.names)
    scales = outcome.model.scales(scale)
    maker = _by_likelihood if method == "likelihood" else _by_scores
    score, root, scores, inverse, stable = maker(outcome, records, x.scaled(scale), start * scales)
    made = Fit(
        model=outcome.model,
        terms=terms,
        records=records,
        units=units,
        method=method,
        x=x,
        square=square,
        scale=scales,
        root=root,
        scores=scores * records.sampling[:, None],
        inverse=inverse,
        stable=stable,
        log_likelihood=root.worth,
        errors=errors,
        population=(
            population_square(score, records, x.scaled(scale), root.b, method == "least squares")
            if units.finite
            else None
        ),
    )
    return _with_worth(made) if method == "least squares" else made


def _square(x: TermMatrix, weights: Floats) -> Floats:
    """The weighted square of a matrix; of complex columns by their size."""
    found = np.zeros((x.by_point.shape[1], x.by_point.shape[1]))
    for rows, some, factor in x.blocks():
        real = np.abs(some) if np.iscomplexobj(some) else some
        found += np.outer(factor, factor) * (real.T @ (weights[rows, None] * real))
    return found


def _method(outcome: Explained, records: Records) -> Method:
    plain = not records.cells and not records.nodes
    if isinstance(outcome.model, Number):
        return "least squares" if plain and outcome.variable.source == "clear" else "corrected scores"
    chosen = any(stack.block.chosen for stack in records.used.stacks if hasattr(stack, "block"))
    folded = outcome.mask is not None and outcome.variable.source == "cells" and len(outcome.mask) > 2
    return "corrected scores" if not plain or chosen or folded else "likelihood"


def _by_likelihood(outcome: Explained, records: Records, x: TermMatrix, start: Floats) -> Solved:
    """The score, its root, what each reply adds to it, the inverse information and whether it is that of a maximum."""
    assert isinstance(outcome.model, Answers | OrderedAnswers)
    made = Likelihood(outcome.model, x, lotteries_of(records, outcome))
    root = root_of(made.look, start, outcome.model.feasible, linear=False)
    inverse, stable = _inverse(made.observed(root.b))
    if not stable:
        inverse, stable = _inverse(made.look(root.b).information)
    return made, root, made.scores(root.b, records.clear_index), inverse, stable


def _by_scores(outcome: Explained, records: Records, x: TermMatrix, start: Floats) -> Solved:
    """The same."""
    made = CorrectedScore(outcome.model, x, records)
    root = root_of(made.look, start, outcome.model.feasible, isinstance(outcome.model, Number))
    return made, root, made.scores(root.b), *_inverse(made.look(root.b).information)


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
    return replace(made, log_likelihood=-n / 2 * (log(2 * pi * variance) + 1))
