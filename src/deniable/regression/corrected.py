"""Corrected scores, where predictors are disguised too.

Each reply counts for every truth it may stand for, with its signed weight. The weighted sum of the scores is then
unbiased, at any coefficients, for the score of the true answers, which nobody has seen:

    sum over replies i and truths t of w(t | i) s(t; b) = 0

Newton's method on the corrected curvature finds the root.  Nakamura 1990; Stefanski 1989; with weights of a lottery's
inverse, so for any scheme.

legend: i reply, t truth, w signed weight, s score of one person, b coefficients
"""

from dataclasses import dataclass

import numpy as np

from deniable.regression.matrix import TermMatrix
from deniable.regression.outcome import Floats, Outcome
from deniable.regression.records import Records
from deniable.regression.solve import Seen


@dataclass(frozen=True)
class CorrectedScore:
    """The corrected score of replies, and its curvature."""

    model: Outcome
    x: TermMatrix
    records: Records

    def look(self, b: Floats) -> Seen:
        """The score, and minus its slope."""
        score, information = np.zeros(len(b)), np.zeros((len(b), len(b)))
        for rows, x, factor in self.x.blocks():
            own = self.model.scales(factor)
            first, second = self.model.derivatives(self.records.moments[rows], self.model.index(x, own * b))
            score += own * self.model.summed(x, first).real
            information -= np.outer(own, own) * self.model.squared(x, second).real
        return Seen(score, information)

    def observed(self, b: Floats) -> Floats:
        """The information: there is one only."""
        return self.look(b).information

    def true_square(self, b: Floats) -> Floats:
        """The sum over people of the true score times itself, where the outcome has answers."""
        found = np.zeros((len(b), len(b)))
        for rows, x, factor in self.x.blocks():
            own = self.model.scales(factor)
            slopes = self.model.slopes(self.model.index(x, own * b))  # [row, m, q]
            square = np.einsum("rm,rmq,rmj->rqj", self.records.moments[rows], slopes, slopes)
            found += np.outer(own, own) * self.model.squared(x, square).real
        return found

    def scores(self, b: Floats) -> Floats:
        """What each reply adds to the score: [i, coefficient]."""
        records = self.records
        found = np.zeros((len(records.report), len(b)))
        for rows in records.chunks:
            for truth in range(records.truths):
                x = self.x.rows(records.pairs(rows, truth))
                first, _ = self.model.derivatives(records.moments_of(rows, truth), self.model.index(x, b))
                found[rows] += self.model.spread(x, first).real
        return found
