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

from deniable.regression.outcome import Floats, Outcome, Values
from deniable.regression.records import Records


@dataclass(frozen=True)
class CorrectedScore:
    """The corrected score of replies, and its curvature."""

    model: Outcome
    x: Values  # [(c, t), term]
    records: Records

    def look(self, b: Floats) -> tuple[Floats, Floats]:
        """The score, and minus its slope."""
        e = self.model.index(self.x, b)
        moments = self.records.moments
        score = self.model.spread(self.x, np.einsum("rm,rmq->rq", moments, self.model.slopes(e)))
        return score.real.sum(axis=0), -self.model.squared(self.x, self.model.curvature(moments, e)).real

    def worth(self, b: Floats) -> float:
        """What the log-likelihood of the true answers is estimated to be."""
        return float((self.records.moments * self.model.logs(self.model.index(self.x, b))).real.sum())

    def scores(self, b: Floats) -> Floats:
        """What each reply adds to the score: [i, coefficient]."""
        slopes, records = self.model.slopes(self.model.index(self.x, b)), self.records
        found = np.zeros((len(records.report), len(b)))
        for rows in records.chunks:
            for truth in range(records.truths):
                pairs = records.pairs(rows, truth)
                own = np.einsum("rm,rmq->rq", records.moments_of(rows, truth), slopes[pairs])
                found[rows] += self.model.spread(self.x[pairs], own).real
        return found
