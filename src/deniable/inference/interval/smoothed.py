"""Smoothed truth: shares of true answers that leave no combination out.

Few replies leave most reports of a large table unseen, and a variance taken from those seen is far too small. So the
truth is estimated as if a handful of people had answered in the clear and independently: x0 is the product of the
margins, mixed with even shares, and counts as much as PRIOR replies.

    x <- (x * M'(y / M x) + PRIOR x0) / (n + PRIOR)

legend: x true shares, y reported counts, M the disguise; the last axis of a table counts tables
"""

from collections.abc import Sequence

import numpy as np

from deniable.inference.em.em import Operator, maximised, never, sums
from deniable.inference.invert.stack import Stack, Table

PRIOR = 8  # replies that the independent guess counts for
EVEN = 0.02  # of the guess is spread over all cells
STEPS = 10


def smoothed_truth(reported: Table, stacks: Sequence[Stack]) -> Table:
    """True shares [*true cell, table] behind reported counts [*report, table], all positive."""
    guess = reported / np.maximum(sums(reported), 1.0)
    for stack in stacks:
        guess = stack.unbiased(guess)
    return maximised(reported, _independent(guess), Operator.of_stacks(stacks), never, STEPS, prior=PRIOR)


def even_truth(stacks: Sequence[Stack]) -> Table:
    """All combinations of answers equally frequent: [*true cell, 1]."""
    sizes = {axis: size for stack in stacks for axis, size in zip(stack.axes, stack.true_shape, strict=True)}
    shape = [sizes[axis] for axis in sorted(sizes)]
    return np.full((*shape, 1), 1 / np.prod(shape))


def _independent(shares: Table) -> Table:
    """The product of the margins without negative shares, mixed with even ones."""
    *axes, tables = range(shares.ndim)
    found = np.ones([1] * len(axes) + [shares.shape[tables]])
    for axis in axes:
        others = tuple(each for each in axes if each != axis)
        margin = np.maximum(shares.sum(axis=others, keepdims=True), 0.0)
        total = margin.sum(axis=axis, keepdims=True)
        found = found * np.where(total > 0, margin / np.where(total > 0, total, 1.0), 1 / shares.shape[axis])
    return (1 - EVEN) * found + EVEN / np.prod(shares.shape[:-1])
