"""Weight classes of replies.

Many replies count towards a subpopulation with exactly the same signed weight: in one Warner group, for example, a
reply either agrees with all conditions that define the subpopulation or contradicts them all. Such replies form a
weight class. Weights are computed once per class, and subpopulations that differ only in their replies share them.

    weight[y, (w, s)]  =  (sum over i of a[t, i, w] factor[i, y, s])  product over g of (sum over i of a[g, i, w])

legend: i term of a group's inverse, w weight class; t the target's group, g any other group with a condition; a
coefficient of the inverse times the factors of the conditions; y true and s reported cell of the target, r reported
cell of a condition's question
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.records import Floats

MAX_COUNTED = 16  # weight classes up to which replies are counted per class, and the counts kept
MAX_MERGED = 2**10  # weight classes up to which equal ones are searched for and merged
DIGITS = 7  # up to which weights are compared: chances are whole numbers of 2^-32, so those of alike answers differ


@dataclass(frozen=True, eq=False)
class WeightClasses:
    """The weight classes of a subpopulation, with their terms for every group that a condition restricts."""

    inverse_design: InverseDesign
    terms: Mapping[int, Floats] = field(default_factory=dict)  # per restricted group: [i, w]
    cache: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # refinements, shared by the whole tree

    @cached_property
    def count(self) -> int:
        """The number of weight classes; one where nothing is restricted."""
        return next((values.shape[1] for values in self.terms.values()), 1)

    def of(self, group: int) -> Floats:
        """The terms of a group: [i, w]."""
        return self.terms[group] if group in self.terms else self._unrestricted(group)

    def without(self, group: int) -> tuple["WeightClasses", NDArray[np.intp]]:
        """The classes with the conditions on a group lifted, and the new class of each: [w]."""
        terms = {**self.terms, group: self._unrestricted(group)}
        index, kept = _merged(np.vstack(list(terms.values())), np.ones(self.count, dtype=bool))
        found = {each: values[:, kept] for each, values in terms.items()}
        return WeightClasses(self.inverse_design, found, self.cache), index

    def _unrestricted(self, group: int) -> Floats:
        return np.repeat(self.inverse_design.factored[group].coefficients[:, None], self.count, axis=1)

    def weights(self, group: int | None) -> Floats:
        """The weight of a reply of each weight class and reported class for each true class: [i, y, (w, s)].

        The terms of `group` are kept apart, so that the factor of one more question can be multiplied into each; all
        other groups, or all groups if it is None, are summed over their terms.
        """
        if group not in self._weights:
            self._weights[group] = self._weights_apart(group)
        return self._weights[group]

    @cached_property
    def _weights(self) -> dict[int | None, Floats]:
        return {}

    def parted_weights(self, question: int, parts: tuple[tuple[int, ...], ...]) -> Floats:
        """The weight of a reply of each bin and report for each part of a question's cells: [part, y, (b, r)].

        Nodes of a tree have few weight classes, so most of them find it known.
        """
        if (question, parts) not in self._parted:
            group = self.inverse_design.group(question, self.terms)
            parted = parted_factors(self.inverse_design.factor(question, group), parts)
            weights = np.einsum("ipr,iyb->pybr", parted, self.weights(group))
            self._parted[question, parts] = weights.reshape(*weights.shape[:2], -1)
        return self._parted[question, parts]

    @cached_property
    def _parted(self) -> dict[tuple[int, tuple[tuple[int, ...], ...]], Floats]:
        return {}

    def _weights_apart(self, group: int | None) -> Floats:
        last, factors = self.inverse_design.groups[-1], self.inverse_design.factors[-1]
        terms = self.of(last)  # [i, w]
        for each, values in self.terms.items():
            if each not in (group, last):
                terms = terms * values.sum(axis=0)
        weights = (terms[:, None, :, None] * factors[:, :, None]).reshape(*factors.shape[:2], -1)  # [i, y, (w, s)]
        if group == last:
            return weights
        summed = weights.sum(axis=0)  # [y, (w, s)]
        apart = np.ones((1, 1)) if group is None else np.repeat(self.of(group), factors.shape[2], axis=1)  # [i, (w, s)]
        return np.asarray(apart[:, None] * summed)

    def refine(self, group: int, factor: Floats, has_weight: NDArray[np.bool_]) -> "Refinement":
        """The weight classes under one more condition on a question of this group.

        `factor` is the condition's factor for each report: [i, r]. `has_weight` is whether a report has a weight for
        any single cell of the condition, even where the weights of several cells cancel: [i, r].
        """
        if self.count > MAX_COUNTED:
            return Refinement.of(self, group, factor, has_weight)
        terms = [(each, values.tobytes()) for each, values in self.terms.items()]
        key = (group, factor.tobytes(), has_weight.tobytes(), *terms)
        if key not in self.cache:
            self.cache[key] = Refinement.of(self, group, factor, has_weight)
        found: Refinement = self.cache[key]
        return found


@dataclass(frozen=True)
class Refinement:
    """Weight classes under one more condition, and the new class of every reply; -1 where its weight is zero."""

    weight_classes: WeightClasses
    index: NDArray[np.intp]  # new class by old class and report: [w, r]
    bins: NDArray[Any]  # the same with the reported class, as one number: [(w, s, r)]

    @cached_property
    def joins(self) -> Floats:
        """1 where an old class and a report come into a new class: [new class, (w, r)]."""
        classes = np.arange(self.index.max(initial=0) + 1)
        return np.asarray(self.index.ravel() == classes[:, None], dtype=float)

    @classmethod
    def of(cls, above: WeightClasses, group: int, factor: Floats, has_weight: NDArray[np.bool_]) -> Self:
        """Multiply a condition's factor into the terms of its group; reports with equal factors are treated as one."""
        same, first = distinct_columns(np.vstack([factor, has_weight]))
        factor, has_weight, cells = factor[:, first], has_weight[:, first], len(first)
        terms = {each: np.repeat(values, cells, axis=1) for each, values in above.terms.items()}
        terms[group] = (above.of(group)[:, :, None] * factor[:, None]).reshape(len(factor), -1)  # [i, (w, r)]
        nonzero = ((above.of(group) != 0)[:, :, None] & has_weight[:, None]).any(axis=0).ravel()
        merged, kept = _merged(np.vstack(list(terms.values())), nonzero)
        below = WeightClasses(
            above.inverse_design, {each: values[:, kept] for each, values in terms.items()}, above.cache
        )
        index = merged.reshape(-1, 1, cells)[:, :, same]  # [w, 1, r]
        classes = above.inverse_design.factors[-1].shape[2]
        bins = np.where(index < 0, -1, index * classes + np.arange(classes)[:, None])
        small = np.min_scalar_type(-int(bins.max(initial=0)) - 1)
        return cls(below, index[:, 0], bins.astype(small).ravel())


def parted_factors(factors: Floats, parts: Sequence[Sequence[int]]) -> Floats:
    """The factors of a question, [i, x, r], summed over each part of its cells: [i, part, r]."""
    in_part = np.zeros((len(parts), factors.shape[1]))  # [part, x]
    for index, part in enumerate(parts):
        in_part[index, list(part)] = 1
    return np.asarray(in_part @ factors)


def distinct_columns(columns: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each column the index of its value among the distinct ones, and where each of these occurs first."""
    first: dict[bytes, int] = {}
    same = [first.setdefault(column.tobytes(), index) for index, column in enumerate(_rounded(columns))]
    distinct = np.array(list(first.values()))
    return np.searchsorted(distinct, same), distinct


def _merged(terms: Floats, nonzero: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The class of each column of terms, -1 where the weight is zero; and the first column of each class."""
    index, columns = np.full(len(nonzero), -1), np.flatnonzero(nonzero)
    if len(columns) > MAX_MERGED:
        index[columns] = np.arange(len(columns))
        return index, columns
    first: dict[bytes, int] = {}
    same = [
        first.setdefault(column.tobytes(), position)
        for column, position in zip(_rounded(terms[:, columns]), columns.tolist(), strict=True)
    ]
    kept = np.array(list(first.values()) or [0])
    index[columns] = np.searchsorted(kept, same)
    return index, kept


def _rounded(terms: Floats) -> Floats:
    """Columns of terms as rows, to be compared; + 0.0 drops the sign of zeros."""
    return np.asarray(np.ascontiguousarray(terms.T).round(DIGITS) + 0.0)
