"""Training replies, with numbers under noise reconstructed and assigned to cells.  Agrawal and Srikant 2000

Records are assigned to cells by sorting, and a tree grows on assigned cells as if they were true. Classes are the
*reported* ones: where the target is disguised too, its lottery is inverted afterwards, as for all other answers.

Respondents who skip a number take no part in its reconstruction, and follow every branch, weighted by its share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import is_answered, reported_cells
from deniable.inference.em.em import even_shares
from deniable.inference.em.likeliest import resampled, smooth_margin
from deniable.inference.em.observed import ObservedQuestion
from deniable.inference.invert.factored import InverseDesign, question_inverse
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
    def noisy(self) -> tuple[int, ...]:
        """The indices of numbers under noise; none where replies are taken for the truth."""
        return () if self.trusted else tuple(self.task.under_noise)

    @cached_property
    def numbers(self) -> dict[int, ObservedQuestion]:
        """The numbers under noise, by index."""
        return {
            index: ObservedQuestion.of(
                self.task.design.channel(self.task.questions[index].name),
                self.task.questions[index],
                self.task.reported[index],
            )
            for index in self.noisy
        }

    @cached_property
    def others(self) -> dict[int, Cells]:
        """Reported cells of all other questions, by index; one past the last where a number was skipped."""
        found = {}
        for index, question in enumerate(self.task.questions):
            if index not in self.noisy:
                column, reported = self.task.reported[index], self.reported(index)
                cells = reported_cells(reported, column)
                found[index] = np.where(is_answered(column), cells, len(reported)) if question.omit else cells
        return found

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column of assigned records; one more where somebody skipped the number."""
        return tuple(
            len(self.reported(index)) + (index in self.task.absent) for index in range(len(self.task.questions))
        )

    def reported(self, index: int) -> Question:
        """A question with its reported answers; numbers under noise keep their true cells."""
        question = self.task.questions[index]
        return question if index in self.task.under_noise else self.task.design.reported(question)

    def is_open(self, index: int) -> bool:
        """Whether assigned cells of this question are as good as true ones."""
        channel = self.task.design.channel(self.task.questions[index].name)
        return self.trusted or index in self.noisy or channel.says_the_truth

    def by_class(self, rows: Rows) -> list[Rows]:
        """Some replies, grouped by reported class."""
        classes = self.others[len(self.sizes) - 1].take(rows)
        return [rows[classes == each] for each in range(self.sizes[-1])]

    def assigned(self, index: int, groups: Sequence[Rows], weights: Floats | None = None) -> Cells:
        """A number's cells, assigned group by group."""
        number = self.numbers[index]
        return assigned_cells(number, groups, number.shares(groups, weights), weights)

    def columns(self, groups: Sequence[Rows]) -> list[Cells]:
        """All questions as cells, numbers assigned group by group."""
        return [
            self.assigned(index, groups) if index in self.noisy else self.others[index]
            for index in range(len(self.sizes))
        ]

    def branch(self, records: Records) -> Subpopulation:
        """People with these assigned cells: unweighted if nothing else is disguised and no number was skipped."""
        if not self.task.absent and all(self.is_open(index) for index in range(len(self.sizes))):
            return PlainSubpopulation.root(records)
        absent = {index: self.shares(index, records.cells[index], records.counts) for index in self.task.absent}
        return WeightedSubpopulation.root(records, self.inverse_design(absent))

    def shares(self, index: int, cells: Cells, counts: Floats) -> Floats:
        """The share of each true cell among respondents who answered."""
        found = shares_of(cells, counts, self.sizes[index] - 1)
        if self.is_open(index):
            return found
        name = self.task.questions[index].name
        true = np.maximum(question_inverse(self.task.design, name) @ found, 0)
        return np.asarray(true / true.sum())

    def inverse_design(self, absent: dict[int, Floats]) -> InverseDesign:
        """The inverse of all lotteries but noise; a skipped number counts for all its cells by their shares."""
        indices = range(len(self.sizes))
        return InverseDesign.of(self.task.design, self.task.questions, indices if self.trusted else self.noisy, absent)


def shares_of(cells: Cells, counts: Floats, size: int) -> Floats:
    """The share of each cell among respondents who answered."""
    counted = np.bincount(cells, counts, minlength=size + 1)[:size]
    return np.asarray(counted / counted.sum()) if counted.sum() > 0 else np.full(size, 1 / size)


def without_numbers(task: Task) -> Subpopulation:
    """All people by signed weights, ignoring numbers under noise."""
    training = TrainingReplies(task)
    nowhere = np.zeros(task.n, dtype=np.int8)
    cells = [training.others.get(index, nowhere) for index in range(len(training.sizes))]
    absent = {
        index: training.shares(index, cells[index], task.counts) for index in task.absent if index not in training.noisy
    }
    return WeightedSubpopulation.root(Records.of(cells, training.sizes, task.counts), training.inverse_design(absent))


def usual_error(task: Task, index: int) -> float:
    """A typical standard error of a number's reconstructed counts by class, by bootstrap."""
    training = TrainingReplies(task)
    number, errors = training.numbers[index], []
    start = even_shares([number.question])
    for rows in training.by_class(np.arange(task.n)):
        counts = np.bincount(number.bins[number.answering(rows)], minlength=len(number.matrix)).astype(float)
        if counts.sum():
            again = resampled(counts, BOOTSTRAPS, np.random.default_rng(0))
            errors.append(float(counts.sum() * smooth_margin(again, number.matrix, start).std(axis=1).mean()))
    return float(np.mean(errors))


def assigned_cells(
    number: ObservedQuestion, groups: Sequence[Rows], shares: Floats, weights: Floats | None = None
) -> Cells:
    """A true cell for each reply, by the shares [cell, group] of its group; one past the last if skipped.

    In each group reports are sorted and fill the cells from the lowest up, each to its share. An assigned cell is no
    estimate of one person's number.  Agrawal and Srikant 2000, section 4.2
    """
    cells = np.full(len(number.bins), len(number.question), dtype=np.int16)
    numbers = np.arange(len(number.question), dtype=np.int16)
    for rows, share in zip(groups, shares.T, strict=True):
        given = number.answering(rows)
        given = given[np.argsort(number.order[given], kind="stable")]
        if weights is None:
            ends = np.rint(np.cumsum(share) / share.sum() * len(given)).astype(np.intp)
            cells[given] = np.repeat(numbers, np.diff(ends, prepend=0))
        elif len(given):
            passed = np.cumsum(weights[given])
            reached = (passed - weights[given] / 2) / passed[-1]
            cells[given] = np.searchsorted(np.cumsum(share)[:-1] / share.sum(), reached)
    return cells
