"""Observed question: the report of each reply, and the true cells it may come from.

Reports fall into bins: the channel's own reported cells, or, under noise, as many bins as are wanted, which reach
beyond the range as far as the noise does. The matrix between bins and true cells integrates the noise over both.

legend: [bin, cell] a matrix, [reply] a column of the replies
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix, kernel_between
from deniable.channel.noise import Noise
from deniable.count.counts import is_answered, reported_cells
from deniable.frame.columns import Column
from deniable.inference.em.em import FLOOR, even_shares
from deniable.inference.em.likeliest import smooth_margin
from deniable.inference.population.records import Floats, Rows
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question
from deniable.survey.range import Range

Small = NDArray[np.integer]
Region = Mapping[int, Sequence[int]]  # true cells by question; all cells of a question that is not named
REACH = 3.0  # standard deviations by which bins reach beyond the range; the outermost hold the rest


@dataclass(frozen=True, eq=False)
class ObservedQuestion:
    """The reports of a question, and what true cells they may come from."""

    question: Question  # the true one, as it is cut
    matrix: Matrix  # [bin, cell]
    bins: Small  # [reply], LEFT_OUT where a number was skipped
    order: Small  # [reply], larger for a larger report
    kernels: Floats  # [instruction, bin, cell]; one alone where the question has a lottery of its own

    @classmethod
    def of(cls, channel: Channel, question: Question, reported: Column, bins: int | None = None) -> "ObservedQuestion":
        """The reports of a question that may be cut anew; those under noise in so many `bins`, if that is said."""
        if channel.noise is None:
            matrix = np.eye(len(question)) if channel.is_clear else channel.matrix([question])
            cells = np.where(is_answered(reported), reported_cells(channel.reported(question), reported), LEFT_OUT)
            shared = len(channel.group) > 1 and not channel.is_clear
            kernels = channel.kernels(question) if shared else matrix[None]
            return cls(question, matrix, cells.astype(np.intp), cells, kernels)
        limits, answered = question.range, is_answered(reported)
        assert limits is not None
        points = limits.points(np.where(answered, reported, limits.low))
        if bins is None:
            matrix, found, order = _own_bins(channel, channel.noise, question, limits, points)
        else:
            matrix, found = _even_bins(channel.noise, limits, bins, points)
            order = found
        return cls(question, matrix, np.where(answered, found, found.dtype.type(LEFT_OUT)), order, matrix[None])

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which replies answer it."""
        return np.asarray(self.bins != LEFT_OUT)

    def part(self, rows: Rows) -> "ObservedQuestion":
        """The same for some replies only."""
        return replace(self, bins=self.bins[rows], order=self.order[rows])

    def shares(self, groups: Sequence[Rows], weights: Floats | None = None) -> Floats:
        """The reconstructed shares of the true cells among each of some groups of replies: [cell, group]."""
        tables = []
        for rows in groups:
            given = self.answering(rows)
            counts = None if weights is None else weights[given]
            tables.append(np.bincount(self.bins[given], counts, minlength=len(self.matrix)).astype(float))
        return smooth_margin(np.array(tables).T, self.matrix, even_shares([self.question]))

    def answering(self, rows: Rows) -> Rows:
        """Those of some replies that answer it."""
        return np.asarray(rows[self.bins[rows] != LEFT_OUT])

    @cached_property
    def everybody(self) -> Floats:
        """The reconstructed shares of the true cells among all replies: [cell]."""
        return np.maximum(self.shares([np.arange(len(self.bins))])[:, 0], FLOOR)

    def inside(self, regions: Sequence[Region], index: int) -> tuple[Floats, Floats]:
        """The share of everybody in each region, and each reply's chances there: [instruction, reply, region]."""
        spread = self.cells_of(regions, index) * self.everybody[:, None]
        volume = spread.sum(axis=0)
        return volume, self.by_reply(self.kernels @ (spread / np.where(volume > 0, volume, 1.0)))

    def cells_of(self, regions: Sequence[Region], index: int) -> Floats:
        """Which cells of this question (the one of that index) each region holds: [cell, region]."""
        found = np.zeros((len(self.question), len(regions)))
        for column, region in zip(found.T, regions, strict=True):
            column[list(region.get(index, range(len(found))))] = 1
        return found

    def by_reply(self, kernels: Floats) -> Floats:
        """The rows of kernels [instruction, bin, ...] that were reported; a skipped question has chances of 1."""
        found = kernels[:, self.bins]
        found[:, ~self.answered] = 1
        return np.asarray(found)


def _own_bins(
    channel: Channel, noise: Noise, question: Question, limits: Range, points: NDArray[np.int64]
) -> tuple[Matrix, Small, Small]:
    """The channel's reported cells, and grid points that are in order."""
    reported = channel.reported(question).range
    assert reported is not None
    most = noise.last - noise.first + round((limits.high - limits.low) / limits.step)
    order = np.clip(points - noise.first, 0, most)
    known = np.arange(int(order.max(initial=0)) + 1, dtype=float) + noise.first
    bins = reported.cells(limits.low + known * limits.step).astype(np.int16)[order]
    smallest = np.uint16 if order.max(initial=0) < 2**16 else np.int32
    return channel.matrix([question]), bins, order.astype(smallest)


def _even_bins(noise: Noise, limits: Range, bins: int, points: NDArray[np.int64]) -> tuple[Matrix, Small]:
    """So many bins of one width, with bounds halfway between points of the grid."""
    reach = min(noise.last, round(REACH * noise.sd)) * limits.step
    inner = np.linspace(limits.low - reach, limits.high + reach, bins + 1)[1:-1]
    steps = np.rint((inner - limits.low) / limits.step - 0.5) + 0.5
    bounds = np.concatenate([[-np.inf], steps, [np.inf]])
    return kernel_between(noise, limits, bounds), np.searchsorted(steps, points).astype(np.intp)
