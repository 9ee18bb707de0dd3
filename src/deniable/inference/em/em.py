"""Expectation maximisation: the one loop behind every reconstruction.

Start from a guess of the true shares; ask what share of each report each truth accounts for; count again. The
likelihood of the reports rises at every step.  Dempster, Laird and Rubin 1977; Agrawal and Srikant 2000, equation 3

    x <- x * M'(y / M x)

legend: x true shares, y reported shares, M the disguise (a linear map); the last axis of a table counts many tables,
each computed separately
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from deniable.channel.instruction import Matrix
from deniable.inference.invert.stack import Stack, Table, along
from deniable.inference.invert.stacks import adjoint, disguised
from deniable.survey.question import Question

MAX_ROUNDS = 2000
TINY = 1e-300  # instead of zero, below a fraction or in a logarithm
FLOOR = 1e-12  # of shares whose steps are extrapolated: one of zero could never rise again
CHECKED, PATIENCE = 10, 5  # steps between two looks at replies held out, and looks without gain


@dataclass(frozen=True)
class Operator:
    """The disguise as a linear map from true to reported tables, and its adjoint."""

    forward: Callable[[Table], Table]
    adjoint: Callable[[Table], Table]

    @classmethod
    def of_stacks(cls, stacks: Sequence[Stack]) -> "Operator":
        """The disguise of a table by the lotteries of its questions."""
        return cls(lambda x: disguised(x, stacks), lambda y: adjoint(y, stacks))

    @classmethod
    def of_matrices(cls, matrices: Sequence[Matrix]) -> "Operator":
        """One matrix [reported, true] for each axis; their product is never built."""
        if len(matrices) == 1:
            matrix = matrices[0]
            return cls(lambda x: matrix @ x, lambda y: matrix.T @ y)
        return cls(lambda x: _along_all(x, matrices), lambda y: _along_all(y, [each.T for each in matrices]))


class Stop(Protocol):
    """When to stop: after `done` steps, given how far the last one moved each table [table] and where it led."""

    def __call__(self, done: int, change: Table, shares: Table, going: NDArray[np.intp]) -> NDArray[np.bool_]: ...


def maximised(
    reported: Table,
    start: Table,
    operator: Operator,
    stop: Stop,
    rounds: int = MAX_ROUNDS,
    extrapolated: bool = False,
    prior: float = 0.0,
) -> Table:
    """True shares of each reported table of counts; tables that the rule has stopped are left alone.

    Steps may be extrapolated along their bend (SQUAREM) as long as that raises the likelihood. With a prior, the start
    counts as much as so many people who were asked in the clear.
    """
    people = sums(reported)
    n = np.maximum(people, 1.0)
    y, shares = reported / n, np.array(np.broadcast_to(start / sums(start), (*start.shape[:-1], len(n))))
    floor, going, begun = FLOOR if extrapolated else 0.0, np.flatnonzero(people > 0), shares.copy()
    for done in range(1, rounds + 1):
        if not len(going):
            break
        before, here = shares[..., going], y[..., going]
        after = _step(before, here, operator, floor)
        if prior:
            after = (n[going] * after + prior * begun[..., going]) / (n[going] + prior)
        stopped = stop(done, n[going] * sums(_moved(before, after)), after, going)
        if extrapolated and not stopped.all():
            after = np.where(stopped, after, _leap(before, after, here, operator))
        shares[..., going] = after
        going = going[~stopped]
    return np.asarray(shares / sums(shares))


def still(tolerance: float, shares: Table, together: bool = False) -> Stop:
    """Stop where a step moves a table by less than `tolerance` of the 95 % critical value of the chi-square test.

    `together`: all tables go on until the last of them is still.
    """
    enough = tolerance * float(chdtri(max(1, shares[..., 0].size - 1), 0.05))

    def stop(done: int, change: Table, shares: Table, going: NDArray[np.intp]) -> NDArray[np.bool_]:
        found = np.asarray(change < enough)
        return np.full_like(found, found.all()) if together else found

    return stop


def never(done: int, change: Table, shares: Table, going: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Take all rounds."""
    return np.zeros(len(change), dtype=bool)


def rounds_by_held_out(kept: Table, held: Table, start: Table, operator: Operator, rounds: int) -> int:
    """After how many steps on the kept replies those held out are likeliest."""

    def likelihood(shares: Table, going: NDArray[np.intp]) -> float:
        return float(_likelihood(shares, held[..., going], operator).sum())

    return best_rounds(kept, start, operator, likelihood, rounds)[0]


def best_rounds(
    kept: Table,
    start: Table,
    operator: Operator,
    score: Callable[[Table, NDArray[np.intp]], float],
    rounds: int,
) -> tuple[int, float]:
    """The number of steps after which the shares of the tables still `going` score best, and that score."""
    best, found, idle = -np.inf, 0, 0

    def stop(done: int, change: Table, shares: Table, going: NDArray[np.intp]) -> NDArray[np.bool_]:
        nonlocal best, found, idle
        if done % CHECKED == 0:
            here = score(shares, going)
            idle = 0 if here > best else idle + 1
            best, found = (here, done) if here > best else (best, found)
        return np.full(len(change), idle == PATIENCE)

    maximised(kept, start, operator, stop, rounds)
    return found, best


def even_shares(questions: Sequence[Question]) -> Table:
    """Uniform start, mass proportional to the width of a cell (all answers alike): one table, [x1, x2, ..., 1]."""
    found = np.ones(())
    for question in questions:
        widths = np.ones(len(question)) if question.range is None else np.diff(question.range.edges)
        found = np.multiply.outer(found, widths)
    return found[..., None]


def sums(table: Table) -> Table:
    """The sum of each table."""
    return np.asarray(table.reshape(-1, table.shape[-1]).sum(axis=0))


def _step(x: Table, y: Table, operator: Operator, floor: float = FLOOR) -> Table:
    return np.maximum(x * operator.adjoint(y / np.maximum(operator.forward(x), TINY)), floor)


def _moved(before: Table, after: Table) -> Table:
    """How far a step moved each share, as the chi-square test counts it."""
    return np.asarray(np.divide((after - before) ** 2, before, out=np.zeros_like(before), where=before > 0))


def _leap(start: Table, once: Table, y: Table, operator: Operator) -> Table:
    """Two steps extrapolated along their bend, or just the two steps where that is less likely."""
    twice = _step(once, y, operator)
    first, bend = once - start, twice - 2 * once + start
    length = np.maximum(np.sqrt(sums(first**2) / np.maximum(sums(bend**2), TINY)), 1.0)
    leapt = np.maximum(start + 2 * length * first + length**2 * bend, FLOOR)
    leapt = _step(leapt / sums(leapt), y, operator)
    better = _likelihood(leapt, y, operator) >= _likelihood(twice, y, operator)
    return np.where(better, leapt, twice)


def _likelihood(x: Table, y: Table, operator: Operator) -> Table:
    return sums(y * np.log(np.maximum(operator.forward(x), TINY)))


def _along_all(table: Table, matrices: Sequence[Matrix]) -> Table:
    for axis, matrix in enumerate(matrices):
        table = along(table, (axis,), matrix, (len(matrix),))
    return table
