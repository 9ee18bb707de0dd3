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

from deniable.regression.matrix import TermMatrix
from deniable.regression.outcome import Answers, Floats, OrderedAnswers
from deniable.regression.records import Records, clear_cells
from deniable.regression.replies import Ints, UsedReplies, pieces
from deniable.regression.solve import Seen
from deniable.regression.variables import Explained


@dataclass(frozen=True)
class Lottery:
    """The replies to one kind of versions: its matrix, and who reported what."""

    matrix: Floats  # [r, t]
    rows: Ints  # [i] of the records
    report: Ints  # [i]
    points: Ints  # the c that occur
    table: Floats  # [point, r] replies


def lotteries_of(records: Records, outcome: Explained) -> list[Lottery]:
    """The replies to each kind of versions of the outcome."""
    found = []
    for matrix, rows, report in _kinds(records.used, outcome):
        own = records.clear_index[rows]
        there = np.bincount(own, minlength=records.points) > 0
        point = (np.cumsum(there) - 1)[own]
        size = (int(there.sum()), len(matrix))
        table = (
            np.bincount(point * size[1] + report, records.counts[rows], size[0] * size[1]).astype(float).reshape(size)
        )
        found.append(Lottery(matrix, rows, report, np.flatnonzero(there), table))
    return found


def _kinds(used: UsedReplies, outcome: Explained) -> list[tuple[Floats, Ints, Ints]]:
    """Of each kind the matrix, the replies and their reports."""
    if outcome.variable.source == "clear":
        return [(np.eye(len(outcome.model.answers)), np.arange(len(used.counts)), clear_cells(used, outcome))]
    (stack,), (reports,) = used.stacks, used.reports
    order = np.eye(len(outcome.model.answers)) if outcome.folds is None else outcome.folds
    return [(matrix @ order, rows, own) for matrix, rows, own in stack.by_kind(reports)]


@dataclass(frozen=True)
class Likelihood:
    """The log-likelihood of replies, its slopes and its curvature."""

    model: Answers | OrderedAnswers
    x: TermMatrix  # [c, term]: nothing else is disguised, so c is all there is
    records: Records
    lotteries: Sequence[Lottery]

    def look(self, b: Floats) -> Seen:
        """The score, Fisher's information and the log-likelihood."""
        score, information, worth = np.zeros(len(b)), np.zeros((len(b), len(b))), 0.0
        for each in self.lotteries:
            for rows in pieces(len(each.points)):
                x, table = self.x.rows(each.points[rows]), each.table[rows]
                chances, slopes = self._reported(each.matrix, self.model.index(x, b))
                score += self.model.summed(x, _over_reports(table / chances, slopes))
                weight = _squares(table.sum(axis=1, keepdims=True) / chances, slopes)
                information += self.model.squared(x, weight)
                worth += float((table * np.log(chances)).sum())
        return Seen(score, information, worth)

    def observed(self, b: Floats) -> Floats:
        """The observed information."""
        information = np.zeros((len(b), len(b)))
        for each in self.lotteries:
            for rows in pieces(len(each.points)):
                x, table = self.x.rows(each.points[rows]), each.table[rows]
                e = self.model.index(x, b)
                chances, slopes = self._reported(each.matrix, e)
                logs, second = self.model.slopes(e), self.model.curvatures(e)
                bends = self.model.chances(e)[..., None, None] * (second + logs[..., None] * logs[:, :, None])
                share = table / chances  # [c, r]
                weight = _squares(share / chances, slopes)
                weight -= np.einsum("ct,ctqj->cqj", share @ each.matrix, bends)
                information += self.model.squared(x, weight)
        return information

    @property
    def mixture(self) -> list[tuple[Floats, float]]:
        """The matrix of each lottery, and its share of the replies."""
        people = np.array([each.table.sum() for each in self.lotteries])
        return [(each.matrix, share) for each, share in zip(self.lotteries, people / people.sum(), strict=True)]

    def true_square(self, b: Floats, mixture: Sequence[tuple[Floats, float]]) -> Floats:
        """The sum over people of g g', g the mean score of a truth over its reports to this mixture of lotteries."""
        moments = self.records.moments  # [c, t] people of each truth
        found = np.zeros((len(b), len(b)))
        for rows in pieces(len(moments)):
            x = self.x.rows(np.arange(rows.start, min(rows.stop, len(moments))))
            mean = np.zeros((len(x), moments.shape[1], self.model.indices))  # [c, t, q]
            for matrix, share in mixture:
                chances, slopes = self._reported(matrix, self.model.index(x, b))
                mean += share * np.einsum("rt,crq->ctq", matrix, slopes / chances[..., None])
            found += self.model.squared(x, np.einsum("ct,ctq,ctj->cqj", moments[rows], mean, mean))
        return found

    def scores(self, b: Floats) -> Floats:
        """What each reply adds to the score: [i, coefficient]."""
        clear_index = self.records.clear_index
        found = np.zeros((len(clear_index), len(b)))
        for each in self.lotteries:
            for rows in pieces(len(each.rows)):
                own = each.rows[rows]
                x = self.x.rows(clear_index[own])
                chances, slopes = self._reported(each.matrix, self.model.index(x, b))
                reply, report = np.arange(len(own)), each.report[rows]
                found[own] = self.model.spread(x, slopes[reply, report] / chances[reply, report, None])
        return found

    def _reported(self, matrix: Floats, e: Floats) -> tuple[Floats, Floats]:
        """The chances of all reports of a lottery, [row, r], and their slopes, [row, r, q]."""
        true, slopes = self.model.chance_slopes(e)
        by_index = slopes.swapaxes(1, 2) @ matrix.T if slopes.shape[2] > 1 else slopes[:, :, 0] @ matrix.T
        reported = by_index.swapaxes(1, 2) if slopes.shape[2] > 1 else by_index[:, :, None]
        return np.maximum(true @ matrix.T, 1e-300), reported


def _over_reports(share: Floats, slopes: Floats) -> Floats:
    """The sum over reports of shares [row, r] times slopes [row, r, q]."""
    return np.asarray(np.einsum("cr,crq->cq", share, slopes))


def _squares(share: Floats, slopes: Floats) -> Floats:
    """The sum over reports of shares times products of slopes: [row, q, q]."""
    return np.asarray(np.einsum("cr,crq,crj->cqj", share, slopes, slopes))
