"""How many people live in each box of a partition, by class, from disguised replies.

A box says for some questions which true cells it holds; people inside are taken to be spread over these cells as
everybody is. A reply then has a chance in every box and class, and iterative Bayes finds how many people each box has:
what share of each reply each box accounts for, counted again.  Agrawal and Srikant 2000, equation 3, for boxes

legend: a an instruction of a lottery; rows are replies
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.channel.design import Design
from deniable.frame.columns import Column
from deniable.inference.em.em import moved, noticed, stepwise
from deniable.inference.em.grids import Axis
from deniable.inference.em.noisy_column import even_shares
from deniable.inference.population.records import Floats
from deniable.survey.question import Question

BINS = 60
TOLERANCE, MAX_STEPS = 1e-4, 1000
MAX_ENTRIES = 3e7  # of the table of replies by boxes and classes; more replies than that do not take part

Region = Mapping[int, Sequence[int]]  # true cells by question; all cells of a question that is not named


@dataclass(frozen=True)
class RegionMixture:
    """The chance of each reply in each box and class, and the boxes' first guess: by volume and class."""

    chances: Floats  # [row, box, class]
    start: Floats  # [box, class]

    def people(self, weights: Floats | None = None, start: Floats | None = None) -> Floats:
        """The share of all people in each box and class; with `weights`, replies count as often as these say."""
        flat = self.chances.reshape(len(self.chances), -1)
        shares = (self.start if start is None else start).ravel()
        weights = np.ones(len(flat)) if weights is None else weights
        n = float(weights.sum())
        enough = TOLERANCE * noticed(len(shares))
        for _ in range(MAX_STEPS):
            after = shares * ((weights / np.maximum(flat @ shares, 1e-300)) @ flat) / n
            change, shares = n * float(moved(shares, after).sum()), after
            if change < enough:
                break
        return np.asarray((shares / shares.sum()).reshape(self.start.shape))


def region_mixture(
    design: Design, questions: Sequence[Question], reported: Sequence[Column], regions: Sequence[Region]
) -> RegionMixture:
    """Replies to some questions (as they are cut), the target last, held against boxes of their cells."""
    classes = len(questions[-1])
    rows = slice(0, max(1, int(MAX_ENTRIES // (len(regions) * classes))))
    used = sorted({index for region in regions for index in region})
    chances, volume = np.ones((1, 1, 1)), np.ones(len(regions))
    for channel in design.channels:
        indices = [index for index in used if questions[index].name in channel.names]
        has_target = questions[-1].name in channel.names
        margins = []
        for index in indices:
            margin = Margin.of(design, questions[index], reported[index][rows])
            share, kernels = margin.inside(regions, index)
            volume *= share
            margins.append(kernels[:, :, :, None])
        if has_target:
            target = Margin.of(design, questions[-1], reported[-1][rows])
            margins.append(target.by_row(target.kernels)[:, :, None, :])
            start = target.shares
        if margins:
            lottery = channel.chances if len(margins[0]) > 1 else np.ones(1)
            chances = chances * sum(
                chance * np.prod(np.broadcast_arrays(*(margin[term] for margin in margins)), axis=0)
                for term, chance in enumerate(lottery)
            )
    return RegionMixture(np.asarray(chances), np.outer(volume / volume.sum(), start))


@dataclass(frozen=True)
class Margin:
    """One question: its kernels (one for each instruction, or their mean if it is alone), and everybody's shares."""

    axis: Axis
    kernels: Floats  # [a, reported, true]
    shares: Floats

    @classmethod
    def of(cls, design: Design, question: Question, reported: Column) -> "Margin":
        channel = design.channel(question.name)
        axis = Axis.of(channel, question, reported, BINS)
        given = axis.bins[axis.bins >= 0]
        counted = np.bincount(given, minlength=len(axis.matrix)).astype(float)
        shares = np.maximum(stepwise(counted[:, None], axis.matrix, even_shares(question))[:, 0], 1e-12)
        if len(channel.group) == 1 or channel.is_clear:
            return cls(axis, axis.matrix[None], shares)
        return cls(axis, np.array([each.kernel(question) for each in channel.instructions]), shares)

    def inside(self, regions: Sequence[Region], index: int) -> tuple[Floats, Floats]:
        """How much of everybody each box holds, and each row's chances there, [a, row, box]; none in an empty one."""
        spread = self.held(regions, index) * self.shares[:, None]
        volume = spread.sum(axis=0)
        return volume, self.by_row(self.kernels @ (spread / np.where(volume > 0, volume, 1.0)))

    def held(self, regions: Sequence[Region], index: int) -> Floats:
        """Which cells each box holds: [cell, box]."""
        held = np.zeros((self.kernels.shape[2], len(regions)))
        for column, region in zip(held.T, regions, strict=True):
            column[list(region.get(index, range(len(held))))] = 1
        return held

    def by_row(self, kernels: Floats) -> Floats:
        """The kernels' rows that were reported; who left the question out has any chance alike."""
        found = kernels[:, self.axis.bins]
        found[:, self.axis.bins < 0] = 1
        return np.asarray(found)
