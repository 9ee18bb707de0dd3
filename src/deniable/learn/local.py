"""Numbers under noise reconstructed for each class, again at every node that has people enough (local).

Never again for a question that the path to the node has split on, because the noise among those people is no longer
what the lottery drew.  Agrawal and Srikant 2000, section 4.1
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from deniable.inference.branch import Branch, Levels, Parts, is_among
from deniable.inference.records import Floats, Records, Rows
from deniable.learn.base import Task
from deniable.learn.crowd import Cells, Crowd, shares_of

LEAST_LOCAL = 1000  # replies at a node whose numbers are reconstructed again


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
                crowd.assigned(place, groups, by_row if crowd.task.absent else None)[rows]
                if place in crowd.numbers and place not in path
                else column
                for place, column in enumerate(cells)
            ]
        people = crowd.branch(Records(tuple(cells), crowd.sizes, weights))
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
        if question in self.crowd.task.absent:
            size = self.crowd.sizes[question] - 1
            share = float(shares_of(here, weights, size)[list(cells)].sum())
            weights = np.where(here == size, weights * share, weights)
            inside |= (here == size) & (share > 0)
        kept = np.flatnonzero(inside)
        columns = [column[kept] for column in self.cells]
        return self.of(self.crowd, self.rows[kept], weights[kept], columns, self.path | {question})

    def split(self, question: int, parts: Parts) -> Sequence[Branch]:
        return [self.narrow(question, part) for part in parts]
