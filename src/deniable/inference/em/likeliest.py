"""Estimates by expectation maximisation: never negative, and possible where nothing can be inverted.

Run to convergence, the shares are the likeliest ones, as intervals need them; stopped early, they are smooth, as
pictures and trees need them (docs/decisions/0005 and 0009).
"""

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from deniable.channel.instruction import Matrix
from deniable.inference.em.em import MAX_ROUNDS, Operator, even_shares, maximised, still, sums
from deniable.inference.invert.stack import Stack, Table
from deniable.inference.invert.stacks import undisguised
from deniable.survey.question import Question

CONVERGED = 1e-4  # for numbers: stopping earlier is smoother, but its intervals miss the truth too often
SMOOTH = 0.01  # the paper's own rule, which is the right one for trees
EXACT = 1e-12  # for answers
DIGITS = 1e12  # in which shares of weighted people are the same however these were summed
LEFT = 1e-6  # of all people, so that shares that were cut to digits add up to no more


def likeliest(reported: Table, stacks: Sequence[Stack]) -> Table:
    """The true shares that make the reported counts likeliest, each table (last axis) for itself.

    Where the inverse table is feasible there is none likelier; elsewhere, and under noise, it takes steps.
    """
    if any(stack.has_noise for stack in stacks):
        return converged(reported, stacks, CONVERGED)
    if any(stack.matrix.shape[0] > stack.matrix.shape[1] for stack in stacks):
        return converged(reported, stacks, EXACT)
    shares = undisguised(reported / sums(reported), stacks)
    negative = (shares < 0).reshape(-1, shares.shape[-1]).any(axis=0)
    if negative.any():
        shares[..., negative] = converged(reported[..., negative], stacks, EXACT)
    return shares


def converged(reported: Table, stacks: Sequence[Stack], tolerance: float) -> Table:
    """True shares after as many extrapolated steps as it takes until no table moves any more."""
    operator, even = Operator.of_stacks(stacks), even_shares(_questions(stacks))
    start = even * operator.adjoint(np.ones_like(reported))  # one but for rounding, which decides when bootstraps stop
    with threadpool_limits(1, "blas"):  # products are small: more threads only wait for each other
        return maximised(reported, start, operator, still(tolerance, start, together=True), extrapolated=True)


def smooth(
    reported: Table,
    stacks: Sequence[Stack],
    tolerance: float = SMOOTH,
    rounds: int = MAX_ROUNDS,
    start: Table | None = None,
) -> Table:
    """True shares after plain steps to the paper's own stop, each table (last axis) for itself.

    Successive shares are compared, not reported tables: those look alike long before the true ones do. The cost of a
    step does not depend on the number of replies.
    """
    start = even_shares(_questions(stacks)) if start is None else start
    if len(start.shape) == 2:  # one question
        return smooth_margin(reported, stacks[0].matrix, start, rounds, tolerance)
    return maximised(reported, start, Operator.of_stacks(stacks), still(tolerance, start), rounds)


def smooth_margin(
    reported: Table, matrix: Matrix, start: Table, rounds: int = MAX_ROUNDS, tolerance: float = SMOOTH
) -> Table:
    """The same for one question and its matrix: [reported cell, table] to [true cell, table]."""
    seen = np.flatnonzero(reported.any(axis=1))  # bins without any report do not matter
    return maximised(reported[seen], start, Operator.of_matrices([matrix[seen]]), still(tolerance, start), rounds)


def resampled(reported: Table, number: int, rng: np.random.Generator) -> Table:
    """Tables as other respondents might have given them (bootstrap), along a new last axis.

    Counts of weighted people differ in their last digits with the order in which they were summed, and a draw that
    differs shifts all that follow: so their shares are cut to DIGITS first, and draws are the same in every engine.
    """
    shares = reported.ravel() / reported.sum()
    if (reported != np.rint(reported)).any():
        shares = np.rint(shares * DIGITS) / DIGITS * (1 - LEFT)
    drawn = rng.multinomial(round(reported.sum()), shares, size=number)
    return np.moveaxis(drawn.reshape(number, *reported.shape).astype(float), 0, -1)


def _questions(stacks: Sequence[Stack]) -> list[Question]:
    """The questions in the order of their axes."""
    found = [pair for stack in stacks for pair in zip(stack.axes, stack.questions, strict=True)]
    return [question for _, question in sorted(found, key=lambda pair: pair[0])]
