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
TOLERANCE, MOST_STEPS = 1e-4, 1000
MOST_ENTRIES = 3e7  # of the table of replies by boxes and classes; more replies than that do not take part

Box = Mapping[int, Sequence[int]]  # true cells by question; all cells of a question that is not named


@dataclass(frozen=True)
class Boxed:
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
        for _ in range(MOST_STEPS):
            after = shares * ((weights / np.maximum(flat @ shares, 1e-300)) @ flat) / n
            change, shares = n * float(moved(shares, after).sum()), after
            if change < enough:
                break
        return np.asarray((shares / shares.sum()).reshape(self.start.shape))


def boxed(design: Design, questions: Sequence[Question], told: Sequence[Column], boxes: Sequence[Box]) -> Boxed:
    """Replies to some questions (as they are cut), the target last, held against boxes of their cells."""
    classes = len(questions[-1])
    rows = slice(0, max(1, int(MOST_ENTRIES // (len(boxes) * classes))))
    used = sorted({place for box in boxes for place in box})
    chances, volume = np.ones((1, 1, 1)), np.ones(len(boxes))
    for channel in design.channels:
        places = [place for place in used if questions[place].name in channel.names]
        has_target = questions[-1].name in channel.names
        sides = []
        for place in places:
            side = Side.of(design, questions[place], told[place][rows])
            share, kernels = side.inside(boxes, place)
            volume *= share
            sides.append(kernels[:, :, :, None])
        if has_target:
            target = Side.of(design, questions[-1], told[-1][rows])
            sides.append(target.by_row(target.kernels)[:, :, None, :])
            start = target.shares
        if sides:
            lottery = channel.chances if len(sides[0]) > 1 else np.ones(1)
            chances = chances * sum(
                chance * np.prod(np.broadcast_arrays(*(side[term] for side in sides)), axis=0)
                for term, chance in enumerate(lottery)
            )
    return Boxed(np.asarray(chances), np.outer(volume / volume.sum(), start))


@dataclass(frozen=True)
class Side:
    """One question: its kernels (one for each instruction, or their mean if it is alone), and everybody's shares."""

    axis: Axis
    kernels: Floats  # [a, reported, true]
    shares: Floats

    @classmethod
    def of(cls, design: Design, question: Question, told: Column) -> "Side":
        channel = design.channel(question.name)
        axis = Axis.of(channel, question, told, BINS)
        given = axis.bins[axis.bins >= 0]
        counted = np.bincount(given, minlength=len(axis.matrix)).astype(float)
        shares = np.maximum(stepwise(counted[:, None], axis.matrix, even_shares(question))[:, 0], 1e-12)
        if len(channel.group) == 1 or channel.is_clear:
            return cls(axis, axis.matrix[None], shares)
        return cls(axis, np.array([each.kernel(question) for each in channel.instructions]), shares)

    def inside(self, boxes: Sequence[Box], place: int) -> tuple[Floats, Floats]:
        """How much of everybody each box holds, and each row's chances there, [a, row, box]; none in an empty one."""
        spread = self.held(boxes, place) * self.shares[:, None]
        volume = spread.sum(axis=0)
        return volume, self.by_row(self.kernels @ (spread / np.where(volume > 0, volume, 1.0)))

    def held(self, boxes: Sequence[Box], place: int) -> Floats:
        """Which cells each box holds: [cell, box]."""
        held = np.zeros((self.kernels.shape[2], len(boxes)))
        for column, box in zip(held.T, boxes, strict=True):
            column[list(box.get(place, range(len(held))))] = 1
        return held

    def by_row(self, kernels: Floats) -> Floats:
        """The kernels' rows that were reported; who left the question out has any chance alike."""
        found = kernels[:, self.axis.bins]
        found[:, self.axis.bins < 0] = 1
        return np.asarray(found)
