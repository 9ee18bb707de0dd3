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
from deniable.inference.em.noisy_column import NumberUnderNoise, even_shares
from deniable.inference.invert.factored import Disguise, checked_inverse
from deniable.inference.population.disguised import SignedBranch
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.subpopulation import Branch, PlainBranch
from deniable.learn.task import Task
from deniable.survey.question import Question

Cells = NDArray[Any]
BOOTSTRAPS = 20


@dataclass(frozen=True, eq=False)
class Crowd:
    """All replies: reports of numbers under noise, and cells of everything else."""

    task: Task
    trusted: bool = False  # whether replies are taken for the truth

    @cached_property
    def numbers(self) -> dict[int, NumberUnderNoise]:
        """The numbers under noise, by place."""
        return {
            place: NumberUnderNoise.of(
                self.task.design.channel(self.task.questions[place].name),
                self.task.questions[place],
                self.task.told[place],
            )
            for place in ([] if self.trusted else self.task.under_noise)
        }

    @cached_property
    def others(self) -> dict[int, Cells]:
        """Reported cells of all other questions, by place; one beyond the last where a number was left out."""
        found = {}
        for place, question in enumerate(self.task.questions):
            if place not in self.numbers:
                told, reported = self.task.told[place], self.reported(place)
                cells = reported_cells(reported, told)
                found[place] = np.where(is_answered(told), cells, len(reported)) if question.omit else cells
        return found

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column of assigned records; of those with absentees, one more."""
        return tuple(
            len(self.reported(place)) + (place in self.task.absent) for place in range(len(self.task.questions))
        )

    def reported(self, place: int) -> Question:
        """A question as replies tell it; numbers under noise as they are assigned, or taken for the truth."""
        question = self.task.questions[place]
        return question if place in self.task.under_noise else self.task.design.reported(question)

    def is_open(self, place: int) -> bool:
        """Whether assigned cells of this question are as good as true ones."""
        channel = self.task.design.channel(self.task.questions[place].name)
        return self.trusted or place in self.numbers or channel.says_the_truth

    def by_class(self, rows: Rows) -> list[Rows]:
        """Some replies, parted by reported class."""
        classes = self.others[len(self.sizes) - 1].take(rows)
        return [rows[classes == each] for each in range(self.sizes[-1])]

    def assigned(self, place: int, groups: Sequence[Rows], weights: Floats | None = None) -> Cells:
        """A number's cells, assigned group by group."""
        number = self.numbers[place]
        return number.assigned(groups, number.shares(groups, weights), weights)

    def columns(self, groups: Sequence[Rows]) -> list[Cells]:
        """All questions as cells, numbers assigned group by group."""
        return [
            self.assigned(place, groups) if place in self.numbers else self.others[place]
            for place in range(len(self.sizes))
        ]

    def branch(self, records: Records) -> Branch:
        """People with these assigned cells: undisguised ones if nothing else is disguised and nothing left out."""
        if not self.task.absent and all(self.is_open(place) for place in range(len(self.sizes))):
            return PlainBranch.root(records)
        absent = {place: self.shares(place, records.cells[place], records.times) for place in self.task.absent}
        return SignedBranch.root(records, self.disguise(absent))

    def shares(self, place: int, cells: Cells, times: Floats) -> Floats:
        """How often each true cell occurs among those who gave one."""
        found = shares_of(cells, times, self.sizes[place] - 1)
        if self.is_open(place):
            return found
        name = self.task.questions[place].name
        true = np.maximum(checked_inverse(self.task.design.channel(name).matrix([name]), [name]) @ found, 0)
        return np.asarray(true / true.sum())

    def disguise(self, absent: dict[int, Floats]) -> Disguise:
        """The lotteries of all but numbers under noise; who left one out speaks for all its cells by their shares."""
        places = range(len(self.sizes))
        return Disguise.of(self.task.design, self.task.questions, places if self.trusted else self.numbers, absent)


def shares_of(cells: Cells, times: Floats, size: int) -> Floats:
    """How often each cell occurs among those who gave one."""
    counted = np.bincount(cells, times, minlength=size + 1)[:size]
    return np.asarray(counted / counted.sum()) if counted.sum() > 0 else np.full(size, 1 / size)


def without_numbers(task: Task) -> Branch:
    """All people by signed weights, as if nothing were known of numbers under noise."""
    crowd = Crowd(task)
    nowhere = np.zeros(task.n, dtype=np.int8)
    cells = [crowd.others.get(place, nowhere) for place in range(len(crowd.sizes))]
    absent = {
        place: crowd.shares(place, cells[place], task.times) for place in task.absent if place not in crowd.numbers
    }
    return SignedBranch.root(Records.of(cells, crowd.sizes, task.times), crowd.disguise(absent))


def usual_error(task: Task, place: int) -> float:
    """The standard error that reconstructed counts of a number by class usually have, by bootstrap."""
    crowd = Crowd(task)
    number, errors = crowd.numbers[place], []
    for rows in crowd.by_class(np.arange(task.n)):
        bins = number.bins[rows]
        told = np.bincount(bins[bins >= 0], minlength=len(number.matrix)).astype(float)
        if told.sum():
            again = stepwise(
                resampled(told, BOOTSTRAPS, np.random.default_rng(0)), number.matrix, even_shares(number.question)
            )
            errors.append(float(told.sum() * again.std(axis=1).mean()))
    return float(np.mean(errors))
