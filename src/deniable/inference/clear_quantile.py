"""Quantiles of numbers in the clear: the ordinary ones, between order statistics.

Where an engine holds many different numbers, they stay there: it counts them in intervals, and in ever smaller ones
around the quantile, until so few people are left that their numbers can be told.
"""

from collections.abc import Iterable, Sequence
from math import inf, nextafter, sqrt
from typing import NamedTuple

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.count.cut import Cut, CutsNumbers, cuts_of_many
from deniable.count.missing import Gaps, complete
from deniable.errors import NoAnswers
from deniable.inference.error import Z
from deniable.inference.estimates import Estimate
from deniable.inference.invert.stack import Table
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import Question
from deniable.survey.range import Range

CELLS = 64  # into which an interval is cut each time
TOLD = 2**12  # people whose numbers are told as they are, or so many different numbers
FUTILE = 0.5  # of the people: a search that keeps more of them has met a heap, one number that many gave


def quantile_in_the_clear(
    design: Design, counts: Counts, question: Question, q: float, sample: Sample | None
) -> Estimate:
    """The ordinary quantile; its interval lies between order statistics."""
    numbers = _Numbers(design, counts, question, sample or Sample())
    found = numbers.around([q])
    n = float(found.replies.counts.sum())
    if not n:
        raise NoAnswers([question.name])
    (value,) = weighted_quantiles(found.numbers, found.people, [q])
    margin, effect = sqrt(q * (1 - q) / n), None
    if sample is not None:
        below = (found.numbers <= value).astype(float)
        worth = sample.drawn(found.replies).worth(below, below)
        margin, effect = worth.stderr * worth.wider, worth.design_effect(n)
    low, high = np.clip([q - Z * margin, q + Z * margin], 0, 1).tolist()
    ends = numbers.around([low, high])
    low, high = weighted_quantiles(ends.numbers, ends.people, [low, high])
    assert question.range is not None
    span = (question.range.low, question.range.high)
    return Estimate(value, (high - low) / (2 * Z), low, high, round(n), "inverse", limits=span,
                    design_effect=effect).saying(found.gaps.note)  # fmt: skip


def weighted_quantiles(numbers: Table, counts: Table, qs: Sequence[float] | Table) -> list[float]:
    """Quantiles of numbers that occur so often, between order statistics as NumPy has them."""
    numbers, index = np.unique(numbers, return_inverse=True)
    counts = np.bincount(index, counts).astype(float)
    last = np.cumsum(counts) - 1  # the rank of the last person with each number
    first = last - counts + 1
    ranks = np.stack([first, np.maximum(last, first)], axis=1).ravel()
    return [float(each) for each in np.interp(np.asarray(qs) * (counts.sum() - 1), ranks, np.repeat(numbers, 2))]


class _Told(NamedTuple):
    """Replies, the numbers of theirs that are told, how many people each counts for, and who lacks an answer."""

    replies: Distinct
    numbers: Table
    people: Table
    gaps: Gaps


class _Numbers:
    """The numbers that people gave, as far as quantiles need them."""

    def __init__(self, design: Design, counts: Counts, question: Question, sample: Sample) -> None:
        self._counts, self._name, self._sample = counts, question.name, sample
        self._asked = [design.reported(question), *(design.reported(each) for each in sample.names)]
        own = cuts_of_many(counts, design, [question], sample.names).get(question.name)
        self._limits = (
            None if own is None else own.limits.only(_search_edges(own.limits.edges[0], own.limits.edges[-1]))
        )
        self._all = self._told(counts) if own is None else None

    def around(self, shares: Sequence[float]) -> _Told:
        """All of them, or those near these quantiles, and lesser or greater ones in place of the others."""
        if self._all is not None:
            return self._all
        assert self._limits is not None
        limits, left = self._limits, inf  # which the quantiles that were looked for before have cut already
        while True:
            found = self._told(self._cut(Cut(limits)))
            cells, size = limits.cells(found.numbers), len(limits.edges) - 1
            near = _cells_of(np.bincount(cells, found.people, size).astype(float), shares)
            people = float(np.bincount(cells, found.replies.counts, size)[sorted(near)].sum())
            finer = limits.cut(_within(limits, near))
            if people <= TOLD or finer == limits or (people > FUTILE * left and self._has_few(Cut(limits, near))):
                self._limits = limits
                return self._told(self._cut(Cut(limits, near)))
            limits, left = finer, people

    def _has_few(self, cut: Cut) -> bool:
        """Whether few different numbers are left whole."""
        counts = self._cut(cut)
        return isinstance(counts, CutsNumbers) and not counts.many_values(self._name, TOLD)

    def _cut(self, cut: Cut) -> Counts:
        assert isinstance(self._counts, CutsNumbers)
        return self._counts.cut({self._name: cut})

    def _told(self, counts: Counts) -> _Told:
        replies, gaps = complete(counts, self._asked)
        replies = replies.answered()
        people = self._sample.drawn(replies).table_counts if replies.counts.sum() else replies.counts
        return _Told(replies, replies.columns[self._name], people, gaps)


def _search_edges(low: float, high: float) -> list[float]:
    """Edges that cut an interval evenly, and one that sets its least number apart, which many may have given."""
    return [nextafter(low, inf), *(float(edge) for edge in np.linspace(low, high, CELLS + 1)[1:-1])]


def _within(limits: Range, cells: Iterable[int]) -> list[float]:
    """Edges within some cells."""
    return [edge for cell in cells for edge in _search_edges(limits.edges[cell], limits.edges[cell + 1])]


def _cells_of(people: Table, shares: Sequence[float]) -> frozenset[int]:
    """The cells that hold the people at these quantiles, and those next to them."""
    reached = np.cumsum(people)
    ranks = np.asarray(shares) * (reached[-1] - 1)
    first, last = (np.searchsorted(reached, ranks + by).clip(0, len(people) - 1) for by in (-1, 2))
    return frozenset(cell for one, two in zip(first, last, strict=True) for cell in range(one, two + 1))
