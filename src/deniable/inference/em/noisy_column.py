"""A number under noise, as replies tell it.

True numbers fall into cells, reported ones into bins that reach beyond the range as far as the noise does. The matrix
between them integrates the noise over both, and where numbers are reconstructed class by class, records are then
*assigned* to cells by sorting: the lowest reports go to the lowest cell, as many as it should have, and so on.
Agrawal and Srikant 2000, section 4.2 (an assigned cell is no estimate of one person's number)

legend: bins are the rows of a matrix, true cells its columns
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.inference.em.em import stepwise
from deniable.inference.population.records import Floats, Rows
from deniable.survey.question import Question
from deniable.survey.range import Range

Small = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class NoisyColumn:
    """The reports of a number: the bin and the place in order of each, and what true cells they may come from."""

    question: Question  # the true one, as it is cut
    matrix: Matrix
    bins: Small  # of each reply; -1 where the number was left out
    order: Small  # a whole number for each reply, larger for a larger report

    @classmethod
    def of(cls, channel: Channel, question: Question, numbers: Floats) -> "NoisyColumn":
        """The reported numbers of a question that may be cut anew."""
        noise, reported = channel.noise, channel.reported(question).range
        limits = question.range
        assert noise is not None
        assert limits is not None
        assert reported is not None
        absent = np.isnan(numbers)
        points = limits.points(np.where(absent, limits.low, numbers)) - noise.first
        points = np.clip(points, 0, noise.last - noise.first + round((limits.high - limits.low) / limits.step))
        known = np.arange(int(points.max(initial=0)) + 1, dtype=float) + noise.first
        bins = reported.cells(limits.low + known * limits.step).astype(np.int16)[points]
        bins[absent] = -1
        smallest = np.uint16 if points.max(initial=0) < 2**16 else np.int32
        return cls(question, channel.matrix([question]), bins, points.astype(smallest))

    @property
    def limits(self) -> Range:
        """The range and its cells."""
        assert self.question.range is not None
        return self.question.range

    def shares(self, groups: Sequence[Rows], weights: Floats | None = None) -> Floats:
        """The reconstructed shares of the true cells among each of some groups of replies: [cell, group]."""
        tables = []
        for rows in groups:
            given = rows[self.bins[rows] >= 0]
            counts = None if weights is None else weights[given]
            tables.append(np.bincount(self.bins[given], counts, minlength=len(self.matrix)).astype(float))
        return stepwise(np.array(tables).T, self.matrix, even_shares(self.question))

    def assigned(self, groups: Sequence[Rows], shares: Floats, weights: Floats | None = None) -> Small:
        """A true cell for each reply, group by group as the shares say; one beyond the last where it was left out."""
        cells = np.full(len(self.bins), len(self.question), dtype=np.int16)
        numbers = np.arange(len(self.question), dtype=np.int16)
        for rows, share in zip(groups, shares.T, strict=True):
            given = rows[self.bins[rows] >= 0]
            given = given[np.argsort(self.order[given], kind="stable")]
            if weights is None:
                ends = np.rint(np.cumsum(share) / share.sum() * len(given)).astype(np.intp)
                cells[given] = np.repeat(numbers, np.diff(ends, prepend=0))
            elif len(given):
                passed = np.cumsum(weights[given])
                reached = (passed - weights[given] / 2) / passed[-1]
                cells[given] = np.searchsorted(np.cumsum(share)[:-1] / share.sum(), reached)
        return cells


def even_shares(question: Question) -> Floats:
    """Equally frequent numbers, or answers."""
    if question.range is None:
        return np.full(len(question), 1 / len(question))
    widths = np.diff(question.range.edges)
    return np.asarray(widths / widths.sum())
