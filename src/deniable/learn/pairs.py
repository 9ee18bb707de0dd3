"""Trees distilled from the pairwise model."""

import numpy as np

from deniable.errors.warn import warn
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.population.records import Records
from deniable.inference.population.subpopulation import PlainSubpopulation, Subpopulation
from deniable.inference.truth.pairs import CONVERGED, HOLD_BACK, HOLD_BACK_OF_VERSIONS, PairwiseModel, fit_pairs
from deniable.learn.merged import as_answered, merged_task, spread, with_room
from deniable.learn.method import Method, TreeSettings
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node

DISTILLED_LEAVES = 16
MAX_LEAVES, FINE_BITS = 256, 0.5  # that a split must gain


class Pairs(Method):
    """All combinations of answers by the pairwise model; questions it has no room for have one cell."""

    smooth = True
    max_leaves = DISTILLED_LEAVES

    def cut(self, task: Task) -> Task:
        """The task with answers merged until the model has room for them."""
        return with_room(task)

    def people(self, task: Task) -> Subpopulation:
        coarse = merged_task(task) if task.merged else task
        model = fitted_pairs(coarse)
        warn_of_left_out(task, model)
        found = everybody_by(coarse, self.model(coarse, model))
        return as_answered(task, coarse, found) if task.merged else found

    def model(self, task: Task, pairs: PairwiseModel) -> PairwiseModel:
        """The model that a tree is distilled from."""
        return pairs

    def grow(self, task: Task, people: Subpopulation, settings: TreeSettings) -> Node:
        tree = super().grow(task, people, settings)
        spread(tree, task.merged)
        return tree


class FinePairs(Pairs):
    """The same with many leaves."""

    max_leaves = MAX_LEAVES
    min_bits = FINE_BITS


def fitted_pairs(task: Task, converged: float = CONVERGED) -> PairwiseModel:
    """The pairwise model of all questions that it has room for."""
    names = [question.name for question in task.questions]
    hold_back = HOLD_BACK_OF_VERSIONS if task.versions else HOLD_BACK
    estimates = InverseEstimates(task.design, task.replies)
    return fit_pairs(estimates, names, task.n, hold_back, converged=converged)


def everybody_by(task: Task, model: PairwiseModel) -> PlainSubpopulation:
    """All people as a model of the truth has them; questions it has no room for have one cell."""
    records = model.records(task.n)
    known = dict(zip(model.names, records.cells, strict=True))
    nowhere = np.zeros(len(records.counts), dtype=np.int8)
    cells = tuple(known.get(question.name, nowhere) for question in task.questions)
    return PlainSubpopulation.root(Records(cells, tuple(map(len, task.questions)), records.counts))


def warn_of_left_out(task: Task, model: PairwiseModel) -> None:
    """Say which questions the pairwise model has no room for."""
    left = [name for name in task.columns.names if name not in model.names]
    if left:
        warn(
            f"the pairwise model has room for {len(model.names) - 1} of {len(task.columns.names)} questions; "
            f"left out as telling least: {', '.join(left)}"
        )
