"""Outcomes of a regression: how the chances of answers depend on linear indices.

Every model has indices e that are linear in the coefficients, and the chance of each answer follows from them:

    answers          e_k = x b_k, k = 1..K-1    P(k) = exp(e_k) / (1 + sum of exp(e))      (multinomial) logit
    ordered answers  e_k = a_k - x b            P(at most k) = 1 / (1 + exp(-e_k))         proportional odds
    a number         e = x b                    its mean

A model is given by its slopes, the derivatives by e of the log-likelihood of one answer, and the rest is the same for
all of them. A number under noise among the predictors makes x, and with it e, complex (noise.py).

legend: K answers, k answer, q indices, p predictors, m moments: the weight of each answer; of a number weight and
        weight times number
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]
Values = NDArray[Any]  # floats, or complex numbers under noise


@dataclass(frozen=True)
class Outcome(ABC):
    """What a regression explains."""

    name: str
    answers: tuple[str, ...]  # empty for a number

    @property
    @abstractmethod
    def indices(self) -> int:
        """How many indices there are: q."""

    @property
    @abstractmethod
    def link(self) -> str:
        """The name of the model."""

    @property
    def is_number(self) -> bool:
        """Whether it is a number, whose mean is linear in the coefficients."""
        return False

    @property
    def has_intercept(self) -> bool:
        """Whether predictors come with an intercept."""
        return True

    @property
    def figure(self) -> str:
        """What is predicted, in a word."""
        return "share"

    @property
    def limits(self) -> tuple[float, float]:
        """Between which what is predicted lies."""
        return 0.0, 1.0

    @property
    def unit(self) -> Floats:
        """[m] what of the moments are people."""
        return np.ones(len(self.answers))

    @abstractmethod
    def chances(self, e: Values) -> Values:
        """What is predicted: the chance of each answer, [row, K]; of a number its mean, [row, 1]."""

    @abstractmethod
    def chance_slopes(self, e: Values) -> tuple[Values, Values]:
        """What is predicted, and its slopes, [row, K, q]; of a number [row, 1, 1]."""

    @abstractmethod
    def slopes(self, e: Values) -> Values:
        """The slope of each moment's log-likelihood: [row, m, q]."""

    @abstractmethod
    def derivatives(self, moments: Values, e: Values) -> tuple[Values, Values]:
        """The first and second derivative of the moments' log-likelihood: [row, q] and [row, q, q]."""

    def index(self, x: Values, b: Floats) -> Values:
        """The indices of rows x[row, p]: [row, q]."""
        return np.asarray(x @ b.reshape(self.indices, -1).T)

    def spread(self, x: Values, slopes: Values) -> Values:
        """Slopes by e[row, q] as slopes by the coefficients: [row, coefficient]."""
        if self.indices == 1:
            return np.asarray(slopes * x)
        return np.asarray((slopes[:, :, None] * x[:, None, :]).reshape(len(x), -1))

    def summed(self, x: Values, slopes: Values) -> Values:
        """The same, summed up over rows."""
        return np.asarray((slopes.T @ x).ravel())

    def squared(self, x: Values, curvature: Values) -> Values:
        """Curvature by e[row, q, q] as curvature by the coefficients, summed up over rows."""
        rows = [[x.T @ (curvature[:, k, j, None] * x) for j in range(self.indices)] for k in range(self.indices)]
        return np.asarray(np.block(rows))

    def coefficients(self, terms: Sequence[str]) -> list[tuple[str, str]]:
        """The answer, if any, and the term of each coefficient."""
        return [("", term) for term in terms]

    def by_index(self, terms: int) -> list[slice]:
        """The coefficients of so many terms, for each index that has its own."""
        return [slice(start, start + terms) for start in range(0, self.indices * terms, terms)]

    def scales(self, scale: Floats) -> Floats:
        """What each coefficient is divided by if predictors are divided by `scale`."""
        return np.tile(scale, self.indices)

    def start(self, shares: Floats, terms: Sequence[str]) -> Floats:
        """Coefficients to begin with: no predictor matters."""
        b = np.zeros((self.indices, len(terms)))
        if INTERCEPT in terms:
            shares = np.maximum(shares, 0.01) / np.maximum(shares, 0.01).sum()
            b[:, list(terms).index(INTERCEPT)] = np.log(shares[1:] / shares[0])
        return b.ravel()

    def feasible(self, b: Floats) -> bool:
        """Whether the coefficients make a model."""
        return True


INTERCEPT = "Intercept"


@dataclass(frozen=True)
class Answers(Outcome):
    """Answers without an order, the first of which the others are compared with."""

    @property
    def indices(self) -> int:
        return len(self.answers) - 1

    @property
    def link(self) -> str:
        return "Logit" if len(self.answers) == 2 else "Multinomial logit"

    def chances(self, e: Values) -> Values:
        if self.indices == 1:
            return np.concatenate([_logistic(-e), _logistic(e)], axis=1)
        top = np.maximum(e.real.max(axis=1, keepdims=True), 0.0)
        odds = np.concatenate([np.exp(-top), np.exp(e - top)], axis=1)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def slopes(self, e: Values) -> Values:
        return self._slopes(self.chances(e))

    def _slopes(self, chances: Values) -> Values:
        return np.asarray(np.eye(len(self.answers))[None, :, 1:] - chances[:, None, 1:])

    def chance_slopes(self, e: Values) -> tuple[Values, Values]:
        chances = self.chances(e)
        if self.indices == 1:
            slope = (chances[:, :1] * chances[:, 1:])[:, :, None]
            return chances, np.concatenate([-slope, slope], axis=1)
        return chances, chances[..., None] * self._slopes(chances)

    def curvatures(self, e: Values) -> Values:
        """The second derivative of each answer's log-likelihood: [row, K, q, q]; here the same for all."""
        one = self._curvature(self.chances(e))
        return np.broadcast_to(one[:, None], (len(e), len(self.answers), *one.shape[1:]))

    def derivatives(self, moments: Values, e: Values) -> tuple[Values, Values]:
        if self.indices == 1:  # many times as fast, and the usual case
            chance, people = _logistic(e), moments[:, :1] + moments[:, 1:]
            return moments[:, 1:] - people * chance, (people * chance * (chance - 1))[:, :, None]
        chances, people = self.chances(e), moments.sum(axis=1)
        first = moments[:, 1:] - people[:, None] * chances[:, 1:]
        return first, people[:, None, None] * self._curvature(chances)

    def _curvature(self, chances: Values) -> Values:
        later = chances[:, 1:]
        return np.asarray(later[:, :, None] * later[:, None] - later[:, :, None] * np.eye(self.indices))

    def coefficients(self, terms: Sequence[str]) -> list[tuple[str, str]]:
        return [(answer, term) for answer in self.answers[1:] for term in terms]


@dataclass(frozen=True)
class OrderedAnswers(Outcome):
    """Ordered answers: the coefficients say what moves people towards the later ones."""

    @property
    def indices(self) -> int:
        return len(self.answers) - 1

    @property
    def link(self) -> str:
        return "Ordered logit"

    @property
    def has_intercept(self) -> bool:
        return False  # it has thresholds

    def index(self, x: Values, b: Floats) -> Values:
        return np.asarray(b[x.shape[1] :] - (x @ b[: x.shape[1]])[:, None])

    def chances(self, e: Values) -> Values:
        below = _logistic(e)
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def slopes(self, e: Values) -> Values:
        return self.chance_slopes(e)[1] / self._kept(e)[:, :, None]

    def chance_slopes(self, e: Values) -> tuple[Values, Values]:
        below = _logistic(e)
        return self.chances(e), self._bands(below * (1 - below))

    def curvatures(self, e: Values) -> Values:
        """The second derivative of each answer's log-likelihood: [row, K, q, q]."""
        below, slopes = _logistic(e), self.slopes(e)
        second = self._bands(below * (1 - below) * (1 - 2 * below)) / self._kept(e)[:, :, None]
        return np.asarray(second[..., None] * np.eye(self.indices) - slopes[..., None] * slopes[:, :, None])

    def derivatives(self, moments: Values, e: Values) -> tuple[Values, Values]:
        first = np.einsum("rk,rkq->rq", moments, self.slopes(e))
        return first, np.einsum("rk,rkij->rij", moments, self.curvatures(e))

    def _kept(self, e: Values) -> Values:
        """Chances that may be divided by."""
        chances = self.chances(e)
        return chances if np.iscomplexobj(chances) else np.maximum(chances, 1e-300)

    def _bands(self, values: Values) -> Values:
        """Values[row, q] where answer k ends, and what is taken off where the next begins: [row, K, q]."""
        found = np.zeros((len(values), len(self.answers), self.indices), dtype=values.dtype)
        ends = np.arange(self.indices)
        found[:, ends, ends] = values
        found[:, ends + 1, ends] = -values
        return found

    def spread(self, x: Values, slopes: Values) -> Values:
        return np.concatenate([-x * slopes.sum(axis=1, keepdims=True), slopes], axis=1)

    def summed(self, x: Values, slopes: Values) -> Values:
        return np.concatenate([-(slopes.sum(axis=1) @ x), slopes.sum(axis=0)])

    def squared(self, x: Values, curvature: Values) -> Values:
        own = curvature.sum(axis=2)  # [row, q]
        both = -(x.T @ own)
        corner = x.T @ (own.sum(axis=1)[:, None] * x)
        return np.asarray(np.block([[corner, both], [both.T, curvature.sum(axis=0)]]))

    def coefficients(self, terms: Sequence[str]) -> list[tuple[str, str]]:
        pairs = zip(self.answers[:-1], self.answers[1:], strict=True)
        return [*(("", term) for term in terms), *(("", f"{one} | {two}") for one, two in pairs)]

    def by_index(self, terms: int) -> list[slice]:
        return [slice(0, terms)]

    def scales(self, scale: Floats) -> Floats:
        return np.concatenate([scale, np.ones(self.indices)])

    def start(self, shares: Floats, terms: Sequence[str]) -> Floats:
        shares = np.maximum(shares, 0.01) / np.maximum(shares, 0.01).sum()
        below = np.cumsum(shares)[:-1]
        return np.concatenate([np.zeros(len(terms)), np.log(below / (1 - below))])

    def feasible(self, b: Floats) -> bool:
        return bool((np.diff(b[-self.indices :]) > 0).all())


@dataclass(frozen=True)
class Number(Outcome):
    """A number, whose mean is explained."""

    @property
    def indices(self) -> int:
        return 1

    @property
    def link(self) -> str:
        return "Linear"

    @property
    def is_number(self) -> bool:
        return True

    @property
    def figure(self) -> str:
        return "mean"

    @property
    def limits(self) -> tuple[float, float]:
        return -np.inf, np.inf

    @property
    def unit(self) -> Floats:
        return np.array([1.0, 0.0])

    def chances(self, e: Values) -> Values:
        return e

    def chance_slopes(self, e: Values) -> tuple[Values, Values]:
        return e, np.ones((*e.shape, 1))

    def slopes(self, e: Values) -> Values:
        return np.stack([-e, np.ones_like(e)], axis=1)

    def derivatives(self, moments: Values, e: Values) -> tuple[Values, Values]:
        return moments[:, 1:] - moments[:, :1] * e, -moments[:, :1, None] * np.ones_like(e)[:, :, None]

    def start(self, shares: Floats, terms: Sequence[str]) -> Floats:
        return np.zeros(len(terms))


def _logistic(e: Values) -> Values:
    """1 / (1 + exp(-e)), of complex numbers too."""
    if not np.iscomplexobj(e):
        return np.asarray(expit(e))
    small = np.exp(-np.where(e.real > 0, e, -e))
    return np.asarray(np.where(e.real > 0, 1 / (1 + small), small / (1 + small)))
