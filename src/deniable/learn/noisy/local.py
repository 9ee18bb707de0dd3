"""Local reconstruction: numbers under noise are assigned to cells again at the nodes of a tree.

global    reconstructs each number once, for everybody
byclass   once for each class
local     once for each class at every node with enough people, but not for a question that the path to the node has
          split on: among those people the noise no longer has its distribution.  Agrawal and Srikant 2000, section 4.1

Respondents who skip a number follow every branch, weighted by its share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from deniable.errors import BadRequest
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.subpopulation import Levels, Parts, SplitTables, Subpopulation, is_among
from deniable.learn.discretize import as_reported, finely_cut
from deniable.learn.method import Method
from deniable.learn.noisy.training_replies import Cells, TrainingReplies, shares_of
from deniable.learn.task import Task

MIN_LOCAL = 1000  # replies at a node whose numbers are reconstructed again


class Global(Method):
    """All people, numbers reconstructed once."""

    for_numbers = True

    def cut(self, task: Task) -> Task:
        return finely_cut(task)

    def people(self, task: Task) -> Subpopulation:
        return everybody(task)


class ByClass(Global):
    """All people, numbers reconstructed once for each reported class."""

    def people(self, task: Task) -> Subpopulation:
        training = TrainingReplies(task)
        return _once(training, training.by_class(np.arange(task.n)))


class Local(Global):
    """All people, numbers reconstructed again at every node that has enough of them."""

    for_all_questions = False

    def people(self, task: Task) -> Subpopulation:
        training, rows = TrainingReplies(task), np.arange(task.n)
        start: list[Cells] = [training.others.get(index, rows) for index in range(len(training.sizes))]
        return LocalSubpopulation.of(training, rows, np.ones(len(rows)), start, frozenset(), MIN_LOCAL)


class Uncorrected(Method):
    """All people, replies taken for the truth."""

    corrected = False
    modelled = False

    def cut(self, task: Task) -> Task:
        return as_reported(task)

    def people(self, task: Task) -> Subpopulation:
        training = TrainingReplies(task, trusted=True)
        for index, question in enumerate(task.questions):
            if training.reported(index).answers != question.answers:
                raise BadRequest(
                    "method", "another one where reports are no answers", question.name, "leave the question out"
                )
        return _once(training, [])


def everybody(task: Task) -> Subpopulation:
    """All people, numbers reconstructed once."""
    return _once(TrainingReplies(task), [np.arange(task.n)])


def _once(training: TrainingReplies, groups: Sequence[Rows]) -> Subpopulation:
    """Everybody, numbers assigned group by group and never again."""
    cells = training.columns(groups)
    if not training.task.absent:
        return training.branch(Records.of(cells, training.sizes, training.task.counts))
    n = len(cells[-1])
    return LocalSubpopulation.of(training, np.arange(n), np.ones(n), cells, frozenset(), inf)


@dataclass(frozen=True, eq=False)
class LocalSubpopulation:
    """People whose numbers are reconstructed again at every node of at least `least` replies."""

    training: TrainingReplies
    rows: Rows
    weights: Floats  # of the rows
    cells: Sequence[Cells]  # of the rows, question by question
    path: frozenset[int]
    least: float
    people: Subpopulation = field(repr=False)

    @classmethod
    def of(
        cls,
        training: TrainingReplies,
        rows: Rows,
        weights: Floats,
        cells: Sequence[Cells],
        path: frozenset[int],
        least: float,
    ) -> Subpopulation:
        """These replies; if they are too few, they keep their cells."""
        if len(rows) >= least or (least < inf and not path):
            groups = training.by_class(rows)
            by_row = np.zeros(training.task.n)
            by_row[rows] = weights
            cells = [
                training.assigned(index, groups, by_row if training.task.absent else None)[rows]
                if index in training.numbers and index not in path
                else column
                for index, column in enumerate(cells)
            ]
        people = training.branch(Records(tuple(cells), training.sizes, weights))
        if len(rows) < least and not training.task.absent:
            return people
        return cls(training, rows, weights, cells, path, least, people)

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

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        return self.people.target_with_covariance()

    def table_with_covariance(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        return self.people.table_with_covariance(question, parts)

    def tables_with_covariance(self, many: Sequence[tuple[int, Parts]]) -> list[SplitTables]:
        return self.people.tables_with_covariance(many)

    def pair_tables(self) -> None:
        return None

    def restrict(self, question: int, cells: Sequence[int]) -> Subpopulation:
        """Those assigned to these cells; below a disguised split membership is weighted, so nothing is reassigned."""
        if not self.training.is_open(question):
            return self.people.restrict(question, cells)
        here, weights = self.cells[question], self.weights
        inside = is_among(here, cells)
        if question in self.training.task.absent:
            size = self.training.sizes[question] - 1
            share = float(shares_of(here, weights, size)[list(cells)].sum())
            weights = np.where(here == size, weights * share, weights)
            inside |= (here == size) & (share > 0)
        kept = np.flatnonzero(inside)
        columns = [column[kept] for column in self.cells]
        return self.of(self.training, self.rows[kept], weights[kept], columns, self.path | {question}, self.least)

    def split(self, question: int, parts: Parts) -> Sequence[Subpopulation]:
        return [self.restrict(question, part) for part in parts]
