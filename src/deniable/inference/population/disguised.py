"""Subpopulations of disguised respondents.

Nobody knows who belongs to a subpopulation whose true answers fulfil some conditions. But every reply has a signed
weight for it, the product of one factor per condition, and the weighted counts are unbiased. Restricting a
subpopulation multiplies one more factor into the weights; no table over all conditions is ever built.

    table[x, y]  =  sum over i, w, r, s of  factor[i, x, r] weight[i, y, (w, s)] counts[(w, s), r]

The factors are explained in `invert.factored`, the weights in `weight_classes`.

legend: i term of a group's inverse, w weight class; x, y true cells and r, s reported cells of the question and of
the target; a *bin* is a weight class with a reported cell of the target (w, s); a *column* is a question's cell
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.invert.factored import InverseDesign, Pool
from deniable.inference.population.members import Members, Once
from deniable.inference.population.pair_tables import PairTables
from deniable.inference.population.records import Floats, Records, Rows
from deniable.inference.population.remainder import ClassIndex, counts_by_subtraction
from deniable.inference.population.subpopulation import Parts, SplitTables
from deniable.inference.population.weight_classes import (
    MAX_COUNTED,
    Refinement,
    WeightClasses,
    distinct_columns,
    parted_factors,
)

MIN_ALIKE = 8  # reports from which on those with equal weights are taken together


@dataclass(frozen=True)
class WeightedSubpopulation:
    """Disguised respondents with certain true answers, as signed weights of all replies that may be theirs."""

    records: Records
    weight_classes: WeightClasses
    members: Once[Members]  # the replies whose weight is not zero; many leaves never need them
    path: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # the conditions: true cells by question
    subtraction: Callable[[], Floats | None] | None = None  # counts without counting, if the siblings determine them
    known_bins: Floats | None = None  # how many replies each bin has, if the counts above determine it

    @property
    def uncertain(self) -> bool:
        """Whether a lottery blurs the counts; a skipped number does not."""
        return self.inverse_design.blurs

    @classmethod
    def root(cls, records: Records, inverse_design: InverseDesign) -> Self:
        """All respondents, in one weight class."""
        everybody = Members(np.arange(len(records.counts)), records.cells[-1])
        return cls(records, WeightClasses(inverse_design), Once(lambda: everybody))

    @property
    def rows(self) -> Rows:
        """The index of the replies whose weight is not zero: [row]."""
        return self.members().rows

    @property
    def bins(self) -> NDArray[Any]:
        """Weight class and reported class of each, as one number: [row]."""
        return self.members().bins

    @property
    def inverse_design(self) -> InverseDesign:
        """How the replies are disguised."""
        return self.weight_classes.inverse_design

    @property
    def size(self) -> int:
        return len(self.rows)

    def target(self) -> Floats:
        return self._target

    @cached_property
    def _target(self) -> Floats:
        return np.asarray(self.weight_classes.weights(None)[0] @ self._bin_counts)

    def target_with_covariance(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.weight_classes.weights(None)[0], self._bin_counts)

    def target_weights(self) -> Floats:
        """Each row's weight for every true cell of the target: [y, row]."""
        return np.asarray(self.weight_classes.weights(None)[0][:, self.bins])

    def table(self, question: int) -> Floats:
        """The table of one question as in `tables`, counted by itself: [x, y]."""
        if question in self.path:
            return self._path_table(question)
        group = self.inverse_design.group(question, self.weight_classes.terms)
        weighted = self.weight_classes.weights(group) @ self._question_counts(question)  # [i, y, r]
        return np.asarray(np.einsum("ixr,iyr->xy", self.inverse_design.factor(question, group), weighted))

    def tables(self) -> list[Floats]:
        return list(self._tables)

    @cached_property
    def _tables(self) -> list[Floats]:
        tables = [np.zeros(())] * (len(self.records.sizes) - 1)
        pools = self.inverse_design.pools(self.weight_classes.terms)
        pools = [pool for pool in pools if not self.path.keys() >= pool.members]  # the path has its own tables
        weighted = {group: self._weighted_counts(group) for group in {pool.group for pool in pools}}
        for pool in pools:
            columns = self.records.columns_of(pool.questions)
            sums = weighted[pool.group][columns].swapaxes(1, 2)  # [question, i, r, y]
            found = pool.factors @ sums.reshape(len(columns), -1, sums.shape[-1])
            for question, table in zip(pool.questions, found, strict=True):
                tables[question] = table
        for question in self.path:
            tables[question] = self._path_table(question)
        return tables

    def levels(self, question: int) -> None:
        return None

    def table_with_covariance(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        base = self._without(question)
        group = self.inverse_design.group(question, base.weight_classes.terms)
        counted = base is self and self.weight_classes.count <= MAX_COUNTED
        counts = self._counts[:, self.records.columns[question]] if counted else base._question_counts(question)
        if self.records.sizes[question] <= MIN_ALIKE and base is self:
            weights = self.weight_classes.parted_weights(question, tuple(map(tuple, parts)))
            return self._with_covariance(weights, counts.ravel())
        kept = [[cell for cell in part if cell in self.path.get(question, part)] for part in parts]
        parted = parted_factors(self.inverse_design.factor(question, group), kept)
        if parted.shape[2] > MIN_ALIKE:
            same, first = distinct_columns(parted.reshape(-1, parted.shape[2]))
            parted, counts = parted[:, :, first], counts @ (same[:, None] == np.arange(len(first)))
        weights = np.einsum("ipr,iyb->pybr", parted, base.weight_classes.weights(group))
        return self._with_covariance(weights.reshape(*weights.shape[:2], -1), counts.ravel())

    def tables_with_covariance(self, many: Sequence[tuple[int, Parts]]) -> list[SplitTables]:
        alike: dict[tuple[int, Any], list[int]] = {}  # of one pool and parts, none of them in the path
        pools = self.inverse_design.pools(self.weight_classes.terms)
        pool_of = {question: index for index, pool in enumerate(pools) for question in pool.questions}
        found = []
        for index, (question, parts) in enumerate(many):
            many_reports = self.records.sizes[question] > MIN_ALIKE
            if question in self.path or many_reports or self.weight_classes.count > MAX_COUNTED:
                found.append(SplitTables.of(index, *self.table_with_covariance(question, parts)))
            else:
                alike.setdefault((pool_of[question], tuple(map(tuple, parts))), []).append(index)
        stacks = [self._stack(pools[pool], [many[each][0] for each in which], which, parts)
                  for (pool, parts), which in alike.items()]  # fmt: skip
        return found + stacks

    def pair_tables(self) -> PairTables | None:
        single = all(len(cells) == 1 for cells in self.path.values())  # else they could be split again
        pools = self.inverse_design.pools(self.weight_classes.terms)
        pools = [pool for pool in pools if not self.path.keys() >= pool.members]
        counted = self.weight_classes.count <= MAX_COUNTED and self.records.has_whole_counts
        if not (single and counted and len(pools) == 1) or pools[0].group is None:
            return None
        questions = [question for question in pools[0].questions if question not in self.path]
        factors = np.array([self.inverse_design.factors[question] for question in questions])  # [question, i, x, r]
        if factors.shape[2:] != (2, 2):
            return None
        weights = self.weight_classes.weights(pools[0].group)
        return PairTables.of(self.records, questions, self.members(), factors, weights)

    def _stack(self, pool: Pool, questions: Sequence[int], which: Sequence[int], parts: Parts) -> SplitTables:
        """The tables of some questions of one pool, all with the same parts."""
        weights = self.weight_classes.weights(pool.group)  # [i, y, b]
        factors = pool.factors[[pool.questions.index(question) for question in questions]]  # [question, x, (i, r)]
        in_part = np.array([[float(cell in part) for cell in range(factors.shape[1])] for part in parts])  # [part, x]
        parted = (in_part @ factors).reshape(len(questions), len(parts), len(weights), -1)  # [question, part, i, r]
        columns = np.array([self.records.columns[question] for question in questions])
        counts = self._counts[:, columns].swapaxes(0, 1).reshape(len(questions), 1, -1)  # [question, 1, (b, r)]
        flat = np.einsum("qpir,iyb->qpybr", parted, weights).reshape(len(questions), -1, counts.shape[2])
        sums = (flat * counts).sum(axis=2)
        covariances = (flat * counts) @ flat.swapaxes(1, 2) - sums[:, :, None] * sums[:, None] / self.records.total
        return SplitTables(which, sums.reshape(len(questions), len(parts), -1), covariances)

    def _with_covariance(self, weights: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Sums of weights over independent replies, and their covariance."""
        flat = weights.reshape(-1, len(counts))
        sums = flat @ counts
        covariance = (flat * counts) @ flat.T - sums[:, None] * sums / self.records.total
        return sums.reshape(weights.shape[:-1]), covariance

    def restrict(self, question: int, cells: Sequence[int]) -> Self:
        if question in self.path:
            left = [cell for cell in self.path[question] if cell in cells]
            return self._without(question).restrict(question, left)
        return self._restricted(question, cells)[0]

    def split(self, question: int, parts: Parts) -> list[Self]:
        """Restricted to each part; where classes are few, the largest is counted by subtracting its siblings."""
        if question in self.path:
            return [self.restrict(question, part) for part in parts]
        reports = Once(lambda: self._reports(question))
        restricted = [self._restricted(question, part, reports) for part in parts]
        children = [child for child, _ in restricted]
        if self.weight_classes.count > MAX_COUNTED or not self.records.has_whole_counts:
            return children
        largest = max(range(len(children)), key=lambda index: float(children[index]._bin_counts.sum()))
        siblings = [pair for index, pair in enumerate(restricted) if index != largest]
        parent, wanted = self._counts, restricted[largest][1]

        def subtraction() -> Floats | None:
            return counts_by_subtraction(parent, [(each._counts, index) for each, index in siblings], wanted)

        children[largest] = replace(children[largest], subtraction=subtraction)
        return children

    def _restricted(
        self, question: int, cells: Sequence[int], reports: Once[NDArray[np.intp]] | None = None
    ) -> tuple[Self, ClassIndex]:
        """The subpopulation under one more condition, and its weight class for each of ours and each report: [w, r]."""
        condition = self.inverse_design.condition(question, tuple(cells))
        refined = self.weight_classes.refine(self.inverse_design.groups[question], *condition)
        known = reports or Once(lambda: self._reports(question))

        def members() -> Members:
            bins = refined.bins.take(known())
            kept = (bins >= 0).nonzero()[0]
            return Members(self.rows, bins) if len(kept) == len(bins) else Members(self.rows[kept], bins[kept])

        path, bins = {**self.path, question: tuple(cells)}, self._bins_below(question, refined)
        return type(self)(self.records, refined.weight_classes, Once(members), path, None, bins), refined.index

    def _reports(self, question: int) -> NDArray[np.intp]:
        """The bin and the report of every reply as one number: [row]."""
        reports = self.bins * np.intp(self.records.sizes[question])
        reports += self.records.cells[question].take(self.rows)
        return np.asarray(reports)

    def _bins_below(self, question: int, refined: Refinement) -> Floats | None:
        """How many replies each bin has under one more condition, where that is counted already."""
        if "_counts" not in self.__dict__ or not self.records.has_whole_counts:
            return None
        columns = self.records.columns[question]
        pieces = self._counts[:, columns].reshape(self.weight_classes.count, -1, len(columns))  # [w, s, r]
        return np.asarray(refined.joins @ pieces.swapaxes(1, 2).reshape(refined.joins.shape[1], -1)).ravel()

    def _without(self, question: int) -> Self:
        """The subpopulation with the condition on this question lifted."""
        if question not in self.path:
            return self
        path = {each: cells for each, cells in self.path.items() if each != question}
        group = self.inverse_design.groups[question]
        if all(self.inverse_design.groups[each] != group for each in path):
            lifted, index = self.weight_classes.without(group)
            classes = self.records.sizes[-1]
            bins = (index[:, None] * classes + np.arange(classes)).ravel().take(self.bins)
            return type(self)(self.records, lifted, Once(lambda: Members(self.rows, bins)), path)
        unrestricted = WeightClasses(self.inverse_design, cache=self.weight_classes.cache)
        everybody = Members(self.rows, self.records.cells[-1].take(self.rows))
        found = type(self)(self.records, unrestricted, Once(lambda: everybody))
        for each, cells in path.items():
            found = found.restrict(each, cells)
        return found

    def _path_table(self, question: int) -> Floats:
        """The table of a question with a condition; cells that the condition excludes are zero."""
        cells, answers = self.path[question], self.inverse_design.factors[question].shape[1]
        if len(cells) == 1:
            return self._only(cells[0], answers)
        table = np.zeros((answers, len(self._target)))
        table[list(cells)] = self._without(question).table(question)[list(cells)]
        return table

    def _only(self, cell: int, cells: int) -> Floats:
        """The table of a question to which everybody gives the same of so many answers."""
        if (cell, cells) not in self._only_tables:
            table = self._only_tables[cell, cells] = np.zeros((cells, len(self._target)))
            table[cell] = self._target
        return self._only_tables[cell, cells]

    @cached_property
    def _only_tables(self) -> dict[tuple[int, int], Floats]:
        return {}

    @property
    def _bin_count(self) -> int:
        return self.weight_classes.count * self.records.sizes[-1]

    @cached_property
    def _bin_counts(self) -> Floats:
        """How many replies each bin has: [bin]."""
        if self.known_bins is not None:
            return self.known_bins
        return np.bincount(self.bins, self.records.weights(self.rows), minlength=self._bin_count).astype(float)

    def _question_counts(self, question: int) -> Floats:
        """How often each cell of a question is reported in each bin: [bin, r]."""
        return self.records.cross(question, self.rows, self.bins, self._bin_count, self.records.weights(self.rows))

    @cached_property
    def _counts(self) -> Floats:
        """The same for all questions, side by side: [bin, column]."""
        counts = None if self.subtraction is None else self.subtraction()
        if counts is not None:
            return counts
        return self.records.tally(self.rows, self.bins, self._bin_count, self.records.weights(self.rows))

    def _weighted_counts(self, group: int | None) -> Floats:
        """Sums of the weights of all replies that report a cell, with the terms of a group apart: [column, i, y]."""
        weights = self.weight_classes.weights(group)  # [i, y, bin]
        if self.weight_classes.count <= MAX_COUNTED:
            return np.asarray(weights @ self._counts).transpose(2, 0, 1)
        counts, one_bin = self.records.counts.take(self.rows), np.zeros(len(self.rows), dtype=np.uint8)
        flat = weights.reshape(-1, self._bin_count)
        sums = [self.records.tally(self.rows, one_bin, 1, each.take(self.bins) * counts) for each in flat]
        return np.array(sums).reshape(*weights.shape[:2], -1).transpose(2, 0, 1)
