"""Pair tables of a question and the target where people answer different versions.

The left inverse of all versions also counts those who were asked only the target: it corrects the number of each class,
and deals the correction out evenly over the answers. That is the best for shares of everybody. Given the class, it only
adds noise to rare answers. So a table by class comes from those who were asked both; no channel hides its questions
completely, so they tell it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import is_answered
from deniable.inference.invert.inverse import cell_noise
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stack import Stack
from deniable.learn.task import Task
from deniable.survey.question import Question

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AskedTable:
    """Estimated people of each answer and class, as many in all as there are replies."""

    counts: Floats
    stacks: Sequence[Stack]
    scale: float  # replies, for each one that was counted

    @classmethod
    def of(cls, task: Task, question: Question) -> "AskedTable":
        """From those who were asked both; from everybody where versions are chosen, and all their people add up."""
        replies, names = task.replies, [question.name, task.target.name]
        if not any(task.design.block(name).chosen for name in names):
            replies = replies.only(np.logical_and.reduce([is_answered(replies.columns[name]) for name in names]))
        reported = Reported.of(task.design, replies, [question, task.target])
        counts, _ = reported.estimated()
        scale = task.n / max(float(reported.table.sum()), 1.0)
        return cls(scale * counts.reshape(len(question), len(task.target)), reported.stacks, scale)

    def noise(self, people: Floats) -> tuple[Floats, Floats]:
        """Of the counts, if these people were the truth."""
        own, others = cell_noise(self.stacks, people)
        return self.scale * own, self.scale * others
