"""Model selection between trees, by the likelihood of held-out disguised replies.

A tree has an estimate of the people of each class in each leaf, and so predicts the class behind each reply,

    P(class | reply) ~ sum over leaves of  people(leaf, class) * product over questions of P(report | leaf)

and by the target's own lottery, if it has one, the class that is reported. The tree under which the reported classes
of held-out replies are likeliest is kept. No truth is needed, and nothing is reconstructed from the held-out replies,
which would favour one of the methods.

All trees are given the same reports. Where a tree does not ask a question, its report counts through the asked
question that it depends on most: a commission that is paid only below a certain salary is evidence about the salary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from deniable.inference.em.grids import counted, smooth_grid
from deniable.inference.em.regions import BINS, MAX_ENTRIES
from deniable.inference.independence import mutual_information, over_expected
from deniable.inference.population.records import Floats, Rows
from deniable.learn.columns import Columns
from deniable.learn.held_out import first_or_leader
from deniable.learn.noisy.joint import (
    COARSE_BINS,
    COARSE_CELLS,
    HELD_OUT,
    MAX_STEPS,
    MAX_WHOLE,
    TOLERANCE,
    able_questions,
    axis,
    is_alone,
)
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node
from deniable.learn.tree.leaves import leaves_of, questions_of
from deniable.survey.cutting import cut_into
from deniable.survey.question import Question


@dataclass(frozen=True)
class Candidate:
    """A tree, and the task as it was cut for it."""

    tree: Node
    columns: Columns


def can_judge(task: Task) -> bool:
    """Whether every question has a lottery of its own, so that chances multiply, and some have few cells."""
    return bool(able_questions(task)) and all(is_alone(task, each, most=np.inf) for each in range(len(task.questions)))


def grown_and_held(task: Task) -> tuple[Task, Task]:
    """Four fifths of the replies to grow trees on, and the rest to choose by."""
    held = np.arange(task.n) % HELD_OUT == HELD_OUT - 1
    return task.part(np.flatnonzero(~held)), task.part(np.flatnonzero(held))


def likeliest_tree(candidates: Sequence[Candidate], grown: Task, held: Task, lead: float) -> int:
    """The index of the tree under which the classes of the held-out replies are likeliest.

    The first is kept unless another leads by so many standard errors, those of the paired differences.
    """
    asked = [questions_of(each.tree) for each in candidates]
    ties = Ties.of(grown, sorted(set().union(*asked)))
    logs = [_log_likelihoods(each, held, own, ties) for each, own in zip(candidates, asked, strict=True)]
    rows = min(map(len, logs))
    return first_or_leader([each[:rows] for each in logs], np.ones(rows), lead)


@dataclass(frozen=True)
class Ties:
    """The association of every pair of some questions, on coarse cells."""

    questions: dict[int, Question]  # as they are cut
    tables: dict[tuple[int, int], Floats]  # shares, [cell of the first, cell of the second]

    @classmethod
    def of(cls, task: Task, indices: Sequence[int]) -> "Ties":
        """Every pair, reconstructed from all replies."""
        questions = {index: cut_into(task.questions[index], COARSE_CELLS, MAX_WHOLE) for index in indices}
        axes = {index: axis(task, index, COARSE_BINS, cut) for index, cut in questions.items()}
        nobody = np.zeros(task.n, dtype=np.intp)
        tables: dict[tuple[int, int], Floats] = {}
        for pair in permutations(indices, 2):
            if pair[::-1] in tables:
                tables[pair] = tables[pair[::-1]].T
            else:
                both = [axes[index] for index in pair]
                tables[pair] = smooth_grid(counted(both, nobody, 1), both, TOLERANCE, MAX_STEPS)[..., 0]
        return cls(questions, tables)

    def partner(self, index: int, among: Iterable[int]) -> int | None:
        """The question among some that this one depends on most."""
        return max(
            (each for each in among if each != index), default=None, key=lambda each: self.information(each, index)
        )

    def information(self, first: int, second: int) -> float:
        """The mutual information of two questions."""
        return mutual_information(self.tables[first, second])

    def ratio(self, first: int, second: int) -> Floats:
        """Pairwise association: observed over expected under independence."""
        return over_expected(self.tables[first, second])

    def coarse(self, index: int, fine: Question) -> NDArray[np.intp]:
        """The coarse cell of each cell of a question that is cut in another way."""
        known = self.questions[index].range
        return np.arange(len(fine)) if known is None or fine.range is None else known.cells(fine.range.middles)


def _log_likelihoods(each: Candidate, held: Task, asked: set[int], ties: Ties) -> Floats:
    """Of the class of each held-out reply; large trees are asked about some of them."""
    leaves = leaves_of(each.tree)
    held = replace(held, columns=each.columns).part(_some_rows(held, len(leaves)))
    cuts = {index: held.questions[index] if index in asked else ties.questions[index] for index in ties.questions}
    observed = {index: axis(held, index, BINS, cut) for index, cut in cuts.items()}
    regions = [leaf.region for leaf in leaves]
    inside = {index: each.cells_of(regions, index) for index, each in observed.items()}
    chances = np.ones((1, len(leaves)))
    for index, here in observed.items():
        spread = inside[index] * here.everybody[:, None]
        partner = ties.partner(index, asked)
        if partner is not None:
            there = inside[partner] * observed[partner].everybody[:, None]
            ratio = ties.ratio(partner, index)[ties.coarse(partner, cuts[partner])][:, ties.coarse(index, cuts[index])]
            spread = spread * (ratio.T @ (there / there.sum(axis=0)))
        chances = chances * here.by_reply(here.kernels @ (spread / spread.sum(axis=0)))[0]
    people = np.maximum([leaf.node.counts for leaf in leaves], 0.0) + 1.0  # estimates of few people may be negative
    name = held.target.name
    classes = np.broadcast_to(chances, (held.n, len(leaves))) @ (people / people.sum())
    classes = classes @ held.design.channel(name).matrix([name]).T  # as they are reported
    right = classes[np.arange(len(classes)), held.reported[-1].astype(np.intp)]
    return np.asarray(np.log(np.maximum(right, 1e-300) / np.maximum(classes.sum(axis=1), 1e-300)))


def _some_rows(task: Task, leaves: int) -> Rows:
    return np.arange(min(task.n, int(MAX_ENTRIES // leaves)))
