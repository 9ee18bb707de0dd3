"""People whose numbers were told with noise, as the methods of Agrawal and Srikant 2000 see them.

global    reconstructs each number once, for everybody
byclass   once for each class
local     for each class, again at every node that has people enough; never again for a question that the path to the
          node has split on, because the noise among those people is no longer what the lottery drew

Records are then assigned to cells by sorting, and a tree grows on assigned cells as if they were true. Classes are the
*reported* ones: where the target is disguised too, its lottery is inverted afterwards, as for all other answers.

Who left a number out is left out of its reconstruction, and goes down every branch by the share of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.instruction import Truth
from deniable.count.counts import is_answered, reported_cells
from deniable.errors import TooFewReplies
from deniable.inference.bayes import resampled, stepwise
from deniable.inference.branch import Branch, Levels, Parts, PlainBranch, is_among
from deniable.inference.disguised import SignedBranch
from deniable.inference.records import Floats, Records, Rows
from deniable.inference.signed import Disguise, SignedLottery, signed_lottery
from deniable.inference.under_noise import NumberUnderNoise, even_shares
from deniable.learn.base import Task
from deniable.learn.columns import QuestionColumns
from deniable.survey.question import Question
from deniable.survey.range import edges_of

Cells = NDArray[Any]
PER_CELL = 100  # replies for each cell of a number
FEWEST_CELLS, MOST_CELLS = 10, 100
LEAST_REPLIES = 100  # for the fewest cells, ten each
BOOTSTRAPS = 20
LEAST_LOCAL = 1000  # replies at a node whose numbers are reconstructed again


def finely_cut(task: Task) -> Task:
    """The same task with numbers cut into as many cells as the replies can fill."""
    check_enough(task)
    wanted = min(max(len(task.told[-1]) // PER_CELL, FEWEST_CELLS), MOST_CELLS)
    questions = tuple(cut_into(question, wanted) for question in task.questions[:-1])
    return replace(task, columns=QuestionColumns(questions))


def check_enough(task: Task) -> None:
    """Refuse replies that are too few to reconstruct anything."""
    for place in task.under_noise:
        given = int(is_answered(task.told[place]).sum())
        if given < LEAST_REPLIES:
            raise TooFewReplies([task.questions[place].name], LEAST_REPLIES, given)


def cut_into(question: Question, cells: int, most_whole: int = MOST_CELLS) -> Question:
    """A number in so many cells, or one for each whole one if there are few; cells that the collector chose stay."""
    limits = question.range
    if limits is None or limits.by_interval or limits.chosen:
        return question
    if limits.integer:
        whole = int(limits.high - limits.low) + 1
        cells = whole if whole <= most_whole else min(cells, whole)
    edges = edges_of(question.name, limits.low, limits.high, cells, limits.integer)
    return question.with_range(replace(limits, edges=edges))


def as_reported(task: Task) -> Task:
    """The same task as if reported numbers were true: they are cut as far as the noise reaches."""
    if not task.under_noise:
        return task
    assert task.design is not None
    fine = finely_cut(task)
    questions = [
        task.design.reported(question) if place in task.under_noise else question
        for place, question in enumerate(fine.questions[:-1])
    ]
    return replace(task, columns=QuestionColumns(tuple(questions)))


@dataclass(frozen=True, eq=False)
class Crowd:
    """All replies: reports of numbers under noise, and cells of everything else."""

    task: Task

    @cached_property
    def numbers(self) -> dict[int, NumberUnderNoise]:
        """The numbers under noise, by place."""
        assert self.task.design is not None
        return {
            place: NumberUnderNoise.of(
                self.task.design.channel(self.task.questions[place].name),
                self.task.questions[place],
                self.task.told[place],
            )
            for place in self.task.under_noise
        }

    @cached_property
    def others(self) -> dict[int, Cells]:
        """Reported cells of all other questions, by place; one beyond the last where a number was left out."""
        assert self.task.design is not None
        found = {}
        for place, question in enumerate(self.task.questions):
            if place not in self.numbers:
                told, reported = self.task.told[place], self.task.design.reported(question)
                cells = reported_cells(reported, told)
                found[place] = np.where(is_answered(told), cells, len(reported)) if question.omit else cells
        return found

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column of assigned records; of those with absentees, one more."""
        assert self.task.design is not None
        told = [
            question if place in self.numbers else self.task.design.reported(question)
            for place, question in enumerate(self.task.questions)
        ]
        return tuple(len(question) + (place in self.absent) for place, question in enumerate(told))

    @cached_property
    def absent(self) -> set[int]:
        """The places of numbers that somebody left out."""
        return {place for place, told in enumerate(self.task.told) if not is_answered(told).all()}

    def is_open(self, place: int) -> bool:
        """Whether assigned cells of this question are as good as true ones."""
        assert self.task.design is not None
        channel = self.task.design.channel(self.task.questions[place].name)
        return place in self.numbers or channel.instructions == [Truth()]

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

    def branch(self, cells: Sequence[Cells], times: Floats) -> Branch:
        """People with these assigned cells: undisguised ones if nothing else is disguised and nothing left out."""
        records = Records(tuple(cells), self.sizes, times)
        if not self.absent and all(self.is_open(place) for place in range(len(self.sizes))):
            return PlainBranch.root(records)
        absent = {place: _shares_of(cells[place], times, self.sizes[place] - 1) for place in self.absent}
        return SignedBranch.root(records, self.disguise(absent))

    def disguise(self, absent: dict[int, Floats]) -> Disguise:
        """The lotteries of what is not a number; who left one out speaks for all its cells by their shares."""
        assert self.task.design is not None
        lotteries: dict[object, SignedLottery] = {}
        groups, factors = [], []
        for place, question in enumerate(self.task.questions):
            channel = self.task.design.channel(question.name)
            alone = place in self.numbers or channel.is_clear
            if alone:
                lotteries[place] = SignedLottery(np.ones(1), {question.name: np.eye(len(question))[None]})
            else:
                lotteries[channel] = signed_lottery(channel)
            key: object = place if alone else channel
            factor = lotteries[key].factors[question.name]
            if place in absent:
                spread = np.repeat(absent[place][None, :, None], len(factor), axis=0)
                factor = np.concatenate([factor, spread], axis=2)
            groups.append(list(lotteries).index(key))
            factors.append(factor)
        return Disguise(tuple(lotteries.values()), tuple(groups), tuple(factors))


def _shares_of(cells: Cells, times: Floats, size: int) -> Floats:
    """How often each cell occurs among those who gave one."""
    counted = np.bincount(cells, times, minlength=size + 1)[:size]
    return np.asarray(counted / counted.sum()) if counted.sum() > 0 else np.full(size, 1 / size)


def everybody(task: Task) -> Branch:
    """All people, numbers reconstructed once (global)."""
    return _once(task, lambda crowd, rows: [rows])


def class_by_class(task: Task) -> Branch:
    """All people, numbers reconstructed once for each reported class (byclass)."""
    return _once(task, lambda crowd, rows: crowd.by_class(rows))


def _once(task: Task, groups: Any) -> Branch:
    crowd, rows = Crowd(task), np.arange(len(task.told[-1]))
    return crowd.branch(crowd.columns(groups(crowd, rows)), np.ones(len(rows)))


def without_numbers(task: Task) -> Branch:
    """All people by signed weights, as if nothing were known of numbers under noise."""
    crowd = Crowd(task)
    nowhere = np.zeros(len(task.told[-1]), dtype=np.int8)
    cells = [crowd.others.get(place, nowhere) for place in range(len(crowd.sizes))]
    absent = {
        place: _shares_of(cells[place], np.ones(len(nowhere)), crowd.sizes[place] - 1)
        for place in crowd.absent
        if place not in crowd.numbers
    }
    return SignedBranch.root(Records.of(cells, crowd.sizes), crowd.disguise(absent))


def usual_error(task: Task, place: int) -> float:
    """The standard error that reconstructed counts of a number by class usually have, by bootstrap."""
    crowd = Crowd(task)
    number, errors = crowd.numbers[place], []
    for rows in crowd.by_class(np.arange(len(task.told[-1]))):
        bins = number.bins[rows]
        told = np.bincount(bins[bins >= 0], minlength=len(number.matrix)).astype(float)
        if told.sum():
            again = stepwise(
                resampled(told, BOOTSTRAPS, np.random.default_rng(0)), number.matrix, even_shares(number.question)
            )
            errors.append(float(told.sum() * again.std(axis=1).mean()))
    return float(np.mean(errors))


def node_by_node(task: Task) -> Branch:
    """All people, numbers reconstructed again and again (local)."""
    crowd, rows = Crowd(task), np.arange(len(task.told[-1]))
    start: list[Cells] = [crowd.others.get(place, rows) for place in range(len(crowd.sizes))]
    return LocalBranch.of(crowd, rows, np.ones(len(rows)), start, frozenset())


@dataclass(frozen=True, eq=False)
class LocalBranch:
    """People whose numbers are reconstructed anew wherever there are enough of them."""

    crowd: Crowd
    rows: Rows
    weights: Floats  # of the rows
    cells: Sequence[Cells]  # of the rows, question by question
    path: frozenset[int]
    people: Branch = field(repr=False)

    @classmethod
    def of(cls, crowd: Crowd, rows: Rows, weights: Floats, cells: Sequence[Cells], path: frozenset[int]) -> Branch:
        """These replies; too few of them keep the cells they have."""
        if len(rows) >= LEAST_LOCAL or not path:
            groups = crowd.by_class(rows)
            by_row = np.zeros(len(crowd.task.told[-1]))
            by_row[rows] = weights
            cells = [
                crowd.assigned(place, groups, by_row if crowd.absent else None)[rows]
                if place in crowd.numbers and place not in path
                else column
                for place, column in enumerate(cells)
            ]
        people = crowd.branch(cells, weights)
        return cls(crowd, rows, weights, cells, path, people) if len(rows) >= LEAST_LOCAL else people

    @property
    def uncertain(self) -> bool:
        """Whether a lottery of answers blurs the counts."""
        return self.people.uncertain

    @property
    def size(self) -> int:
        return self.people.size

    def tables(self) -> list[Floats]:
        return self.people.tables()

    def levels(self, question: int) -> Levels | None:
        return self.people.levels(question)

    def target(self) -> Floats:
        return self.people.target()

    def spread(self) -> tuple[Floats, Floats]:
        return self.people.spread()

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        return self.people.parted(question, parts)

    def narrow(self, question: int, cells: Sequence[int]) -> Branch:
        """Those assigned to these cells; a disguised answer parts nobody for certain, so numbers rest below it."""
        if not self.crowd.is_open(question):
            return self.people.narrow(question, cells)
        here, weights = self.cells[question], self.weights
        inside = is_among(here, cells)
        if question in self.crowd.absent:
            size = self.crowd.sizes[question] - 1
            share = float(_shares_of(here, weights, size)[list(cells)].sum())
            weights = np.where(here == size, weights * share, weights)
            inside |= (here == size) & (share > 0)
        kept = np.flatnonzero(inside)
        columns = [column[kept] for column in self.cells]
        return self.of(self.crowd, self.rows[kept], weights[kept], columns, self.path | {question})

    def split(self, question: int, parts: Parts) -> Sequence[Branch]:
        return [self.narrow(question, part) for part in parts]
