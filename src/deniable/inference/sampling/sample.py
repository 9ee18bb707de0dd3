"""Sampling design: how respondents were drawn, from columns that stand beside the questions.

A survey package asks for the same four things: a weight for every respondent, the stratum and the cluster that each was
drawn from, and how large the population is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from numbers import Real
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.beside import with_columns
from deniable.count.counts import Counts, Distinct
from deniable.count.cut import MANY, CutsNumbers
from deniable.count.missing import complete
from deniable.count.replies import counts_of
from deniable.errors import BadRequest
from deniable.frame.columns import Missing
from deniable.inference.sampling.drawn import Codes, Drawn, Floats

MAX_APART = 0.2  # of the population, by which the sum of weights may differ from it


class SampleArguments(TypedDict, total=False):
    """The keyword arguments that describe a sample: names of columns; the population may be a number."""

    weights: str | None
    strata: str | None
    clusters: str | None
    population: str | float | None


@dataclass(frozen=True)
class Sample:
    """The columns that say how respondents were drawn."""

    weights: str | None = None  # one over the chance to be drawn, or anything proportional to it
    strata: str | None = None
    clusters: str | None = None
    population: str | float | None = None  # its size, or the column of each stratum's size
    total: bool = False  # whether people are counted, for which weights must be one over the chance to be drawn
    weighed: float | None = (
        None  # the weights of all replies, also of those that lack what is asked; None if not needed
    )
    others: tuple[str, ...] = ()  # columns that only go along
    words: tuple[str, ...] = ()  # by which strata are called, cell by cell; none where they are numbers

    @classmethod
    def of(cls, design: Design, replies: Any, **how: Unpack[SampleArguments]) -> "tuple[Design, Sample | None]":
        """The sample as it was described, and the design, whose replies have its columns; none if nothing was said."""
        check_design(design)
        if all(each is None for each in how.values()):
            return design, None
        sample = cls(**how)
        for what in ("weights", "strata", "clusters"):
            name = getattr(sample, what)
            if name is not None and not isinstance(name, str):
                raise BadRequest(what, "the name of a column", type(name).__name__, "put it into the replies")
        size = sample.population
        if not (size is None or isinstance(size, str) or _is_size(size)):
            raise BadRequest("population", "its size, or the name of a column", size, "give one of them")
        if disguised := [name for name in sample.names if name in design.names and not design.is_clear(name)]:
            raise BadRequest(
                "how people were drawn", "given by columns in the clear", disguised[0], "name another column"
            )
        design = with_columns(design, replies, sample.names)
        sample = replace(sample, words=sample._words(design))
        return design, sample if sample.population is None else sample.weighing(design, replies)

    def weighing(self, design: Design, replies: Any) -> "Sample":
        """The same sample with the sum of everybody's weights, so that those who answer stand for all others."""
        if self.weights is None:
            return self
        found, _ = complete(sampled_counts(design, replies, "skip", self), [design.reported(self.weights)])
        return replace(self, weighed=float(_numbers(found.columns, self.weights, "weights") @ found.counts))

    def _words(self, design: Design) -> tuple[str, ...]:
        """What strata are called: answers, or versions."""
        if self.strata is None:
            return ()
        for block in design.blocks:
            if block.column == self.strata:
                return tuple(version.name for version in block.versions)
        column = design.reported(self.strata)
        return () if column.is_number else tuple(column.answers)

    @property
    def names(self) -> list[str]:
        """Its columns."""
        named = (self.weights, self.strata, self.clusters, self.population, *self.others)
        return list(dict.fromkeys(name for name in named if isinstance(name, str)))

    def has_many_weights(self, counts: Counts) -> bool:
        """Whether hardly any two people have the same weight, in an engine that can tell."""
        weights = self.weights
        return weights is not None and isinstance(counts, CutsNumbers) and counts.many_values(weights, MANY)

    def drawn(self, replies: Distinct) -> Drawn:
        """How the people behind these distinct replies were drawn."""
        strata = _codes(replies, self.strata)
        sizes = self._sizes(replies.columns, strata, replies.counts)
        people = np.bincount(strata, replies.counts)
        if sizes is not None and (sizes < people - 1e-9).any():
            raise BadRequest("population", f"at least the {people.sum():,.0f} people who replied (in every stratum)",
                             f"{sizes.sum():,.0f}", "give the number of people they were drawn from")  # fmt: skip
        if self.weights is not None:
            weights = self._weights(replies, None if sizes is None else float(sizes.sum()))
        else:
            weights = np.ones(len(strata)) if sizes is None else (sizes / np.maximum(people, 1.0))[strata]
        clusters = None if self.clusters is None else _within(strata, _codes(replies, self.clusters))
        population = float(weights @ replies.counts) if self.total else None if sizes is None else float(sizes.sum())
        finite = population is not None and clusters is None
        return Drawn(replies.counts, weights, strata, clusters, population, finite, self._called(replies))

    def _called(self, replies: Distinct) -> tuple[str, ...]:
        """What the strata of these replies are called, in the order of their codes."""
        if self.strata is None:
            return ()
        found = np.unique(replies.columns[self.strata])
        return tuple(f"{self.strata} = {self.words[int(each)] if self.words else f'{each:g}'}" for each in found)

    def _weights(self, replies: Distinct, population: float | None) -> Floats:
        """Everybody's weight; where people are counted, one over the chance to be drawn."""
        found = _numbers(replies.columns, str(self.weights), "weights")
        if not np.isfinite(found).all():
            raise BadRequest(f"the weights in {self.weights!r}", "finite numbers", "infinite ones", "mend them")
        if (found < 0).any() or not found.any():
            got = "only zeros" if not found.any() else f"{found.min():g}"
            raise BadRequest(f"the weights in {self.weights!r}", "numbers that are not negative", got, "mend them")
        if population is None and not self.total:
            return found
        if (found < 1).any():
            raise BadRequest(f"the weights in {self.weights!r}", "1 or more where people are counted, being one over "
                             "the chance to be drawn", f"{found.min():g}", "leave the population out")  # fmt: skip
        counted = float(found @ replies.counts)
        everybody = counted if self.weighed is None else self.weighed
        if population is not None and abs(everybody - population) > MAX_APART * population:
            raise BadRequest(f"the sum of weights in {self.weights!r}", f"about the population of {population:,.0f}",
                             f"{everybody:,.0f}", "give one over the chance to be drawn as weights")  # fmt: skip
        return found * (everybody / counted)

    def _sizes(self, columns: Mapping[str, NDArray[Any]], strata: Codes, counts: Floats) -> Floats | None:
        """The number of people in each stratum of the population; all in one if they are not told apart."""
        if self.population is None:
            return None
        groups = int(strata.max(initial=0)) + 1
        if not isinstance(self.population, str):
            if groups == 1:
                return np.array([float(self.population)])
            drawn = np.bincount(strata, counts if self.weights is None else counts * columns[self.weights], groups)
            return np.asarray(drawn / drawn.sum() * float(self.population))
        found = _numbers(columns, self.population, "population")
        sizes = np.zeros(groups)
        sizes[strata] = found
        if not np.array_equal(sizes[strata], found):
            raise BadRequest(f"the population in {self.population!r}", "the same number throughout a stratum",
                             "different ones", "give each stratum's size, and the strata")  # fmt: skip
        return sizes


def summed_weights(design: Design, sample: Sample | None) -> str | None:
    """The column of weights, if it is nothing but that: neither asked about, nor what people are told apart by."""
    if sample is None or sample.weights is None:
        return None
    others = (sample.strata, sample.clusters, sample.population)
    return None if sample.weights in design.names or sample.weights in others else sample.weights


def sampled_counts(design: Design, replies: Any, missing: Missing, sample: Sample | None) -> Counts:
    """Counts over the replies of a sample."""
    return counts_of(design, replies, missing, weights=summed_weights(design, sample))


def _is_size(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < inf


def _numbers(columns: Mapping[str, NDArray[Any]], name: str, what: str) -> Floats:
    column = columns[name]
    if column.dtype.kind != "f":
        raise BadRequest(f"the {what} in {name!r}", "numbers", "words", "name another column")
    return np.asarray(column, dtype=np.float64)


def _codes(replies: Distinct, name: str | None) -> Codes:
    """The group of each reply; one for all where none is named."""
    if name is None:
        return np.zeros(len(replies.counts), dtype=np.intp)
    return np.unique(replies.columns[name], return_inverse=True)[1].astype(np.intp)


def _within(strata: Codes, clusters: Codes) -> Codes:
    """Clusters numbered through all strata: equal names in two strata are two clusters."""
    numbers = strata * (int(clusters.max(initial=0)) + 1) + clusters
    return np.asarray(np.unique(numbers, return_inverse=True)[1], dtype=np.intp)
