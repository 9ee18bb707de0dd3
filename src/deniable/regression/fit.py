"""Fitted coefficients, with what each reply adds to them.

By the likelihood of reports where nothing but the outcome is disguised and versions were drawn; by corrected scores
otherwise, also where versions were chosen: who chose which may differ, and each then stands for its own people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import log, pi
from operator import attrgetter
from typing import Literal

import numpy as np

from deniable.count.pieces import Pieces
from deniable.errors import BadRequest, NotIdentified, TooFewForTerms
from deniable.regression.corrected import CorrectedScore
from deniable.regression.finite import population_square, taken_off, without
from deniable.regression.likelihood import Likelihood, lotteries_of
from deniable.regression.matrix import TermMatrix, matrix_of
from deniable.regression.outcome import Answers, Floats, OrderedAnswers, Outcome
from deniable.regression.piece import Piece
from deniable.regression.records import Records
from deniable.regression.sandwich import Units
from deniable.regression.solve import MIN_RATIO, Root, Seen, root_of
from deniable.regression.terms import Terms
from deniable.regression.variables import Explained

PER_COEFFICIENT = 10  # replies, the usual rule of thumb: with fewer, what does not settle is refused
Method = Literal["likelihood", "corrected scores", "least squares"]
Errors = Literal["sandwich", "model", "opg"]


@dataclass(frozen=True)
class ScoredPiece:
    """Some replies with the matrix of their terms, and the score that they add to."""

    piece: Piece
    x: TermMatrix
    score: Likelihood | CorrectedScore  # of scaled predictors


@dataclass(frozen=True)
class FittedPiece:
    """Some replies, and what each adds to the coefficients that were found."""

    records: Records
    units: Units
    x: TermMatrix
    scores: Floats  # [i, coefficient] of scaled predictors, weighted
    added: Floats  # [i, coefficient] to the coefficients


@dataclass(frozen=True)
class Fit:
    """Coefficients, their covariance, and what each reply adds to them."""

    model: Outcome
    terms: Terms
    pieces: Pieces[FittedPiece]
    method: Method
    people: float  # respondents, weighted
    square: Floats  # of the matrix, per person
    scale: Floats  # [coefficient] that predictors were divided by
    root: Root  # with coefficients of scaled predictors
    inverse: Floats  # of the information, likewise
    stable: bool  # whether the information is that of a maximum
    log_likelihood: float | None
    errors: Errors
    population: Floats | None = None  # sum of g g' over a finite one (finite.py)

    @property
    def records(self) -> Records:
        """All replies, in outline."""
        return self.pieces.outline.records

    @property
    def b(self) -> Floats:
        """The coefficients."""
        return self.root.b / self.scale

    def covariances_of(self, many: Sequence[Callable[[FittedPiece], Floats]]) -> list[Floats]:
        """The covariances of sums of what each respondent adds, [i, figure] of a piece; each of several by itself."""
        return self.pieces.outline.units.covariances(self.pieces, many, len(self.b))

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the coefficients."""
        if self.errors == "model":
            return np.asarray(self._variance * self.inverse / np.outer(self.scale, self.scale))
        if self.errors == "opg":
            (square,) = self.pieces.sum(_square_of_scores)
            return np.asarray(_inverse(square)[0] / np.outer(self.scale, self.scale))
        (found,) = self.covariances_of([attrgetter("added")])
        if self.population is None:
            return found
        to_coefficients = self.inverse / self.scale
        few = self.records.n / (self.records.n - len(self.b))  # as in the sandwich
        part = few * taken_off(self.population, self.pieces, len(self.pieces.outline.units.sizes))
        return without(found, to_coefficients.T @ part @ to_coefficients)

    def check_enough(self) -> None:
        """Refuse what so few replies leave open: a search that does not settle, or a singular information."""
        n, sought = self.records.n, len(self.b)
        if n < sought * PER_COEFFICIENT and not (self.stable and self.root.converged):
            raise TooFewForTerms(n, sought, sought * PER_COEFFICIENT, self.records.used.gaps.note)

    @property
    def index_error(self) -> float:
        """The standard error of a person's index, on average over all people; of several indices the largest."""
        found = [(self.covariance[own, own] * self.square).sum() for own in self.model.by_index(len(self.square))]
        return float(np.sqrt(max([0.0, *found])))

    @property
    def _variance(self) -> float:
        """Of one reply's residual, by which the inverse information of a linear regression is multiplied."""
        return self.residual_square / (self.records.n - len(self.b)) if self.model.is_number else 1.0

    @cached_property
    def residual_square(self) -> float:
        """The sum of squared residuals of a number that nothing disguises."""
        return float(self.pieces.sum(partial(_residual_square, self.b))[0])


def _square_of_scores(piece: FittedPiece) -> tuple[Floats]:
    return ((piece.scores * piece.records.counts[:, None]).T @ piece.scores,)


def _residual_square(b: Floats, piece: FittedPiece) -> tuple[Floats]:
    records = piece.records
    assert records.numbers is not None
    rest = records.numbers - (piece.x.by_point @ b)[records.clear_index]
    return (np.asarray(records.counts @ rest**2),)


def fit(outcome: Explained, terms: Terms, replies: Pieces[Piece], errors: Errors = "sandwich") -> Fit:
    """Fit a regression with these terms."""
    records, units = replies.outline.records, replies.outline.units
    sought = len(outcome.model.coefficients(terms.names))
    if records.n <= sought:
        raise TooFewForTerms(records.n, sought, sought * PER_COEFFICIENT, records.used.gaps.note)
    method = _method(outcome, records)
    if errors != "sandwich" and method != "likelihood" and not (errors == "model" and method == "least squares"):
        raise BadRequest("errors", f"'sandwich' by {method}", errors, "leave it out")
    pieces = replies.map(partial(_with_matrix, terms))
    square, signed, size, moments, people = pieces.sum(_first_sums)
    terms.check_apart(square / size)
    scale = np.sqrt((square / size).diagonal())
    start, scales = outcome.model.start(moments / people, terms.names), outcome.model.scales(scale)
    scored = pieces.map(partial(_with_score, outcome, method, scale))
    root = root_of(partial(_look, scored), start * scales, outcome.model.feasible, outcome.model.is_number)
    inverse, stable = _inverse(scored.sum(partial(_observed, root.b))[0])
    if not stable and method == "likelihood":
        inverse, stable = _inverse(_look(scored, root.b).information)
    made = Fit(
        model=outcome.model,
        terms=terms,
        pieces=scored.map(partial(_fitted, root.b, inverse, scales)),
        method=method,
        people=float(people),
        square=_per_person(signed, square, size),
        scale=scales,
        root=root,
        inverse=inverse,
        stable=stable,
        log_likelihood=root.worth,
        errors=errors,
        population=population_square(scored, root.b, method == "least squares") if units.finite else None,
    )
    return _with_worth(made) if method == "least squares" else made


def _with_matrix(terms: Terms, piece: Piece) -> tuple[Piece, TermMatrix]:
    return piece, matrix_of(terms, piece.records.predicted)


def _first_sums(made: tuple[Piece, TermMatrix]) -> tuple[Floats, ...]:
    """Squares of the matrix, by people's size and with their sign; their size; the outcome's moments; all, weighted."""
    records, x = made[0].records, made[1]
    size = np.abs(records.people)
    signed = _signed_square(x, records.people)
    moments, people = records.moments.sum(axis=0), np.asarray(records.counts.sum())
    return _square(x, size), np.append(signed.ravel(), records.people.sum()), np.asarray(size.sum()), moments, people


def _per_person(signed: Floats, square: Floats, size: Floats) -> Floats:
    """The square of the matrix per person: without bias, and the same however replies are cut into pieces.

    Where noise has made that no square, people count by their size.
    """
    found, people = signed[:-1].reshape(square.shape), signed[-1]
    if people > 0 and (np.linalg.eigvalsh(found) >= 0).all():
        return np.asarray(found / people)
    return np.asarray(square / size)


def _with_score(outcome: Explained, method: Method, scale: Floats, made: tuple[Piece, TermMatrix]) -> ScoredPiece:
    (piece, x), model = made, outcome.model
    if method != "likelihood":
        return ScoredPiece(piece, x, CorrectedScore(model, x.scaled(scale), piece.records))
    assert isinstance(model, Answers | OrderedAnswers)
    lotteries = lotteries_of(piece.records, outcome)
    return ScoredPiece(piece, x, Likelihood(model, x.scaled(scale), piece.records, lotteries))


def _look(scored: Pieces[ScoredPiece], b: Floats) -> Seen:
    """What coefficients give for all replies."""
    score, information, worth = scored.sum(partial(_seen, b))
    return Seen(score, information, float(worth[0]) if len(worth) else None)


def _seen(b: Floats, scored: ScoredPiece) -> tuple[Floats, ...]:
    seen = scored.score.look(b)
    return seen.score, seen.information, np.array([] if seen.worth is None else [seen.worth])


def _observed(b: Floats, scored: ScoredPiece) -> tuple[Floats]:
    return (scored.score.observed(b),)


def _fitted(b: Floats, inverse: Floats, scale: Floats, scored: ScoredPiece) -> FittedPiece:
    records, score = scored.piece.records, scored.score
    own = score.scores(b)
    own *= records.sampling[:, None]
    return FittedPiece(records, scored.piece.units, scored.x, own, np.asarray((own @ inverse) / scale))


def _signed_square(x: TermMatrix, weights: Floats) -> Floats:
    """The weighted square of a matrix, whose weights may be negative."""
    found = np.zeros((x.by_point.shape[1], x.by_point.shape[1]))
    for rows, some, factor in x.blocks():
        found += np.outer(factor, factor) * (some.T @ (weights[rows, None] * some)).real
    return found


def _square(x: TermMatrix, weights: Floats) -> Floats:
    """The weighted square of a matrix; of complex columns by their size."""
    found = np.zeros((x.by_point.shape[1], x.by_point.shape[1]))
    for rows, some, factor in x.blocks():
        real = np.abs(some) if np.iscomplexobj(some) else some
        found += np.outer(factor, factor) * (real.T @ (weights[rows, None] * real))
    return found


def _method(outcome: Explained, records: Records) -> Method:
    plain = not records.cells and not records.nodes
    if outcome.model.is_number:
        return "least squares" if plain and outcome.variable.source == "clear" else "corrected scores"
    chosen = any(stack.is_chosen for stack in records.used.stacks)
    folded = outcome.mask is not None and outcome.variable.source == "cells" and len(outcome.mask) > 2
    return "corrected scores" if not plain or chosen or folded else "likelihood"


def _inverse(information: Floats) -> tuple[Floats, bool]:
    """The inverse of an information, and whether it is that of a maximum."""
    sizes, directions = np.linalg.eigh((information + information.T) / 2)
    least = np.abs(sizes).max(initial=0.0) * MIN_RATIO
    stable = bool((sizes > least).all())
    sizes = np.where(np.abs(sizes) > least, sizes, least + 1e-300)
    return np.asarray((directions / sizes) @ directions.T), stable


def _with_worth(made: Fit) -> Fit:
    """Least squares with the log-likelihood of normal residuals."""
    n = made.people
    variance = made.residual_square / n
    if not variance > 0:
        raise NotIdentified("an error of the regression", "the predictors tell the outcome exactly", "leave them out")
    return replace(made, log_likelihood=-n / 2 * (log(2 * pi * variance) + 1))
