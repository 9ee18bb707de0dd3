"""Subpopulations of a naive Bayes model: respondents whose answers are independent of each other within a class.

    people[y]    =  n P(y) product over questions q of P(x_q fulfils the condition | y)
    table[x, y]  =  the same, with P(x | y) in place of the question's own condition

So no table of all combinations is ever built, however many answers there are.

legend: x true cells of a question, y those of the target, n respondents
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.subpopulation import Parts, SplitTables

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class IndependentSubpopulation:
    """Respondents of such a model who fulfil some conditions."""

    total: float  # of all respondents
    classes: Floats  # P(y)
    answers: tuple[Floats, ...]  # question by question P(x | y), 0 where a condition excludes x: [x, y]
    uncertain: ClassVar[bool] = False

    @property
    def size(self) -> int:
        return sum(len(each) for each in self.answers)

    @cached_property
    def _inside(self) -> Floats:
        """The chance to fulfil each question's condition: [question, y]."""
        return np.array([each.sum(axis=0) for each in self.answers])

    def target(self) -> Floats:
        return np.asarray(self.total * self.classes * self._inside.prod(axis=0))

    def tables(self) -> list[Floats]:
        return [self._table(question) for question in range(len(self.answers))]

    def levels(self, question: int) -> None:
        return None

    def restrict(self, question: int, cells: Sequence[int]) -> "IndependentSubpopulation":
        kept = np.zeros_like(self.answers[question])
        kept[list(cells)] = self.answers[question][list(cells)]
        answers = (*self.answers[:question], kept, *self.answers[question + 1 :])
        return IndependentSubpopulation(self.total, self.classes, answers)

    def split(self, question: int, parts: Parts) -> list["IndependentSubpopulation"]:
        return [self.restrict(question, part) for part in parts]

    def table_with_covariance(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        table = self._table(question)
        return self._with_covariance(np.array([table[list(part)].sum(axis=0) for part in parts]))

    def tables_with_covariance(self, many: Sequence[tuple[int, Parts]]) -> list[SplitTables]:
        return [SplitTables.of(index, *self.table_with_covariance(*each)) for index, each in enumerate(many)]

    def pair_tables(self) -> None:
        return None

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.target())

    def _table(self, question: int) -> Floats:
        others = np.delete(self._inside, question, axis=0).prod(axis=0)
        return np.asarray(self.total * self.classes * others * self.answers[question])

    def _with_covariance(self, counts: Floats) -> tuple[Floats, Floats]:
        flat = counts.ravel()
        return counts, np.diag(flat) - np.outer(flat, flat) / self.total
