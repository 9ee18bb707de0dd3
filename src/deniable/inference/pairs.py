"""A model of the truth from pairs of questions.

Where every question has its own lottery, tables of many questions drown in noise, but tables of two do not. The
model with the least assumptions that agrees with all pairs is log-linear:

    P(x) ~ exp( sum over pairs of lambda_ij(x_i, x_j) )

It is fitted to the inverse pair tables, and each lambda is held back by the noise of its cell: minimise

    log Z(lambda) - lambda . T + (n0 / 2) sum of V lambda^2

which is convex, has one optimum and costs the same for any number of replies.

legend: T shares of pair cells, made consistent; V their raw variances; Z indicators of all cells, one column per
answer; blocks of these columns belong to one question, the target's are the last
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from deniable.inference.estimates import Estimates
from deniable.inference.records import Records

Floats = NDArray[np.float64]
HOLD_BACK = 300.0  # n0
LEAST_OF_INDEPENDENCE = 0.02
FITTING_ROUNDS = 50
MOST_CELLS = 40_000


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
        """P(target | answers) for one row of cells per question (without the target): [record, class]."""
        joint = self.chances[tuple(cells)]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def fit_pairs(estimates: Estimates, names: Sequence[str], n: float) -> PairwiseModel:
    """The model of these questions, the target last; of the strongest where they would be too many."""
    pairs = _PairTables.of(estimates, names, n)
    kept = pairs.strongest()
    shares, variances, sizes = pairs.matrix(kept)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    shape = tuple(sizes)
    shown = _indicators(shape, starts)
    upper = _upper_blocks(starts)
    target, held = shares[upper], HOLD_BACK * variances[upper]
    matrix = np.zeros_like(shares)

    def loss(lambdas: Floats) -> tuple[float, Floats]:
        matrix[upper] = lambdas
        energy = ((shown @ matrix) * shown).sum(axis=1)
        log_z = float(logsumexp(energy))
        expected = (shown * np.exp(energy - log_z)[:, None]).T @ shown
        value = log_z - lambdas @ target + 0.5 * held @ lambdas**2
        return float(value), np.asarray(expected[upper] - target + held * lambdas)

    found = minimize(loss, np.zeros(len(target)), jac=True, method="L-BFGS-B", options={"maxiter": 200, "gtol": 1e-6})
    matrix[upper] = found.x
    energy = ((shown @ matrix) * shown).sum(axis=1)
    chances = np.exp(energy - logsumexp(energy)).reshape(shape)
    return PairwiseModel(tuple(names[place] for place in kept), chances)


@dataclass(frozen=True)
class _PairTables:
    """Consistent shares and raw variances of every pair of questions."""

    sizes: list[int]
    margins: list[Floats]
    shares: dict[tuple[int, int], Floats]
    variances: dict[tuple[int, int], Floats]

    @classmethod
    def of(cls, estimates: Estimates, names: Sequence[str], n: float) -> "_PairTables":
        margins = []
        for name in names:
            counts = np.maximum(estimates.table([name]).counts, 0.5)
            margins.append(counts / counts.sum())
        shares, variances = {}, {}
        for one in range(len(names)):
            for two in range(one + 1, len(names)):
                table = estimates.table([names[one], names[two]])
                shares[one, two] = _consistent(table.counts / n, margins[one], margins[two])
                variances[one, two] = np.maximum(table.variance, 0) / n**2
        return cls([len(margin) for margin in margins], margins, shares, variances)

    def strongest(self) -> list[int]:
        """The questions that tell most about the target, as many as the table can hold; in their order."""
        last = len(self.sizes) - 1
        told = {place: self._information(place, last) for place in range(last)}
        kept = [last]
        for place in sorted(told, key=lambda each: -told[each]):
            if prod(self.sizes[each] for each in [*kept, place]) <= MOST_CELLS:
                kept.append(place)
        return sorted(kept)

    def _information(self, one: int, two: int) -> float:
        shares = self.shares[one, two]
        return float((shares * np.log(shares / np.outer(self.margins[one], self.margins[two]))).sum())

    def matrix(self, kept: Sequence[int]) -> tuple[Floats, Floats, list[int]]:
        """All pair tables in one matrix of blocks (above the diagonal), and their variances."""
        sizes = [self.sizes[place] for place in kept]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        shares, variances = np.zeros((starts[-1], starts[-1])), np.zeros((starts[-1], starts[-1]))
        for row, one in enumerate(kept):
            for column, two in enumerate(kept[row + 1 :], row + 1):
                block = slice(starts[row], starts[row + 1]), slice(starts[column], starts[column + 1])
                shares[block], variances[block] = self.shares[one, two], self.variances[one, two]
        return shares, variances, sizes


def _consistent(shares: Floats, rows: Floats, columns: Floats) -> Floats:
    """A pair table with these margins and no cell below a fiftieth of independence."""
    alone = np.outer(rows, columns)
    apart = shares - alone
    apart = apart - apart.mean(axis=0) - apart.mean(axis=1, keepdims=True) + apart.mean()
    table = np.maximum(alone + apart, LEAST_OF_INDEPENDENCE * alone)
    for _ in range(FITTING_ROUNDS):
        table *= (rows / table.sum(axis=1))[:, None]
        table *= columns / table.sum(axis=0)
    return np.asarray(table)


def _indicators(shape: tuple[int, ...], starts: NDArray[np.int64]) -> Floats:
    cells = np.array(np.unravel_index(np.arange(prod(shape)), shape))
    shown = np.zeros((prod(shape), starts[-1]))
    for question, start in enumerate(starts[:-1]):
        shown[np.arange(prod(shape)), start + cells[question]] = 1
    return shown


def _upper_blocks(starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where pairs of different questions stand, each once."""
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.asarray(owner[:, None] < owner[None, :])
