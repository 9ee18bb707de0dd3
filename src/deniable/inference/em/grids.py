"""Several questions reconstructed together, on the product of their cells.

Each question keeps its own small matrix, applied along its own axis; the product of all is never built. Tables of many
groups of people (such as classes) are computed at once, each separately.
Agrawal and Srikant 2000, equation 3, in several dimensions

legend: one axis for each question, then one for the groups: reported [b1, b2, ..., t], true [x1, x2, ..., t]
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.inference.em.em import (
    TINY,
    Operator,
    best_rounds,
    even_shares,
    maximised,
    never,
    rounds_by_held_out,
    still,
    sums,
)
from deniable.inference.em.observed import ObservedQuestion
from deniable.inference.population.records import Floats

MAX_STEPS = 1500


def counted(axes: Sequence[ObservedQuestion], groups: NDArray[np.intp], count: int) -> Floats:
    """How often each combination of bins occurs in each group; replies that skip a question do not count."""
    shape = (*(len(axis.matrix) for axis in axes), count)
    given = np.logical_and.reduce([axis.answered for axis in axes])
    keys = np.ravel_multi_index((*(axis.bins[given] for axis in axes), groups[given]), shape)
    return np.bincount(keys, minlength=prod(shape)).astype(float).reshape(shape)


def smooth_grid(reported: Floats, axes: Sequence[ObservedQuestion], tolerance: float, rounds: int) -> Floats:
    """True shares of each table, stopped where none moves more than `tolerance` of what a test would notice."""
    start, operator = _start(axes)
    return maximised(reported, start, operator, still(tolerance, start, together=True), rounds)


def after_steps(reported: Floats, axes: Sequence[ObservedQuestion], rounds: int) -> Floats:
    """True shares of each table after so many steps."""
    start, operator = _start(axes)
    return maximised(reported, start, operator, never, rounds)


def grid_by_held_out(reported: Floats, held_out: Floats, axes: Sequence[ObservedQuestion]) -> Floats:
    """True shares of everybody, after as many steps as were best for people held out of a first run."""
    start, operator = _start(axes)
    rounds = rounds_by_held_out(reported, held_out, start, operator, MAX_STEPS)
    return maximised(reported + held_out, start, operator, never, rounds)


def likelihood_of_groups(reported: Floats, held_out: Floats, axes: Sequence[ObservedQuestion]) -> float:
    """The mean log likelihood of the groups of people held out, given their reports, after as many steps as are best.

    It compares sets of questions: more of them say more about the group, but are reconstructed less well.
    """
    start, operator = _start(axes)
    people = sums(reported)

    def score(shares: Floats, going: NDArray[np.intp]) -> float:
        chances = np.maximum(operator.forward(shares) * people[going], TINY)
        return float((held_out[..., going] * np.log(chances / chances.sum(axis=-1, keepdims=True))).sum())

    return best_rounds(reported, start, operator, score, MAX_STEPS)[1] / float(held_out.sum())


def _start(axes: Sequence[ObservedQuestion]) -> tuple[Floats, Operator]:
    return even_shares([axis.question for axis in axes]), Operator.of_matrices([axis.matrix for axis in axes])
