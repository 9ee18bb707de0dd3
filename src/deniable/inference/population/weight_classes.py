"""Replies that speak for a branch in the same way are of one voice.

Many replies have the very same signed weights: in one Warner group they either agree with all conditions on the way
to a branch or contradict them all. So weights are kept by voice, and branches that differ only in their replies share
what is worked out about their voices.

legend: i a term of the question's lottery, v a voice; y a true and s a reported cell of the target, r a reported cell
of the question
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.invert.factored import InverseDesign
from deniable.inference.population.records import Floats

FEW = 16  # voices, up to which each is counted by itself and remembered
MERGED = 64  # voices, up to which equal ones are looked for


@dataclass(frozen=True, eq=False)
class WeightClasses:
    """The voices of a branch: how much each says for every term of the groups that conditions touch."""

    inverse_design: InverseDesign
    terms: Mapping[int, Floats] = field(default_factory=dict)  # per touched group: [i, v]
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # equal voices, met on other branches

    @cached_property
    def count(self) -> int:
        """How many voices there are; one where nothing is touched."""
        return next((values.shape[1] for values in self.terms.values()), 1)

    def of(self, group: int) -> Floats:
        """The terms of a group: [i, v]."""
        if group in self.terms:
            return self.terms[group]
        return np.repeat(self.inverse_design.lotteries[group].chances[:, None], self.count, axis=1)

    def without(self, group: int) -> "WeightClasses":
        """The same voices before anything was known about a group; some may be equal now."""
        untouched = np.repeat(self.inverse_design.lotteries[group].chances[:, None], self.count, axis=1)
        return WeightClasses(self.inverse_design, {**self.terms, group: untouched}, self.known)

    def speech(self, kind: int | None) -> Floats:
        """How much a reply of each voice and reported class says for each term and true class: [i, y, (v, s)].

        `kind` is the group whose terms are to be told apart, if any.
        """
        if kind not in self._speeches:
            self._speeches[kind] = self._speech(kind)
        return self._speeches[kind]

    @cached_property
    def _speeches(self) -> dict[int | None, Floats]:
        return {}

    def _speech(self, kind: int | None) -> Floats:
        last, factors = self.inverse_design.groups[-1], self.inverse_design.factors[-1]
        second = self.of(last)
        for group, values in self.terms.items():
            if group not in (kind, last):
                second = second * values.sum(axis=0)
        speech = (second[:, None, :, None] * factors[:, :, None]).reshape(*factors.shape[:2], -1)
        if kind == last:
            return speech
        factor_sum = speech.sum(axis=0)
        first = np.ones((1, 1)) if kind is None else np.repeat(self.of(kind), factors.shape[2], axis=1)
        return np.asarray(first[:, None] * factor_sum)

    def refine(self, group: int, factor_sum: Floats, heard: NDArray[np.bool_]) -> "Refinement":
        """The voices below a condition; `told` is how much each report speaks for it under each term: [i, r].

        `heard` is whether it speaks for any single cell of the condition, even where cells cancel each other out.
        """
        if self.count > FEW:
            return Refinement.of(self, group, factor_sum, heard)
        key = (
            group,
            factor_sum.tobytes(),
            heard.tobytes(),
            *[(each, values.tobytes()) for each, values in self.terms.items()],
        )
        if key not in self.known:
            self.known[key] = Refinement.of(self, group, factor_sum, heard)
        found: Refinement = self.known[key]
        return found


@dataclass(frozen=True)
class Refinement:
    """What becomes of voices that report a cell: their number below, -1 for the silent."""

    weight_classes: WeightClasses
    numbers: NDArray[np.intp]  # [v, r]
    corners: NDArray[Any]  # the same by voice, reported class and cell, as numbers of voice and class: [(v, s, r)]

    @classmethod
    def of(cls, above: WeightClasses, group: int, factor_sum: Floats, heard: NDArray[np.bool_]) -> Self:
        """Multiply one more factor into the terms of a group; reports that say the same are one."""
        classes, (same, kinds) = above.inverse_design.factors[-1].shape[2], _alike(np.vstack([factor_sum, heard]))
        factor_sum, heard = factor_sum[:, kinds], heard[:, kinds]
        cells = len(kinds)
        terms = {each: np.repeat(values, cells, axis=1) for each, values in above.terms.items()}
        terms[group] = (above.of(group)[:, :, None] * factor_sum[:, None]).reshape(len(factor_sum), -1)
        alive = ((above.of(group) != 0)[:, :, None] & heard[:, None]).any(axis=0).ravel()
        flat, kept = _merged(np.vstack(list(terms.values())), alive)
        below = WeightClasses(
            above.inverse_design, {each: values[:, kept] for each, values in terms.items()}, above.known
        )
        numbers = flat.reshape(-1, 1, cells)[:, :, same]
        corners = np.where(numbers < 0, -1, numbers * classes + np.arange(classes)[:, None])
        small = np.min_scalar_type(-int(corners.max(initial=0)) - 1)
        return cls(below, numbers[:, 0], corners.astype(small).ravel())


def _alike(columns: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each column the number of its kind, and the first column of each kind."""
    first: dict[bytes, int] = {}
    same = [first.setdefault(column.tobytes(), index) for index, column in enumerate(columns.T + 0.0)]
    kinds = np.array(list(first.values()))
    return np.searchsorted(kinds, same), kinds


def _merged(weight_classes: Floats, alive: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A number for each different voice (one per column), -1 for the silent; and where each is first heard."""
    numbers, heard = np.full(len(alive), -1), np.flatnonzero(alive)
    if len(heard) > MERGED:
        numbers[heard] = np.arange(len(heard))
        return numbers, heard
    first: dict[bytes, int] = {}  # without the sign of zeros
    same = [
        first.setdefault(voice.tobytes(), index)
        for voice, index in zip(weight_classes.T[heard] + 0.0, heard.tolist(), strict=True)
    ]
    kept = np.array(list(first.values()) or [0])
    numbers[heard] = np.searchsorted(kept, same)
    return numbers, kept
