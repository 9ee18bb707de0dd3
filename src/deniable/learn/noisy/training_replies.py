"""All replies together, with numbers under noise reconstructed and assigned to cells.  Agrawal and Srikant 2000

Records are assigned to cells by sorting, and a tree grows on assigned cells as if they were true. Classes are the
*reported* ones: where the target is disguised too, its lottery is inverted afterwards, as for all other answers.

Who left a number out is left out of its reconstruction, and goes down every branch by the share of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import is_answered, reported_cells
from deniable.inference.em.em import resampled, stepwise
from deniable.inference.em.noisy_column import NoisyColumn, even_shares
from deniable.inference.invert.factored import InverseDesign, checked_inverse
from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.subpopulation import PlainSubpopulation, Subpopulation
from deniable.learn.task import Task
from deniable.survey.question import Question

Cells = NDArray[Any]
BOOTSTRAPS = 20


@dataclass(frozen=True, eq=False)
class TrainingReplies:
    """All replies: reports of numbers under noise, and cells of everything else."""

    task: Task
    trusted: bool = False  # whether replies are taken for the truth

    @cached_property
    def numbers(self) -> dict[int, NoisyColumn]:
        """The numbers under noise, by place."""
        return {
            index: NoisyColumn.of(
                self.task.design.channel(self.task.questions[index].name),
                self.task.questions[index],
                self.task.reported[index],
            )
            for index in ([] if self.trusted else self.task.under_noise)
        }

    @cached_property
    def others(self) -> dict[int, Cells]:
        """Reported cells of all other questions, by place; one beyond the last where a number was left out."""
        found = {}
        for index, question in enumerate(self.task.questions):
            if index not in self.numbers:
                column, reported = self.task.reported[index], self.reported(index)
                cells = reported_cells(reported, column)
                found[index] = np.where(is_answered(column), cells, len(reported)) if question.omit else cells
        return found

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column of assigned records; of those with absentees, one more."""
        return tuple(
            len(self.reported(index)) + (index in self.task.absent) for index in range(len(self.task.questions))
        )

    def reported(self, index: int) -> Question:
        """A question as replies tell it; numbers under noise as they are assigned, or taken for the truth."""
        question = self.task.questions[index]
        return question if index in self.task.under_noise else self.task.design.reported(question)

    def is_open(self, index: int) -> bool:
        """Whether assigned cells of this question are as good as true ones."""
        channel = self.task.design.channel(self.task.questions[index].name)
        return self.trusted or index in self.numbers or channel.says_the_truth

    def by_class(self, rows: Rows) -> list[Rows]:
        """Some replies, parted by reported class."""
        classes = self.others[len(self.sizes) - 1].take(rows)
        return [rows[classes == each] for each in range(self.sizes[-1])]

    def assigned(self, index: int, groups: Sequence[Rows], weights: Floats | None = None) -> Cells:
        """A number's cells, assigned group by group."""
        number = self.numbers[index]
        return number.assigned(groups, number.shares(groups, weights), weights)

    def columns(self, groups: Sequence[Rows]) -> list[Cells]:
        """All questions as cells, numbers assigned group by group."""
        return [
            self.assigned(index, groups) if index in self.numbers else self.others[index]
            for index in range(len(self.sizes))
        ]

    def branch(self, records: Records) -> Subpopulation:
        """People with these assigned cells: undisguised ones if nothing else is disguised and nothing left out."""
        if not self.task.absent and all(self.is_open(index) for index in range(len(self.sizes))):
            return PlainSubpopulation.root(records)
        absent = {index: self.shares(index, records.cells[index], records.counts) for index in self.task.absent}
        return WeightedSubpopulation.root(records, self.inverse_design(absent))

    def shares(self, index: int, cells: Cells, counts: Floats) -> Floats:
        """How often each true cell occurs among those who gave one."""
        found = shares_of(cells, counts, self.sizes[index] - 1)
        if self.is_open(index):
            return found
        name = self.task.questions[index].name
        true = np.maximum(checked_inverse(self.task.design.channel(name).matrix([name]), [name]) @ found, 0)
        return np.asarray(true / true.sum())

    def inverse_design(self, absent: dict[int, Floats]) -> InverseDesign:
        """The lotteries of all but numbers under noise; who left one out speaks for all its cells by their shares."""
        indices = range(len(self.sizes))
        return InverseDesign.of(
            self.task.design, self.task.questions, indices if self.trusted else self.numbers, absent
        )


def shares_of(cells: Cells, counts: Floats, size: int) -> Floats:
    """How often each cell occurs among those who gave one."""
    counted = np.bincount(cells, counts, minlength=size + 1)[:size]
    return np.asarray(counted / counted.sum()) if counted.sum() > 0 else np.full(size, 1 / size)


def without_numbers(task: Task) -> Subpopulation:
    """All people by signed weights, as if nothing were known of numbers under noise."""
    training = TrainingReplies(task)
    nowhere = np.zeros(task.n, dtype=np.int8)
    cells = [training.others.get(index, nowhere) for index in range(len(training.sizes))]
    absent = {
        index: training.shares(index, cells[index], task.counts)
        for index in task.absent
        if index not in training.numbers
    }
    return WeightedSubpopulation.root(Records.of(cells, training.sizes, task.counts), training.inverse_design(absent))


def usual_error(task: Task, index: int) -> float:
    """The standard error that reconstructed counts of a number by class usually have, by bootstrap."""
    training = TrainingReplies(task)
    number, errors = training.numbers[index], []
    for rows in training.by_class(np.arange(task.n)):
        bins = number.bins[rows]
        column = np.bincount(bins[bins >= 0], minlength=len(number.matrix)).astype(float)
        if column.sum():
            again = stepwise(
                resampled(column, BOOTSTRAPS, np.random.default_rng(0)), number.matrix, even_shares(number.question)
            )
            errors.append(float(column.sum() * again.std(axis=1).mean()))
    return float(np.mean(errors))
