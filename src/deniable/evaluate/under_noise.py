"""Accuracy of a classifier that asks for numbers under noise.

Such numbers have no stable inverse, so no reply has a weight for being classified correctly. A classifier of at most
three questions is tested on a grid of all of them (on_grid). Of a larger tree the leaves are regions, and iterative
Bayes estimates the people of each class in each; any other classifier is asked about every combination of answers.
That starts from independence, which strong noise does not fully correct: large trees seem worse or better than they
are, by about as much as the noise is strong. So their intervals are widened by an error that was found on trees with
known accuracy (docs/decisions/0040):

    .08 times the square root of  noise over the width of the truth  (by standard deviations, a mean over the numbers)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import TooManyCombinations
from deniable.evaluate.match import class_cells, model_cells
from deniable.evaluate.on_grid import OnGrid, can_use_grid, shares_on_grid
from deniable.evaluate.prediction_grid import Cells, as_tested, grid_of_predictions, grid_of_tree, predictions
from deniable.inference.em.likeliest import resampled, smooth
from deniable.inference.em.observed import Region
from deniable.inference.em.regions import region_mixture
from deniable.inference.error import Z, moments
from deniable.inference.estimates import Estimate, found_half_width
from deniable.inference.invert.stacks import stacks_of
from deniable.learn.columns import QuestionColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.tree.leaves import leaves_of, questions_of
from deniable.survey.question import Question

BOOTSTRAPS = 20
MAX_COMBINATIONS = 2**16
MAX_REPORTED = 2**17  # combinations of reports
TOLERANCE, MAX_STEPS = 3e-5, 300  # a sum over many cells needs more steps than a picture of them
WIDENED = 0.08
EVEN_WIDTH = 12**0.5  # standard deviations in the width of an even distribution
CAVEAT = "numbers under noise: reconstructed region by region, interval widened for what that misses"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reconstructed:
    """The share of people with each true class and prediction, [predicted, true, table], from so many replies.

    The first table is the estimate, the others are as other respondents might have given them (bootstrap).
    """

    target: Question
    tables: Floats
    n: int
    missed: float  # standard deviation of what the reconstruction misses

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        return self._estimate(np.einsum("iit->t", self.tables))

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        return self._estimate(self.tables[predicted, true])

    def _estimate(self, tables: Floats) -> Estimate:
        """A share and its bootstraps as an estimate."""
        value, stderr = float(tables[0]), float(np.hypot(np.std(tables[1:], ddof=1), self.missed))
        reach = Z * stderr
        low, high = max(0.0, value - reach), min(1.0, value + reach)
        half_width = float(found_half_width(stderr, self.n))
        return Estimate(value, stderr, low, high, self.n, "bayes", half_width, caveat=CAVEAT)


def asks_under_noise(model: Any, design: Design, columns: QuestionColumns) -> bool:
    """Whether a classifier asks for a number that this design disguises with noise."""
    asked = questions_of(model.tree_) if isinstance(model, TreeClassifier) else range(len(columns.questions))
    return any(design.has_noise(columns.names[index]) for index in asked)


def shares_under_noise(
    model: Any, design: Design, columns: QuestionColumns, target: Question, replies: Distinct
) -> Reconstructed | OnGrid:
    """The share of people with each true class and prediction."""
    if isinstance(model, TreeClassifier) and isinstance(model.columns_, QuestionColumns):
        asked = [model.columns_.questions[index] for index in questions_of(model.tree_)]
        grid = grid_of_tree(model, design, target) if can_use_grid(design, asked, target) else None
        return (
            shares_on_grid(design, grid, target, replies) if grid else shares_by_boxes(model, design, target, replies)
        )
    own = getattr(model, "columns_", None)
    known = own.questions if isinstance(own, QuestionColumns) else columns.questions
    questions = [as_tested(design, question) for question in known]
    combinations = prod(map(len, questions)) * len(target)
    if combinations > MAX_COMBINATIONS:
        raise TooManyCombinations(combinations, MAX_COMBINATIONS)
    predicted = predictions(model, questions, target)
    grid = grid_of_predictions(design, questions, predicted) if can_use_grid(design, questions, target) else None
    if grid:
        return shares_on_grid(design, grid, target, replies)
    return shares_by_table(predicted, design, questions, target, replies)


def shares_by_boxes(model: TreeClassifier, design: Design, target: Question, replies: Distinct) -> Reconstructed:
    """The same for a tree, whose leaves are regions."""
    assert isinstance(model.columns_, QuestionColumns)
    asked = [model.columns_.questions[index] for index in sorted(questions_of(model.tree_))]
    questions = [as_tested(design, question) for question in asked]
    reported = list(replies.one_by_one().columns.values())
    known = model_cells(QuestionColumns(tuple(asked)), QuestionColumns(tuple(questions)))
    indices = {index: new for new, index in enumerate(sorted(questions_of(model.tree_)))}
    leaves = leaves_of(model.tree_, merged=True)
    boxes = [_box(leaf.region, indices, known) for leaf in leaves]
    predicted = class_cells(target, model.classes_.tolist())[[leaf.node.label for leaf in leaves]]
    held = region_mixture(design, [*questions, target], reported, boxes)
    people = held.people()
    rng = np.random.default_rng(0)
    n = len(held.chances)
    again = [held.people(rng.multinomial(n, np.full(n, 1 / n)).astype(float), people) for _ in range(BOOTSTRAPS)]
    found = np.zeros((len(target), len(target), 1 + BOOTSTRAPS))
    for table, each in enumerate([people, *again]):
        np.add.at(found[:, :, table], predicted, each)
    return Reconstructed(target, found, n, _missed(design, questions, replies))


def shares_by_table(
    predicted: Cells, design: Design, questions: Sequence[Question], target: Question, replies: Distinct
) -> Reconstructed:
    """The same for any classifier, by its predictions for all combinations of answers."""
    columns = [design.reported(question) for question in (*questions, target)]
    if (size := prod(map(len, columns))) > MAX_REPORTED:
        raise TooManyCombinations(size, MAX_REPORTED)
    reported = replies.table(columns)
    stacks = stacks_of(design, [*questions, target])
    people = smooth(reported[..., None], stacks, TOLERANCE, MAX_STEPS)
    again = resampled(reported, BOOTSTRAPS, np.random.default_rng(0))
    again = smooth(again, stacks, TOLERANCE, MAX_STEPS, start=np.repeat(people, BOOTSTRAPS, axis=-1))
    people = np.concatenate([people, again], axis=-1).reshape(predicted.size, len(target), -1)
    found = np.zeros((len(target), len(target), 1 + BOOTSTRAPS))
    np.add.at(found, predicted.ravel(), people)
    return Reconstructed(target, found, round(float(reported.sum())), _missed(design, questions, replies))


def _missed(design: Design, questions: Sequence[Question], replies: Distinct) -> float:
    """The standard deviation of what a reconstruction of many questions misses."""
    found = []
    for question in questions:
        noise, limits = design.channel(question.name).noise, question.range
        if noise is not None and limits is not None:
            spread = moments(replies.counts, replies.columns[question.name]).variance
            own = (noise.sd * limits.step) ** 2
            found.append(min(np.sqrt(own / max(spread - own, own / 100)) / EVEN_WIDTH, 1.0))
    return WIDENED * float(np.sqrt(np.mean(found)))


def _box(box: Region, indices: dict[int, int], known: Sequence[NDArray[np.int64]]) -> Region:
    """A leaf's region in the cells of the test's questions."""
    return {
        indices[index]: np.flatnonzero(np.isin(known[indices[index]], list(cells))).tolist()
        for index, cells in box.items()
    }
