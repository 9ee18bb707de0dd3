"""Instructions: what the lottery may tell a respondent to do with a question.

An instruction turns a question into a kernel: kernel[reported, true] is the chance of reporting one
cell when another is true. Each column is a distribution, so it sums to one. Most instructions report
in the question's own answers; `reported` says so, or names the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deniable.channel import chances
from deniable.channel.noise import Noise
from deniable.survey.question import Question
from deniable.survey.range import GRID, Range

Matrix = NDArray[np.float64]
MAX_BINS = 200  # intervals in which a number under noise is counted, at most
MIN_BINS = 60


class Instruction(Protocol):
    """Anything that can say what to report for each truth."""

    def reported(self, question: Question) -> Question:
        """The question as replies answer it."""
        ...

    def kernel(self, question: Question) -> Matrix:
        """P(reported cell | true cell)."""
        ...

    def draws(self, question: Question) -> bool:
        """Whether following it for this question takes a random number of its own."""
        ...

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        """What a respondent's device is told, as JSON."""
        ...


class InOwnAnswers:
    """Reports are among the question's own answers, and take no random number."""

    def reported(self, question: Question) -> Question:
        return question

    def draws(self, question: Question) -> bool:
        return False

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        return {"do": type(self).__name__.lower()}


@dataclass(frozen=True)
class Truth(InOwnAnswers):
    """Report the true answer."""

    def kernel(self, question: Question) -> Matrix:
        return np.eye(len(question))


@dataclass(frozen=True)
class Opposite(InOwnAnswers):
    """Report the other one of two answers."""

    def kernel(self, question: Question) -> Matrix:
        return np.eye(2)[::-1]


@dataclass(frozen=True)
class Other(InOwnAnswers):
    """Report one of the other answers, all alike."""

    def thresholds(self, question: Question) -> tuple[int, ...]:
        """What the random number is compared with, to choose among the others in order."""
        return chances.uniform(len(question) - 1)

    def draws(self, question: Question) -> bool:
        return len(question) > 2

    def kernel(self, question: Question) -> Matrix:
        cells = len(question)
        shares = chances.shares(self.thresholds(question))
        kernel = np.zeros((cells, cells))
        for true in range(cells):
            kernel[np.arange(cells) != true, true] = shares
        return kernel


@dataclass(frozen=True)
class Draw(InOwnAnswers):
    """Ignore the truth and draw an answer; uniformly for a question that `shares` does not name."""

    shares: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @classmethod
    def of(cls, shares: Mapping[str, Sequence[float]]) -> "Draw":
        """Chances by question name: Draw.of({"smokes": (0.7, 0.3)})."""
        return cls(tuple((name, tuple(each)) for name, each in shares.items()))

    def thresholds(self, question: Question) -> tuple[int, ...]:
        """What the random number is compared with."""
        named = dict(self.shares).get(question.name)
        return chances.uniform(len(question)) if named is None else chances.thresholds(named)

    def draws(self, question: Question) -> bool:
        return True

    def kernel(self, question: Question) -> Matrix:
        return _drawn(self.thresholds(question))

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        return {"do": "draw", "thresholds": {question.name: list(self.thresholds(question)) for question in group}}


@lru_cache(maxsize=1024)
def _drawn(thresholds: tuple[int, ...]) -> Matrix:
    """The kernel of a draw that ignores the truth; versions by the thousand have the same."""
    kernel = np.tile(chances.shares(thresholds)[:, None], len(thresholds))
    kernel.setflags(write=False)
    return kernel


@dataclass(frozen=True)
class Say(InOwnAnswers):
    """Ignore the truth and report these answers, given as cells by question name."""

    cells: tuple[tuple[str, int], ...]

    def cell(self, question: Question) -> int:
        """The cell to report."""
        return dict(self.cells)[question.name]

    def kernel(self, question: Question) -> Matrix:
        return np.repeat(np.eye(len(question))[:, [self.cell(question)]], len(question), axis=1)

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        return {"do": "say", "cells": {question.name: self.cell(question) for question in group}}


@dataclass(frozen=True)
class Lookup:
    """Report by a given table, rows reported, columns true; rows may outnumber columns."""

    rows: tuple[tuple[float, ...], ...]
    words: tuple[str, ...] | None = None

    def reported(self, question: Question) -> Question:
        if self.words is None:
            return question
        return replace(question, answers=self.words, ordered=False, optional=False, sensitive=None)

    def thresholds(self) -> list[tuple[int, ...]]:
        """For each true cell, what the random number is compared with."""
        return [chances.thresholds(column) for column in zip(*self.rows, strict=True)]

    def draws(self, question: Question) -> bool:
        return True

    def kernel(self, question: Question) -> Matrix:
        return np.column_stack([chances.shares(column) for column in self.thresholds()])

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        words = list(self.reported(group[0]).answers)
        return {"do": "lookup", "reported": words, "thresholds": [list(column) for column in self.thresholds()]}


@dataclass(frozen=True)
class Add:
    """Report the true number plus noise; reports may lie beyond the range, and stay there."""

    noise: Noise

    def reported(self, question: Question) -> Question:
        """The number that replies hold: a wider range, in intervals of whole grid steps."""
        true = _range(question)
        points = GRID + 1 + self.noise.last - self.noise.first
        bins = min(points, MAX_BINS, max(MIN_BINS, 2 * len(question)))
        bounds = np.rint(np.linspace(0, points, bins + 1)) + self.noise.first - 0.5
        edges = tuple(float(edge) for edge in true.low + bounds * true.step)
        low, high = true.low + self.noise.first * true.step, true.high + self.noise.last * true.step
        return question.with_range(Range(low, high, edges))

    def draws(self, question: Question) -> bool:
        return True

    def kernel(self, question: Question) -> Matrix:
        """The noise averaged over the numbers of each true cell, which are taken to lie evenly in it."""
        true, reported = _range(question), _range(self.reported(question))
        return kernel_between(self.noise, true, (np.asarray(reported.edges) - true.low) / true.step)

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        return {"do": "add", "first": self.noise.first, "thresholds": list(self.noise.thresholds)}


def kernel_between(noise: Noise, true: Range, bounds: NDArray[np.float64]) -> Matrix:
    """The chance that a number of each cell is reported between each two bounds, in steps of the grid from `low`."""
    points, weights = points_by_cell(true)
    farthest = GRID + noise.last - noise.first + 1
    steps = np.floor(np.clip(bounds, -farthest, farthest) + 0.25).astype(np.int64)
    passed = noise.at_most(steps[:, None] - points)
    return np.asarray(np.diff(passed, axis=0) @ weights)


def points_by_cell(true: Range) -> tuple[NDArray[np.int64], Matrix]:
    """The grid points a true number may take, and how each cell's numbers spread over them."""
    if true.integer and true.high - true.low <= GRID:
        values = np.arange(true.low, true.high + 1)
        mass = np.ones(len(values))
    else:
        values = true.low + np.arange(GRID + 1) * true.step
        mass = np.ones(GRID + 1)
        mass[[0, -1]] = 0.5
    cells = len(true.edges) - 1
    weights = np.zeros((len(values), cells))
    weights[np.arange(len(values)), true.cells(values)] = mass
    for empty in np.flatnonzero(weights.sum(axis=0) == 0):  # a cell narrower than the grid
        weights[np.argmin(np.abs(values - true.middles[empty])), empty] = 1
    return true.points(values), weights / weights.sum(axis=0)


def _range(question: Question) -> Range:
    assert question.range is not None, "noise is added to numbers only; the schemes see to it"
    return question.range
