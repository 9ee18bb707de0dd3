"""Trees of the truth shrunk towards the pairwise model.

The pairwise model counts as much as half the replies, and a split must gain two bits about the classes of all people:
made-up data, car and Adult under lotteries of their own for each question want no more and no less, whatever the
theta and the number of replies (docs/decisions/0037).
"""

from math import prod

import numpy as np

from deniable.inference.em.em import Operator
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.truth.pairs import PairwiseModel
from deniable.inference.truth.shrunk import shrunk
from deniable.learn.pairs import MAX_LEAVES, Pairs
from deniable.learn.task import Task

PRIOR = 0.5  # people who answer as the pairwise model says, for each reply
MIN_BITS = 2.0  # that a split must gain
MAX_REPORTED = 2**18  # cells of the reported table


class Shrunk(Pairs):
    """All combinations of answers, shrunk towards the pairwise model."""

    max_leaves = MAX_LEAVES
    min_bits = MIN_BITS

    def model(self, task: Task, pairs: PairwiseModel) -> PairwiseModel:
        return shrunk_model(task, pairs)


def shrunk_model(task: Task, model: PairwiseModel) -> PairwiseModel:
    """The chances of all combinations of the model's questions; the model's own where the reports are too many."""
    names = [question.name for question in task.questions]
    indices = [names.index(name) for name in model.names]
    sizes = [task.records.sizes[index] for index in indices]
    if prod(sizes) > MAX_REPORTED:
        return model
    reported = np.zeros(sizes)
    np.add.at(reported, tuple(task.records.cells[index] for index in indices), task.records.counts)
    stacks = stacks_of(task.design, [task.questions[index] for index in indices])
    return shrunk(model, reported, Operator.of_stacks(stacks), PRIOR * task.n)
