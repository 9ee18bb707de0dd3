"""People by their rows, so that numbers can be assigned to cells again wherever a tree has got to.

global    reconstructs each number once, for everybody
byclass   once for each class
local     for each class, again at every node that has people enough; never again for a question
          that the path to the node has split on, because the noise among those people is no longer what the lottery
          drew.  Agrawal and Srikant 2000, section 4.1

Who left a number out stays at every node below, with the weight of the share that went there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from deniable.errors import BadRequest
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.subpopulation import Branch, Levels, Parts, is_among
from deniable.learn.noisy.training_replies import Cells, Crowd, shares_of
from deniable.learn.task import Task

LEAST_LOCAL = 1000  # replies at a node whose numbers are reconstructed again


def everybody(task: Task) -> Branch:
    """All people, numbers reconstructed once (global)."""
    return _once(Crowd(task), [np.arange(task.n)])


def class_by_class(task: Task) -> Branch:
    """All people, numbers reconstructed once for each reported class (byclass)."""
    crowd = Crowd(task)
    return _once(crowd, crowd.by_class(np.arange(task.n)))


def as_if_true(task: Task) -> Branch:
    """All people, replies taken for the truth (none)."""
    crowd = Crowd(task, trusted=True)
    for place, question in enumerate(task.questions):
        if crowd.reported(place).answers != question.answers:
            raise BadRequest(
                "method", "another one where reports are no answers", question.name, "leave the question out"
            )
    return _once(crowd, [])


def _once(crowd: Crowd, groups: Sequence[Rows]) -> Branch:
    """Everybody, numbers assigned group by group and never again."""
    cells = crowd.columns(groups)
    if not crowd.task.absent:
        return crowd.branch(Records.of(cells, crowd.sizes, crowd.task.times))
    n = len(cells[-1])
    return RowsBranch.of(crowd, np.arange(n), np.ones(n), cells, frozenset(), inf)


def node_by_node(task: Task) -> Branch:
    """All people, numbers reconstructed again and again (local)."""
    crowd, rows = Crowd(task), np.arange(task.n)
    start: list[Cells] = [crowd.others.get(place, rows) for place in range(len(crowd.sizes))]
    return RowsBranch.of(crowd, rows, np.ones(len(rows)), start, frozenset(), LEAST_LOCAL)


@dataclass(frozen=True, eq=False)
class RowsBranch:
    """People whose numbers are reconstructed anew wherever there are at least so many of them."""

    crowd: Crowd
    rows: Rows
    weights: Floats  # of the rows
    cells: Sequence[Cells]  # of the rows, question by question
    path: frozenset[int]
    least: float
    people: Branch = field(repr=False)

    @classmethod
    def of(
        cls, crowd: Crowd, rows: Rows, weights: Floats, cells: Sequence[Cells], path: frozenset[int], least: float
    ) -> Branch:
        """These replies; too few of them keep the cells they have."""
        if len(rows) >= least or (least < inf and not path):
            groups = crowd.by_class(rows)
            by_row = np.zeros(crowd.task.n)
            by_row[rows] = weights
            cells = [
                crowd.assigned(place, groups, by_row if crowd.task.absent else None)[rows]
                if place in crowd.numbers and place not in path
                else column
                for place, column in enumerate(cells)
            ]
        people = crowd.branch(Records(tuple(cells), crowd.sizes, weights))
        if len(rows) < least and not crowd.task.absent:
            return people
        return cls(crowd, rows, weights, cells, path, least, people)

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
        if question in self.crowd.task.absent:
            size = self.crowd.sizes[question] - 1
            share = float(shares_of(here, weights, size)[list(cells)].sum())
            weights = np.where(here == size, weights * share, weights)
            inside |= (here == size) & (share > 0)
        kept = np.flatnonzero(inside)
        columns = [column[kept] for column in self.cells]
        return self.of(self.crowd, self.rows[kept], weights[kept], columns, self.path | {question}, self.least)

    def split(self, question: int, parts: Parts) -> Sequence[Branch]:
        return [self.narrow(question, part) for part in parts]
