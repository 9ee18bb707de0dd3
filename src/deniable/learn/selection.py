"""Model selection between trees, by the likelihood of held-out disguised replies.

A tree has an estimate of the people of each class in each leaf, and so predicts the class behind each reply,

    P(class | reply) ~ sum over leaves of  people(leaf, class) * product over questions of P(report | leaf)

The tree under which the classes of the held-out replies are likeliest is kept. No truth is needed, and nothing is
reconstructed from the held-out replies, which would favour one of the methods.

Both trees are given the same reports. Where a tree does not ask a question, its report counts through the asked
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

MIN_LEAD = 1.0  # standard errors by which another tree must lead over the first


@dataclass(frozen=True)
class Candidate:
    """A tree, and the task as it was cut for it."""

    tree: Node
    columns: Columns


def can_choose(task: Task) -> bool:
    """Whether every question has a lottery of its own, so that chances multiply, and the target is in the clear.

    Where the target is disguised, joint inverts and clips tables of reported classes, which is too rough.
    """
    if not task.design.is_clear(task.questions[-1].name) or not able_questions(task):
        return False
    return all(is_alone(task, index, most=np.inf) for index in range(len(task.questions)))


def grown_and_held(task: Task) -> tuple[Task, Task]:
    """Four fifths of the replies to grow trees on, and the rest to choose by."""
    held = np.arange(task.n) % HELD_OUT == HELD_OUT - 1
    return task.part(np.flatnonzero(~held)), task.part(np.flatnonzero(held))


def likeliest_tree(candidates: Sequence[Candidate], grown: Task, held: Task) -> int:
    """The index of the tree under which the classes of the held-out replies are likeliest.

    The first is kept unless another leads by more than a standard error, that of the paired differences.
    """
    asked = [questions_of(each.tree) for each in candidates]
    ties = Ties.of(grown, sorted(set().union(*asked)))
    logs = [_log_likelihoods(each, held, own, ties) for each, own in zip(candidates, asked, strict=True)]
    rows = min(map(len, logs))
    leads = [each[:rows] - logs[0][:rows] for each in logs]
    sure = [float(lead.mean()) if lead.mean() > MIN_LEAD * lead.std() / np.sqrt(rows) else 0.0 for lead in leads]
    return int(np.argmax(sure))


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
    people = np.array([leaf.node.counts for leaf in leaves]) + 1.0
    classes = np.broadcast_to(chances, (held.n, len(leaves))) @ (people / people.sum())
    right = classes[np.arange(len(classes)), held.reported[-1].astype(np.intp)]
    return np.asarray(np.log(np.maximum(right, 1e-300) / np.maximum(classes.sum(axis=1), 1e-300)))


def _some_rows(task: Task, leaves: int) -> Rows:
    return np.arange(min(task.n, int(MAX_ENTRIES // leaves)))
