"""Estimates along a branch from disguised replies.

A branch is reached by *signed weights over distinct replies*: going down multiplies one factor into the weights, and
no table over the whole path is ever built. Replies with the same weights are of one voice, and counting voices is
enough for all tables.

legend: i a term of the question's lottery, v a voice; x, y true cells and r, s reported cells of the question and of
the target; a *corner* is a voice with a reported class
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.remainder import counts_left
from deniable.inference.population.subpopulation import Parts
from deniable.inference.population.weight_classes import FEW, WeightClasses

MANY = 2**12  # rows, from which on it pays to count only some children of a branch


@dataclass(frozen=True)
class WeightedSubpopulation:
    """Disguised people, by signed weights of the replies that may be theirs."""

    records: Records
    weight_classes: WeightClasses
    rows: Rows
    corners: NDArray[Any]  # per row, its voice and reported class in one number
    path: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # true cells by question
    remainder: Callable[[], Floats | None] | None = None  # a quicker way to count, if it succeeds

    @property
    def uncertain(self) -> bool:
        """Whether a lottery blurs the counts; leaving a number out does not."""
        return self.inverse_design.blurs

    @classmethod
    def root(cls, records: Records, inverse_design: InverseDesign) -> Self:
        """Everybody, of one voice."""
        return cls(records, WeightClasses(inverse_design), np.arange(len(records.counts)), records.cells[-1])

    @property
    def inverse_design(self) -> InverseDesign:
        """How the replies are disguised."""
        return self.weight_classes.inverse_design

    @property
    def size(self) -> int:
        return len(self.rows)

    def target(self) -> Floats:
        return self._here

    @cached_property
    def _here(self) -> Floats:
        return np.asarray(self.weight_classes.speech(None)[0] @ self._classes)

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.weight_classes.speech(None)[0], self._classes)

    def target_weights(self) -> Floats:
        """Each row's weight for every true cell of the target: [y, row]."""
        return np.asarray(self.weight_classes.speech(None)[0][:, self.corners])

    def table(self, question: int) -> Floats:
        """What `tables` tells about one question, counted by itself."""
        if question in self.path:
            return self._left(question)
        kind = self.inverse_design.kind(question, self.weight_classes.terms)
        heard = self.weight_classes.speech(kind) @ self._reports(question)
        return np.asarray(np.einsum("ixr,iyr->xy", self.inverse_design.factor(question, kind), heard))

    def tables(self) -> list[Floats]:
        found = [np.zeros(())] * (len(self.records.sizes) - 1)
        pools, heard = self.inverse_design.pools(self.weight_classes.terms), {}
        pools = [pool for pool in pools if not self.path.keys() >= set(pool.questions)]
        for kind in {pool.kind for pool in pools}:
            heard[kind] = self._heard(self.weight_classes.speech(kind)).transpose(2, 0, 1)  # [column, i, y]
        for pool in pools:
            columns = np.array([self.records.columns[question] for question in pool.questions])
            factor_sum = heard[pool.kind][columns].swapaxes(1, 2)  # [question, i, r, y]
            tables = pool.factors @ factor_sum.reshape(len(columns), -1, factor_sum.shape[-1])
            for question, table in zip(pool.questions, tables, strict=True):
                found[question] = table
        for question in self.path:
            found[question] = self._left(question)
        return found

    def levels(self, question: int) -> None:
        return None

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        branch = self._without(question)
        kind = self.inverse_design.kind(question, branch.weight_classes.terms)
        factors = self.inverse_design.factor(question, kind)
        factor_sum = np.zeros((len(parts), factors.shape[1]))
        for index, part in enumerate(parts):
            factor_sum[index, [cell for cell in part if cell in self.path.get(question, part)]] = 1
        weights = np.einsum("ipr,iyc->pycr", factor_sum @ factors, branch.weight_classes.speech(kind))
        known = branch is self and self.weight_classes.count <= FEW
        counted = self._counted[:, self.records.columns[question]] if known else branch._reports(question)
        return self._with_covariance(weights.reshape(*weights.shape[:2], -1), counted.ravel())

    def _with_covariance(self, weights: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Counts and covariance of sums of weights over independent replies."""
        flat = weights.reshape(-1, len(counts))
        sums = flat @ counts
        covariance = (flat * counts) @ flat.T - np.outer(sums, sums) / self.records.people
        return sums.reshape(weights.shape[:-1]), covariance

    def restrict(self, question: int, cells: Sequence[int]) -> Self:
        if question in self.path:
            left = [cell for cell in self.path[question] if cell in cells]
            return self._without(question).restrict(question, left)
        return self._restricted(question, cells)[0]

    def split(self, question: int, parts: Parts) -> list[Self]:
        """Narrowed to each part; the largest is to be counted by what the others leave of all, where that is a gain."""
        if question in self.path or self.weight_classes.count > FEW or len(self.rows) < MANY or not self.records.whole:
            return [self.restrict(question, part) for part in parts]
        steps = [self._restricted(question, part) for part in parts]
        largest = max(range(len(steps)), key=lambda index: len(steps[index][0].rows))
        others = [(branch, numbers) for branch, numbers in steps if branch is not steps[largest][0]]
        branch, numbers = steps[largest]
        whole = self._counted

        def remainder() -> Floats | None:
            return counts_left(whole, [(other._counted, known) for other, known in others], numbers)

        branches = [branch for branch, _ in steps]
        branches[largest] = replace(branch, remainder=remainder)
        return branches

    def _restricted(self, question: int, cells: Sequence[int]) -> tuple[Self, NDArray[np.intp]]:
        """The branch below, and the number there of each voice that reports each cell: [v, r], -1 for the silent."""
        each = self.inverse_design.factors[question][:, list(cells)]
        factor_sum = each.sum(axis=1)
        refine = self.weight_classes.refine(self.inverse_design.groups[question], factor_sum, (each != 0).any(axis=1))
        indices = self.corners * np.intp(factor_sum.shape[1]) + self.records.cells[question].take(self.rows)
        corners = refine.corners.take(indices)
        heard = np.flatnonzero(corners >= 0)
        path = {**self.path, question: tuple(cells)}
        return type(self)(
            self.records, refine.weight_classes, self.rows.take(heard), corners.take(heard), path
        ), refine.numbers

    def _without(self, question: int) -> Self:
        """The branch before anything was known about this question; its replies may be of one voice and not know it."""
        if question not in self.path:
            return self
        path = {each: cells for each, cells in self.path.items() if each != question}
        group = self.inverse_design.groups[question]
        if all(self.inverse_design.groups[each] != group for each in path):
            return replace(self, path=path, weight_classes=self.weight_classes.without(group), remainder=None)
        everything = WeightClasses(self.inverse_design, known=self.weight_classes.known)
        branch = type(self)(self.records, everything, self.rows, self.records.cells[-1].take(self.rows))
        for each, cells in path.items():
            branch = branch.restrict(each, cells)
        return branch

    def _left(self, question: int) -> Floats:
        """The table of a question of the path: only cells that the path has left."""
        cells = list(self.path[question])
        table = np.zeros((self.inverse_design.factors[question].shape[1], self.inverse_design.factors[-1].shape[1]))
        table[cells] = self._here if len(cells) == 1 else self._without(question).table(question)[cells]
        return table

    @property
    def _size(self) -> int:
        """How many corners there may be."""
        return self.weight_classes.count * self.records.sizes[-1]

    @cached_property
    def _classes(self) -> Floats:
        """How often each voice reports each class."""
        return np.bincount(self.corners, self.records.weights(self.rows), minlength=self._size).astype(float)

    def _reports(self, question: int) -> Floats:
        """How often each cell of a question is reported in each corner."""
        return self.records.cross(question, self.rows, self.corners, self._size, self.records.weights(self.rows))

    @cached_property
    def _counted(self) -> Floats:
        """The same for all questions, side by side."""
        known = None if self.remainder is None else self.remainder()
        if known is not None:
            return known
        return self.records.tally(self.rows, self.corners, self._size, self.records.weights(self.rows))

    def _heard(self, speech: Floats) -> Floats:
        """What all replies together say about each column: [i, y, column]."""
        if self.weight_classes.count <= FEW:
            return np.asarray(speech @ self._counted)
        counts, nowhere = self.records.counts.take(self.rows), np.zeros(len(self.rows), dtype=np.uint8)
        factor_sum = speech.reshape(-1, self._size)
        heard = [self.records.tally(self.rows, nowhere, 1, each.take(self.corners) * counts) for each in factor_sum]
        return np.array(heard).reshape(*speech.shape[:2], -1)
