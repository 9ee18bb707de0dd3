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
from deniable.channel.noise import UNIT, Noise
from deniable.survey.question import Question
from deniable.survey.range import GRID, Range
from deniable.survey.truths import cells_of_part

Matrix = NDArray[np.float64]
MAX_BINS = 200  # intervals in which a number under noise is counted, at most
MIN_BINS = 60
FAR_BINS = 40  # of them, for products beyond three times the greatest number


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
        """The instruction as published to respondents' devices, as JSON."""
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
class Beside(InOwnAnswers):
    """Report the answer to the question beside, which has as many answers."""

    wording: str

    def kernel(self, question: Question) -> Matrix:
        return np.eye(len(question.plain))[:, cells_of_part(question, "")]

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        return {"do": "beside", "wording": self.wording}


@dataclass(frozen=True)
class Count:
    """Report how many items of a list hold: some harmless ones, whose number is the answer beside, and perhaps its own.

    The second answer to the question is that its own item holds.
    """

    items: tuple[str, ...]
    own: bool

    def reported(self, question: Question) -> Question:
        words = tuple(str(count) for count in range(len(self.items) + 1 + self.own))
        return replace(question, answers=words, ordered=False, optional=False, sensitive=None)

    def draws(self, question: Question) -> bool:
        return False

    def kernel(self, question: Question) -> Matrix:
        counts = cells_of_part(question, "") + (cells_of_part(question, question.name) if self.own else 0)
        return np.eye(len(self.items) + 1 + self.own)[:, counts]

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        words = list(self.reported(group[0]).answers)
        return {"do": "count", "items": list(self.items), "own": self.own, "reported": words}


def kernel_of(instruction: Instruction, question: Question) -> Matrix:
    """The kernel over all that can be true: liars report what they always do, others follow the instruction."""
    if question.asked is None or isinstance(instruction, Beside | Count):
        return instruction.kernel(question)
    kernel = instruction.kernel(question.asked)
    if question.beside is not None:
        return np.tile(kernel, len(question.beside))
    return np.hstack([kernel, np.eye(len(kernel))[:, question.liars]])


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


@dataclass(frozen=True)
class Multiply:
    """Report the true number times a factor that is drawn, rounded to the grid; nought stays nought."""

    factors: Noise  # in steps of 1/UNIT

    def reported(self, question: Question) -> Question:
        """The number that replies hold: from nought to the greatest number times the greatest factor."""
        true, most = _range(question), self.factors.last / UNIT
        near = np.linspace(0.0, min(3.0, most) * true.high, MAX_BINS - FAR_BINS + 1)
        far = np.geomspace(near[-1], most * true.high, FAR_BINS + 1)[1:] if most > 3 else near[:0]
        halves = np.rint((np.concatenate([near, far]) - true.low) / true.step) - 0.5
        halves[-1] += 1
        edges = tuple(float(edge) for edge in true.low + np.unique(halves) * true.step)
        ends = multiplied(true, np.array([0, GRID]), np.array([self.factors.first, self.factors.last]))
        return question.with_range(Range(float(ends[0]), float(ends[1]), edges))

    def draws(self, question: Question) -> bool:
        return True

    def kernel(self, question: Question) -> Matrix:
        """The factors' chances, averaged over the numbers of each true cell, which are taken to lie evenly in it."""
        return np.asarray(self.by_point(question) @ points_by_cell(_range(question))[1])

    def by_point(self, question: Question) -> Matrix:
        """P(reported cell | true number), for each number that the grid tells apart."""
        return _multiplied(self.factors, _range(question), _range(self.reported(question)).edges)

    def published(self, group: Sequence[Question]) -> dict[str, Any]:
        thresholds = list(self.factors.thresholds)
        return {"do": "multiply", "first": self.factors.first, "unit": UNIT, "thresholds": thresholds}


def multiplied(true: Range, points: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers at points of the grid times factors, again at points of the grid."""
    numbers = (true.low + points * true.step) * steps / UNIT
    return np.asarray(true.low + np.rint((numbers - true.low) / true.step) * true.step)


@lru_cache(maxsize=64)
def _multiplied(factors: Noise, true: Range, edges: tuple[float, ...]) -> Matrix:
    points, _ = points_by_cell(true)
    steps = np.arange(factors.first, factors.last + 1)
    cells = np.searchsorted(edges[1:-1], multiplied(true, points, steps[:, None]), side="right")  # [step, point]
    chances = np.broadcast_to(factors.chances[:, None], cells.shape)
    keys = cells * len(points) + np.arange(len(points))
    kernel = np.bincount(keys.ravel(), chances.ravel(), (len(edges) - 1) * len(points))
    return np.asarray(kernel.reshape(-1, len(points)))


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
