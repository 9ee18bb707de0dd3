"""Accuracy of a classifier that asks for numbers under noise.

Such numbers have no stable inverse, so no reply has a weight for being classified correctly. Instead a tree's leaves
are regions, and iterative Bayes estimates the people of each class in each; any other classifier is asked about every
combination of answers, and iterative Bayes estimates the people of each. It starts from independence, which strong
noise does not fully correct: trees of many leaves seem up to .18 worse than they are, bad ones sometimes better
(docs/decisions/0018).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import TooManyCombinations
from deniable.evaluate.match import answers_table, as_learnt, class_cells, model_cells
from deniable.evaluate.on_grid import Grid, OnGrid, can_use_grid, refined, shares_on_grid
from deniable.inference.em.likeliest import resampled, smooth
from deniable.inference.em.observed import Region
from deniable.inference.em.regions import region_mixture
from deniable.inference.error import CONFIDENCE
from deniable.inference.estimates import Estimate, effective_count
from deniable.inference.invert.stacks import stacks_of
from deniable.learn.columns import QuestionColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.tree.grow import leaf_shares
from deniable.learn.tree.leaves import leaves_of, questions_of
from deniable.survey.cutting import cut_at
from deniable.survey.question import Question

BOOTSTRAPS = 20
MAX_COMBINATIONS = 2**16
MAX_REPORTED = 2**17  # combinations of reports
TOLERANCE, MAX_STEPS = 3e-5, 300  # a sum over many cells needs more steps than a picture of them
CAVEAT = "numbers under noise: reconstructed, so it may be off by more than the interval"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reconstructed:
    """The share of people with each true class and prediction, [predicted, true, table], from so many replies.

    The first table is the estimate, the others are as other respondents might have given them (bootstrap).
    """

    target: Question
    tables: Floats
    n: int

    def accuracy(self) -> Estimate:
        """The share of people whom the model classifies rightly."""
        return _estimate(np.einsum("iit->t", self.tables), self.n)

    def share(self, predicted: int, true: int) -> Estimate:
        """The share of people of a class who get a prediction."""
        return _estimate(self.tables[predicted, true], self.n)


def asks_under_noise(model: Any, design: Design, columns: QuestionColumns) -> bool:
    """Whether a classifier asks for a number that this design disguises with noise."""
    asked = questions_of(model.tree_) if isinstance(model, TreeClassifier) else range(len(columns.questions))
    return any(design.has_noise(columns.names[index]) for index in asked)


def shares_under_noise(
    model: Any, design: Design, columns: QuestionColumns, target: Question, replies: Distinct
) -> Reconstructed | OnGrid:
    """The share of people with each true class and prediction."""
    if isinstance(model, TreeClassifier) and isinstance(model.columns_, QuestionColumns):
        grid = _grid_of_tree(model, design, target)
        return (
            shares_on_grid(design, grid, target, replies) if grid else shares_by_boxes(model, design, target, replies)
        )
    return shares_by_table(model, design, columns, target, replies)


def _grid_of_tree(model: TreeClassifier, design: Design, target: Question) -> Grid | None:
    """A tree of few questions on the grid of its own thresholds; none if there are too many."""
    indices = sorted(questions_of(model.tree_))
    asked = [model.columns_.questions[index] for index in indices]
    if not can_use_grid(design, asked, target):
        return None
    leaves = leaves_of(model.tree_, merged=True)
    used = [
        _thresholds(question, [leaf.region.get(index) for leaf in leaves])
        for index, question in zip(indices, asked, strict=True)
    ]
    questions = refined(design, [design.question(each.name) for each in asked], used)
    shape = tuple(map(len, questions))
    if prod(shape) * len(target) > MAX_COMBINATIONS:
        return None
    cells = np.zeros((len(model.columns_.questions), prod(shape)), dtype=np.int64)
    for index, known, question, column in zip(
        indices, asked, questions, np.unravel_index(np.arange(prod(shape)), shape), strict=True
    ):
        cells[index] = _known_cells(known, question)[column]
    labels = class_cells(target, model.classes_.tolist())
    return Grid(tuple(questions), labels[np.argmax(leaf_shares(model.tree_, cells), axis=1)].reshape(shape))


def _thresholds(question: Question, parts: Sequence[Sequence[int] | None]) -> list[float]:
    """The edges of a number's cells between which a tree tells them apart."""
    if question.range is None:
        return []
    edges: set[int] = set()
    for part in parts:
        inside = np.zeros(len(question) + 2, dtype=bool)
        inside[np.asarray([] if part is None else part, dtype=np.intp) + 1] = True
        edges |= set(np.flatnonzero(np.diff(inside)).tolist())
    return [question.range.edges[edge] for edge in sorted(edges) if 0 < edge < len(question)]


def _known_cells(known: Question, question: Question) -> NDArray[np.int64]:
    """The model's cell of each cell of a grid's question."""
    if known.range is not None and question.range is not None:
        return known.range.cells(question.range.middles)
    return model_cells(QuestionColumns((known,)), QuestionColumns((question,)))[0]


def shares_by_boxes(model: TreeClassifier, design: Design, target: Question, replies: Distinct) -> Reconstructed:
    """The same for a tree, whose leaves are regions."""
    assert isinstance(model.columns_, QuestionColumns)
    asked = [model.columns_.questions[index] for index in sorted(questions_of(model.tree_))]
    questions = [_as_tested(design, question) for question in asked]
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
    return Reconstructed(target, found, n)


def shares_by_table(
    model: Any, design: Design, asked: QuestionColumns, target: Question, replies: Distinct
) -> Reconstructed:
    """The same for any classifier of few questions."""
    own = getattr(model, "columns_", None)
    known = own.questions if isinstance(own, QuestionColumns) else asked.questions
    questions = [_as_tested(design, question) for question in known]
    shape = tuple(len(question) for question in questions)
    columns = [design.reported(question) for question in (*questions, target)]
    for size, most in ((prod(shape) * len(target), MAX_COMBINATIONS), (prod(map(len, columns)), MAX_REPORTED)):
        if size > most:
            raise TooManyCombinations(size, most)
    reported = replies.table(columns)
    parts = stacks_of(design, [*questions, target])
    people = smooth(reported[..., None], parts, TOLERANCE, MAX_STEPS)
    again = resampled(reported, BOOTSTRAPS, np.random.default_rng(0))
    again = smooth(again, parts, TOLERANCE, MAX_STEPS, start=np.repeat(people, BOOTSTRAPS, axis=-1))
    people = np.concatenate([people, again], axis=-1).reshape(prod(shape), len(target), -1)
    cells = np.unravel_index(np.arange(prod(shape)), shape)
    combinations = as_learnt(model, answers_table(QuestionColumns(tuple(questions)), cells, numbers=False))
    predicted = class_cells(target, np.asarray(model.predict(combinations)).tolist())
    found = np.zeros((len(target), len(target), 1 + BOOTSTRAPS))
    np.add.at(found, predicted, people)
    return Reconstructed(target, found, round(float(reported.sum())))


def _estimate(tables: Floats, n: int) -> Estimate:
    """A share and its bootstraps as an estimate."""
    value, stderr = float(tables[0]), float(np.std(tables[1:], ddof=1))
    reach = float(stdtrit(BOOTSTRAPS - 1, (1 + CONFIDENCE) / 2)) * stderr
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return Estimate(value, stderr, low, high, n, "bayes", effective_count(value, stderr), caveat=CAVEAT)


def _as_tested(design: Design, asked: Question) -> Question:
    """A model's question as the test asks it: numbers keep the model's cells, since replies hold the number."""
    question = design.question(asked.name)
    if not question.is_number or asked.range is None:
        return question
    return cut_at(question, asked.range.edges)


def _box(box: Region, indices: dict[int, int], known: Sequence[NDArray[np.int64]]) -> Region:
    """A leaf's region in the cells of the test's questions."""
    return {
        indices[index]: np.flatnonzero(np.isin(known[indices[index]], list(cells))).tolist()
        for index, cells in box.items()
    }
