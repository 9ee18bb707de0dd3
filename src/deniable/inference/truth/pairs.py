"""A model of the truth from pairs of questions.

Where every question has its own lottery, tables of many questions drown in noise, but tables of two do not. The
model with the least assumptions that agrees with all pairs is log-linear:

    P(x) ~ exp( sum over pairs of lambda_ij(x_i, x_j) )

It is fitted to the inverse pair tables, and each lambda is penalised by the noise of its cell: minimise

    log Z(lambda) - lambda . T + (n0 / 2) sum of V lambda^2

which is convex, has one optimum and costs the same for any number of replies. Lambdas that are held back make answers
even, which does a classifier no harm. Where the model has to have given margins p_i as well, it is

    P(x) ~ exp( sum over questions of mu_i(x_i) + sum over pairs of lambda_ij(x_i, x_j) )

with no penalty on mu, which stands on the diagonal of the matrix of lambdas: what noise hides is then independence.

legend: T shares of pair cells, made consistent; V their raw variances; Z indicators of all cells, one column per
answer; blocks of these columns belong to one question, the target's are the last
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, prod
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from deniable.errors import NoReplies, NotIdentified
from deniable.inference.estimates import Estimates
from deniable.inference.independence import mutual_information
from deniable.inference.population.records import Records

Floats = NDArray[np.float64]
HOLD_BACK = 300.0  # n0 where every question has its own lottery
HOLD_BACK_OF_VERSIONS = 100.0  # where the questions of a version are answered in one draw
MIN_OF_INDEPENDENCE = 0.02
FITTING_ROUNDS = 50
MAX_CELLS = 40_000
MAX_ROUNDS, CONVERGED = 1000, 1e-8  # by the gradient alone; a looser stop lets rounding decide the fourth digit


@dataclass(frozen=True)
class PairwiseModel:
    """The chances of all combinations of true answers to some questions, the target last."""

    names: tuple[str, ...]
    chances: Floats  # one axis per question

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of answers of each question."""
        return self.chances.shape

    def records(self, people: float) -> Records:
        """All combinations as records, so many people in all."""
        cells = np.unravel_index(np.arange(self.chances.size), self.sizes)
        return Records(tuple(cells), self.sizes, people * self.chances.ravel())

    def target_chances(self, cells: NDArray[np.int64]) -> Floats:
        """P(target | answers) for one row of cells per question (without the target): [record, class].

        An answer not seen in training (-1) is ignored.
        """
        joint = np.empty((cells.shape[1], self.sizes[-1]))
        for known in np.unique(cells >= 0, axis=1).T:
            rows = ((cells >= 0) == known[:, None]).all(axis=0)
            margin = self.chances.sum(axis=tuple(np.flatnonzero(~known).tolist()))
            joint[rows] = margin[tuple(cells[known][:, rows])]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def fit_pairs(
    estimates: Estimates,
    names: Sequence[str],
    n: float,
    hold_back: float = HOLD_BACK,
    skipped: tuple[type[Exception], ...] = (NoReplies,),
    converged: float = CONVERGED,
    margins: Sequence[Floats] | None = None,
) -> PairwiseModel:
    """The model of these questions, the target last; of the strongest where they would be too many.

    A question whose table with the target is refused in a way to be `skipped` has no term with it. The fit ends where
    no pair cell's share is further from what it should be than `converged`. With `margins`, shares of the answers to
    each question, the model has these, and shrinks towards independent answers instead of even ones.
    """
    pairs = _PairTables.of(estimates, names, n, skipped, margins)
    kept = pairs.strongest()
    pairs.add(combinations(kept, 2), NoReplies, NotIdentified)
    shares, variances, sizes = pairs.matrix(kept)
    terms, start = _upper_blocks(sizes) & (shares > 0), np.zeros_like(shares)
    if margins is not None:
        given = np.concatenate([pairs.margins[index] for index in kept])
        np.fill_diagonal(shares, given)
        np.fill_diagonal(start, np.log(given))
        terms |= np.eye(len(given), dtype=bool)
    chances = _fitted(_Halves.of(sizes), terms, start, shares, hold_back * variances, converged)
    return PairwiseModel(tuple(names[index] for index in kept), chances.reshape(sizes))


def _fitted(
    halves: "_Halves", terms: NDArray[np.bool_], start: Floats, shares: Floats, penalty: Floats, converged: float
) -> Floats:
    """The chance of each combination. All matrices are of pairs of answers; `shares` are those to be met."""
    matrix, target, held = np.zeros_like(shares), shares[terms], penalty[terms]

    def loss(lambdas: Floats) -> tuple[float, Floats]:
        matrix[terms] = lambdas
        log_z, chances = halves.chances(matrix)
        value = log_z - lambdas @ target + 0.5 * held @ lambdas**2
        return float(value), np.asarray(halves.pairs(chances)[terms] - target + held * lambdas)

    with threadpool_limits(1, "blas"):  # else numpy's threads and scipy's take turns, each waiting busily
        found = minimize(
            loss,
            start[terms],
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MAX_ROUNDS, "maxcor": 40, "ftol": 0.0, "gtol": converged},
        )
    matrix[terms] = found.x
    return halves.chances(matrix)[1]


@dataclass(frozen=True)
class _Halves:
    """All combinations of answers, as those of the first questions (rows) by those of the others (columns).

    A pair is within one half or between both, so a few hundred combinations of each half are all that lambdas meet.
    """

    first: Floats  # Z of the first questions' combinations
    second: Floats

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Self:
        """Two halves with about as many combinations each."""
        middle = next(index for index in range(len(sizes)) if prod(sizes[: index + 1]) ** 2 >= prod(sizes))
        return cls(_indicators(sizes[:middle]), _indicators(sizes[middle:]))

    def chances(self, lambdas: Floats) -> tuple[float, Floats]:
        """log Z, and the chance of each combination."""
        cut = self.first.shape[1]
        energy = self.first @ lambdas[:cut, cut:] @ self.second.T
        energy += ((self.first @ lambdas[:cut, :cut]) * self.first).sum(axis=1)[:, None]
        energy += ((self.second @ lambdas[cut:, cut:]) * self.second).sum(axis=1)
        top = float(energy.max())
        chances = np.exp(energy - top)
        total = float(chances.sum())
        return top + log(total), chances / total

    def pairs(self, chances: Floats) -> Floats:
        """The chance of each pair of answers, above the diagonal."""
        cut = self.first.shape[1]
        found = np.zeros((cut + self.second.shape[1],) * 2)
        found[:cut, cut:] = self.first.T @ chances @ self.second
        found[:cut, :cut] = (self.first.T * chances.sum(axis=1)) @ self.first
        found[cut:, cut:] = (self.second.T * chances.sum(axis=0)) @ self.second
        return found


@dataclass(frozen=True)
class _PairTables:
    """Consistent shares and raw variances of pairs of questions."""

    estimates: Estimates
    names: Sequence[str]
    n: float
    margins: list[Floats]
    shares: dict[tuple[int, int], Floats]
    variances: dict[tuple[int, int], Floats]

    @classmethod
    def of(
        cls,
        estimates: Estimates,
        names: Sequence[str],
        n: float,
        skipped: tuple[type[Exception], ...],
        margins: Sequence[Floats] | None,
    ) -> "_PairTables":
        """The pairs of each question with the last, the target."""
        made = cls(estimates, names, n, [*margins] if margins else _margins(estimates, names), {}, {})
        made.add(((one, len(names) - 1) for one in range(len(names) - 1)), *skipped)
        return made

    def add(self, pairs: Iterable[tuple[int, int]], *skipped: type[Exception]) -> None:
        """Some pairs more, as far as they are not there yet; those refused in this way have no term in the model."""
        for one, two in pairs:
            if (one, two) in self.shares:
                continue
            try:
                table = self.estimates.table([self.names[one], self.names[two]])
            except skipped:
                continue
            self.shares[one, two] = _consistent(table.counts / self.n, self.margins[one], self.margins[two])
            self.variances[one, two] = np.maximum(table.variance, 0) / self.n**2

    @property
    def sizes(self) -> list[int]:
        """The number of answers of each question."""
        return [len(margin) for margin in self.margins]

    def strongest(self) -> list[int]:
        """The questions with the most information about the target, as many as the table can hold; in their order."""
        last = len(self.sizes) - 1
        information = {index: self._information(index, last) for index in range(last)}
        kept = [last]
        for index in sorted(information, key=lambda each: -information[each]):
            if prod(self.sizes[each] for each in [*kept, index]) <= MAX_CELLS:
                kept.append(index)
        return sorted(kept)

    def _information(self, one: int, two: int) -> float:
        return mutual_information(self.shares[one, two]) if (one, two) in self.shares else 0.0

    def matrix(self, kept: Sequence[int]) -> tuple[Floats, Floats, list[int]]:
        """All pair tables in one matrix of blocks (above the diagonal), and their variances."""
        sizes = [self.sizes[index] for index in kept]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        shares, variances = np.zeros((starts[-1], starts[-1])), np.zeros((starts[-1], starts[-1]))
        for row, one in enumerate(kept):
            for column, two in enumerate(kept[row + 1 :], row + 1):
                if (one, two) not in self.shares:
                    continue
                block = slice(starts[row], starts[row + 1]), slice(starts[column], starts[column + 1])
                shares[block], variances[block] = self.shares[one, two], self.variances[one, two]
        return shares, variances, sizes


def _margins(estimates: Estimates, names: Sequence[str]) -> list[Floats]:
    """The share of each answer, at least half a person's."""
    counts = [np.maximum(estimates.table([name]).counts, 0.5) for name in names]
    return [each / each.sum() for each in counts]


def _consistent(shares: Floats, rows: Floats, columns: Floats) -> Floats:
    """A pair table with these margins and no cell below a fiftieth of independence."""
    alone = np.outer(rows, columns)
    apart = shares - alone
    apart = apart - apart.mean(axis=0) - apart.mean(axis=1, keepdims=True) + apart.mean()
    table = np.maximum(alone + apart, MIN_OF_INDEPENDENCE * alone)
    for _ in range(FITTING_ROUNDS):
        table *= (rows / table.sum(axis=1))[:, None]
        table *= columns / table.sum(axis=0)
    return np.asarray(table)


def _indicators(sizes: Sequence[int]) -> Floats:
    """Z of all combinations of some questions' cells, the last question's changing fastest."""
    shown = np.zeros((1, 0))
    for size in sizes:
        shown = np.hstack([np.repeat(shown, size, axis=0), np.tile(np.eye(size), (len(shown), 1))])
    return shown


def _upper_blocks(sizes: Sequence[int]) -> NDArray[np.bool_]:
    """Where pairs of different questions stand, each once."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.asarray(owner[:, None] < owner[None, :])
