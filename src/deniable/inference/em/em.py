"""Estimates by iterative Bayes: never negative, and possible where nothing can be inverted.

Start from equally frequent truths; ask what share of each report each truth accounts for; count again.
The likelihood rises at every step.  Agrawal and Srikant 2000, equation 3; for answers as for numbers

    x <- x * M'(y / M x)

legend: x true shares, y reported counts, M matrix; tables may carry a last axis of many at once
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.inference.estimates import TrueTable
from deniable.inference.invert.blocks import Block, Table, adjoint, blocks_of, disguised, undisguised
from deniable.inference.invert.inverse import given_cells

MIN = 1e-12  # a share of zero could never rise again
MAX_ROUNDS = 2000
CONVERGED = 1e-4  # for numbers: stopping earlier is smoother, but its intervals miss the truth too often
SMOOTH = 0.01  # the paper's own rule, which is the right one for trees
EXACT = 1e-12  # for answers


def likeliest(reported: Table, blocks: Sequence[Block]) -> Table:
    """The true shares that make the reported counts likeliest, each table (last axis) for itself.

    Where the inverse table is feasible there is none likelier; elsewhere, and under noise, it takes steps.
    """
    if any(block.channel.has_noise for block in blocks):
        return iterate(reported, blocks, CONVERGED)
    if any(block.matrix.shape[0] > block.matrix.shape[1] for block in blocks):
        return iterate(reported, blocks, EXACT)
    shares = undisguised(reported / _sums(reported), blocks)
    negative = (shares < 0).reshape(-1, shares.shape[-1]).any(axis=0)
    if negative.any():
        shares[..., negative] = iterate(reported[..., negative], blocks, EXACT)
    return shares


def iterate(reported: Table, blocks: Sequence[Block], tolerance: float, rounds: int = MAX_ROUNDS) -> Table:
    """True shares after as many steps as it takes, from even ones.

    Stops where one more step changes no table by more than `tolerance` of what the chi-square test at
    95 % would notice. Steps are extrapolated (SQUAREM) as long as that raises the likelihood.
    """
    n = _sums(reported)
    y = reported / n
    shares = _evenly(y, blocks)
    enough = tolerance * noticed(shares[..., 0].size)

    def step(x: Table) -> Table:
        return np.maximum(x * adjoint(y / np.maximum(disguised(x, blocks), 1e-300), blocks), MIN)

    for _ in range(rounds):
        once = step(shares)
        if (n * _sums(moved(shares, once)) < enough).all():
            return once / _sums(once)
        shares = _leap(shares, once, step, y, blocks)
    return shares / _sums(shares)


def plain_steps(
    reported: Table,
    blocks: Sequence[Block],
    tolerance: float = SMOOTH,
    rounds: int = MAX_ROUNDS,
    start: Table | None = None,
) -> Table:
    """True shares after plain steps to the paper's own stop, each table (last axis) for itself.

    Successive shares are compared, not reported tables: those look alike long before the true ones do. The cost of a
    step does not hang on the number of replies.
    """
    start = _evenly(reported / np.maximum(_sums(reported), 1.0), blocks) if start is None else start
    if reported.ndim == 2:  # one question
        return stepwise(reported, blocks[0].matrix, start, rounds, tolerance)

    def step(shares: Table, y: Table) -> Table:
        return shares * adjoint(y / np.maximum(disguised(shares, blocks), 1e-300), blocks)

    return _until_still(reported, start, step, tolerance, rounds)


def stepwise(
    reported: Table, matrix: Table, start: Table, rounds: int = MAX_ROUNDS, tolerance: float = SMOOTH
) -> Table:
    """The same for one question and its matrix: [reported cell, table] to [true cell, table]."""
    start = np.repeat(start[:, None], reported.shape[1], axis=1) if start.ndim == 1 else start
    seen = np.flatnonzero(reported.any(axis=1))  # bins without any report say nothing
    reported, matrix = reported[seen], matrix[seen]

    def step(shares: Table, y: Table) -> Table:
        return np.asarray(shares * (matrix.T @ (y / np.maximum(matrix @ shares, 1e-300))))

    return _until_still(reported, start, step, tolerance, rounds)


def _until_still(
    reported: Table, shares: Table, step: Callable[[Table, Table], Table], tolerance: float, rounds: int
) -> Table:
    """Steps until shares hardly change any more; tables that are still are left alone."""
    people = _sums(reported)
    n = np.maximum(people, 1.0)
    y = reported / n
    enough = tolerance * noticed(shares[..., 0].size)
    going, shares = np.flatnonzero(people > 0), shares.copy()
    for _ in range(rounds):
        if not len(going):
            break
        before = shares[..., going]
        after = step(before, y[..., going])
        shares[..., going] = after
        going = going[n[going] * _sums(moved(before, after)) >= enough]
    return np.asarray(shares / _sums(shares))


def moved(before: Table, after: Table) -> Table:
    """How far a step moved each share, as the chi-square test counts it."""
    return np.asarray(np.divide((after - before) ** 2, before, out=np.zeros_like(before), where=before > 0))


def noticed(cells: int) -> float:
    """How far the shares of so many cells may move before the chi-square test at 95 % notices."""
    return float(chdtri(max(1, cells - 1), 0.05))


def _evenly(y: Table, blocks: Sequence[Block]) -> Table:
    """Equal shares of all answers, and of all numbers: a narrow cell starts with little."""
    shares = adjoint(np.ones_like(y), blocks)
    for block in blocks:
        for axis, question in zip(block.axes, block.questions, strict=True):
            if question.range is not None:
                widths = np.diff(question.range.edges)
                shares *= widths.reshape([-1 if index == axis else 1 for index in range(shares.ndim)])
    return np.asarray(shares / _sums(shares))


def _leap(start: Table, once: Table, step: Callable[[Table], Table], y: Table, blocks: Sequence[Block]) -> Table:
    """Two steps extrapolated along their bend, or just the two steps where that is less likely."""
    twice = step(once)
    first, bend = once - start, twice - 2 * once + start
    length = np.sqrt(_sums(first**2) / np.maximum(_sums(bend**2), 1e-300))
    length = np.maximum(length, 1.0)
    leapt = np.maximum(start + 2 * length * first + length**2 * bend, MIN)
    leapt = step(leapt / _sums(leapt))
    better = _likelihood(leapt, y, blocks) >= _likelihood(twice, y, blocks)
    return np.where(better, leapt, twice)


def _likelihood(x: Table, y: Table, blocks: Sequence[Block]) -> Table:
    return _sums(y * np.log(np.maximum(disguised(x, blocks), 1e-300)))


def _sums(table: Table) -> Table:
    """The sum of each table."""
    return np.asarray(table.sum(axis=tuple(range(table.ndim - 1))))


def resampled(reported: Table, number: int, rng: np.random.Generator) -> Table:
    """Tables as other respondents might have given them (bootstrap), along a new last axis."""
    n = int(reported.sum())
    drawn = rng.multinomial(n, reported.ravel() / reported.sum(), size=number)
    return np.moveaxis(drawn.reshape(number, *reported.shape).astype(float), 0, -1)


@dataclass(frozen=True)
class BayesEstimates:
    """Feasible tables of the truth; they need not agree with each other."""

    design: Design
    counts: Counts
    bootstraps: int = 50
    seed: int = 0

    def table(self, names: Sequence[str], given: Mapping[str, int] | None = None) -> TrueTable:
        """The likeliest true table; its variance by bootstrap."""
        questions = [self.design.question(name) for name in [*names, *(given or {})]]
        blocks = blocks_of(self.design, questions)
        reported = self.counts.table([self.design.reported(question) for question in questions])
        again = resampled(reported, self.bootstraps, np.random.default_rng(self.seed))
        shares = likeliest(np.concatenate([reported[..., None], again], axis=-1), blocks)
        n = float(reported.sum())
        return given_cells(TrueTable(tuple(names), n * shares[..., 0], n**2 * shares[..., 1:].var(axis=-1)), given)
