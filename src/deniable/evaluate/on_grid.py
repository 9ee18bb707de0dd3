"""Accuracy of a classifier that asks at most three questions, numbers under noise among them.

All questions together are reconstructed on a grid, separately for each reported class. The edges of the grid are those
at which the prediction changes, so that no cell has two predictions, and as many more as a smooth picture needs. One
step corrects the reconstruction for the people whom smoothing puts on the wrong side of an edge. Where the target is
disguised too, the shares of reported classes are turned into those of true ones by its inverse.

The interval allows for three errors: the standard error of a correction with a weaker ridge, its distance from the
estimate, and what even the ridge hides, if the reconstruction is wrong there by 7 % (docs/decisions/0040).

legend: l predicted class, c true class, r reported class, b bins of a reply
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.evaluate.prediction_grid import Grid
from deniable.inference.em.em import Operator
from deniable.inference.em.grids import after_steps, counted
from deniable.inference.em.observed import ObservedQuestion
from deniable.inference.em.one_step import RidgeInverse
from deniable.inference.error import Z
from deniable.inference.estimates import Estimate, found_half_width, within_possible
from deniable.inference.invert.factored import question_inverse
from deniable.survey.question import Question

MAX_QUESTIONS = 3
MIN_BINS = 30  # of a number's reports
MAX_STEPS, MIN_STEPS, PER_STEP = 500, 50, 5  # more steps would fit the noise: one for every five replies
RIDGE, MAX_RIDGE = 500.0, 0.1  # of the estimate, divided by the number of replies
WEAKER = 0.1  # times the ridge, for the interval
HIDDEN = 0.07  # standard deviation of what the ridge hides
CAVEAT = "numbers under noise: reconstructed"
Floats = NDArray[np.float64]
Cells = NDArray[np.int64]


@dataclass(frozen=True)
class OnGrid:
    """Shares of predicted and reported classes, and what their errors need."""

    target: Question
    shares: Floats  # [l, r]
    further: Floats  # [l, r], by the weaker ridge
    weights: Floats  # [l, reply], by the weaker ridge
    classes: Cells  # the reported class of each reply
    hidden: Floats  # [r, l, l], the covariance of what the ridge hides
    inverse: Floats  # [c, r]

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        return self._estimate(np.eye(len(self.target)))

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        wanted = np.zeros((len(self.target), len(self.target)))
        wanted[predicted, true] = 1.0
        return self._estimate(wanted)

    def _estimate(self, wanted: Floats) -> Estimate:
        """The share of people whose prediction and true class are wanted, [l, c]."""
        terms = wanted @ self.inverse  # [l, r]
        value, further = (float((terms * shares).sum()) for shares in (self.shares, self.further))
        weights = (terms[:, self.classes] * self.weights).sum(axis=0)
        n = len(weights)
        hidden = float(np.einsum("lr,rlm,mr->", terms, self.hidden, terms))
        stderr = float(np.sqrt(np.var(weights) / n + (further - value) ** 2 + hidden))
        reach = Z * stderr
        low, high = within_possible(value, (value - reach, value + reach))
        return Estimate(value, stderr, low, high, n, "bayes", float(found_half_width(stderr, n)), caveat=CAVEAT)


def can_use_grid(design: Design, questions: Sequence[Question], target: Question) -> bool:
    """Whether there are few questions, each with a lottery of its own."""
    if not 1 <= len(questions) <= MAX_QUESTIONS:
        return False
    groups = [design.channel(each.name) for each in (*questions, target) if not design.is_clear(each.name)]
    return len({tuple(channel.names) for channel in groups}) == len(groups)


def shares_on_grid(design: Design, grid: Grid, target: Question, replies: Distinct) -> OnGrid:
    """Shares of predicted and reported classes; the replies answer the grid's questions and, last, the target."""
    replies = replies.one_by_one()
    *columns, reported = replies.columns.values()
    bins = [max(MIN_BINS, len(question)) for question in grid.questions]
    axes = [
        ObservedQuestion.of(design.channel(question.name), question, column, many)
        for question, column, many in zip(grid.questions, columns, bins, strict=True)
    ]
    classes, count = reported.astype(np.intp), len(design.reported(target))
    tables = counted(axes, classes, count)
    n = len(classes)
    found = after_steps(tables, axes, min(max(n // PER_STEP, MIN_STEPS), MAX_STEPS))
    sums = [(grid.predicted == label).astype(float) for label in range(len(target))]
    shares, further, weights = (np.zeros((len(target), size)) for size in (count, count, n))
    hidden = np.zeros((count, len(target), len(target)))
    for group in range(count):
        here = classes == group
        table = tables[..., group] / n
        step = _Step.of(axes, table, found[..., group] * table.sum(), min(RIDGE / n, MAX_RIDGE))
        at = tuple(axis.bins[here] for axis in axes)
        for label, each in enumerate(sums):
            shares[label, group], _ = step.corrected(each, 1.0)
            further[label, group], by_bin = step.corrected(each, WEAKER)
            weights[label, here] = by_bin[at]
        hidden[group] = step.hidden(sums)
    name = target.name
    inverse = question_inverse(design, name)
    return OnGrid(target, shares, further, weights, classes, hidden, inverse)


@dataclass(frozen=True)
class _Step:
    """The one step for the people of one reported class: their reconstruction, and where the replies differ from it."""

    true: Floats  # [cell of each question]
    missed: Floats  # [bin of each question]: shares of replies that the reconstruction does not explain
    inverse: RidgeInverse
    ridge: float

    @classmethod
    def of(cls, axes: Sequence[ObservedQuestion], table: Floats, true: Floats, ridge: float) -> "_Step":
        matrices = [axis.matrix for axis in axes]
        missed = table - Operator.of_matrices(matrices).forward(true[..., None])[..., 0]
        return cls(true, missed, RidgeInverse.of(matrices, true), ridge)

    def corrected(self, sums: Floats, times: float) -> tuple[float, Floats]:
        """A corrected sum, with so many times the ridge, and its weights."""
        weights = self.inverse.weights(sums, times * self.ridge)
        return float((sums * self.true).sum() + (weights * self.missed).sum()), weights

    def hidden(self, many: Sequence[Floats]) -> Floats:
        """The covariance of what the ridge hides of some sums."""
        found = np.stack([self.inverse.hidden(sums, self.ridge).ravel() for sums in many])
        return HIDDEN**2 * float(self.true.sum()) * np.asarray(found @ found.T)
