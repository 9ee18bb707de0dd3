"""Likelihood of reports, where nothing but the outcome is disguised.

The chance of a report follows from the lottery that made it, and the replies to all versions count together:

    P(r | x) = sum over t of M_v[r, t] P(t | x; b)

Fisher scoring finds the coefficients; the observed information belongs to their error.

legend: r report, t true answer, v kind of versions, M matrix of a lottery, x predictors, b coefficients,
        c combination of clear predictors (records.py)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.inference.invert.versions import VersionStack
from deniable.regression.outcome import Answers, Floats, OrderedAnswers
from deniable.regression.records import Records, clear_cells
from deniable.regression.replies import Ints, UsedReplies
from deniable.regression.variables import Explained


@dataclass(frozen=True)
class Lottery:
    """The replies to one kind of versions: its matrix, and who reported what."""

    matrix: Floats  # [r, t]
    rows: Ints  # [i] of the records
    report: Ints  # [i]
    points: Ints  # the c that occur
    table: Floats  # [point, r] replies
    place: Ints  # [i] of its c among the points


def lotteries_of(records: Records, outcome: Explained) -> list[Lottery]:
    """The replies to each kind of versions of the outcome."""
    found = []
    for matrix, rows, report in _kinds(records.used, outcome):
        points, place = np.unique(records.clear_index[rows], return_inverse=True)
        table = np.zeros((len(points), len(matrix)))
        np.add.at(table, (place, report), records.counts[rows])
        found.append(Lottery(matrix, rows, report, points, table, place))
    return found


def _kinds(used: UsedReplies, outcome: Explained) -> list[tuple[Floats, Ints, Ints]]:
    """Of each kind the matrix, the replies and their reports."""
    everybody = np.arange(len(used.counts))
    if outcome.variable.source == "clear":
        return [(np.eye(len(outcome.model.answers)), everybody, clear_cells(used, outcome))]
    (stack,), (reports,) = used.stacks, used.reports
    if not isinstance(stack, VersionStack):
        return [(stack.matrix, everybody, reports)]
    kinds = stack.kind_of_report[reports]
    rows = [np.flatnonzero(kinds == kind) for kind in range(len(stack.kinds))]
    return [
        (each.matrix, some, reports[some] - stack.starts[kind])
        for kind, (each, some) in enumerate(zip(stack.kinds, rows, strict=True))
        if len(some)
    ]


@dataclass(frozen=True)
class Likelihood:
    """The log-likelihood of replies, its slopes and its curvature."""

    model: Answers | OrderedAnswers
    x: Floats  # [c, term]
    lotteries: Sequence[Lottery]

    def worth(self, b: Floats) -> float:
        """The log-likelihood."""
        chances = self.model.chances(self.model.index(self.x, b))
        return float(sum((each.table * np.log(_kept(chances[each.points] @ each.matrix.T))).sum()
                         for each in self.lotteries))  # fmt: skip

    def look(self, b: Floats) -> tuple[Floats, Floats]:
        """The score, and Fisher's information."""
        e = self.model.index(self.x, b)
        score, weight = np.zeros(e.shape), np.zeros((*e.shape, e.shape[1]))
        chances, slopes = self._slopes(e)
        for each in self.lotteries:
            reported = _kept(chances[each.points] @ each.matrix.T)  # [point, r]
            slope = np.einsum("rt,ptq->prq", each.matrix, slopes[each.points])
            score[each.points] += np.einsum("pr,prq->pq", each.table / reported, slope)
            people = each.table.sum(axis=1, keepdims=True)
            weight[each.points] += np.einsum("pr,prq,prj->pqj", people / reported, slope, slope)
        return self.model.spread(self.x, score).sum(axis=0), self.model.squared(self.x, weight)

    def observed(self, b: Floats) -> Floats:
        """The observed information."""
        e = self.model.index(self.x, b)
        weight = np.zeros((*e.shape, e.shape[1]))
        chances, slopes = self._slopes(e)
        logs, second = self.model.slopes(e), self.model.curvatures(e)
        bends = chances[..., None, None] * (second + logs[..., None] * logs[:, :, None])  # of chances: [c, t, q, q]
        for each in self.lotteries:
            reported = _kept(chances[each.points] @ each.matrix.T)
            slope = np.einsum("rt,ptq->prq", each.matrix, slopes[each.points]) / reported[..., None]
            share = each.table / reported
            weight[each.points] += np.einsum("pr,prq,prj->pqj", each.table, slope, slope)
            weight[each.points] -= np.einsum("pr,rt,ptqj->pqj", share, each.matrix, bends[each.points], optimize=True)
        return self.model.squared(self.x, weight)

    def scores(self, b: Floats, clear_index: Ints) -> Floats:
        """What each reply adds to the score: [i, coefficient]."""
        e = self.model.index(self.x, b)
        chances, slopes = self._slopes(e)
        own = np.zeros((len(clear_index), e.shape[1]))
        for each in self.lotteries:
            reported = _kept(chances[each.points] @ each.matrix.T)
            slope = np.einsum("rt,ptq->prq", each.matrix, slopes[each.points]) / reported[..., None]
            own[each.rows] = slope[each.place, each.report]
        return self.model.spread(self.x[clear_index], own)

    def _slopes(self, e: Floats) -> tuple[Floats, Floats]:
        """Chances of the true answers, and their slopes [c, t, q]."""
        chances = self.model.chances(e)
        return chances, chances[..., None] * self.model.slopes(e)


def _kept(chances: Floats) -> Floats:
    return np.maximum(chances, 1e-300)
