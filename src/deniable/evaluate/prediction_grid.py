"""Grid on which the predictions of a classifier are constant.

Numbers under noise are cut where the prediction changes, so that no cell has two predictions, and between: a
reconstruction in cells that are much wider than the noise would be rough.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.evaluate.match import answers_table, as_learnt, class_cells, model_cells
from deniable.learn.columns import QuestionColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.majority import majorities
from deniable.learn.tree.grow import leaf_shares
from deniable.learn.tree.leaves import leaves_of, questions_of
from deniable.survey.cutting import cut_at
from deniable.survey.question import Question
from deniable.survey.range import edges_of

MIN_PER_NUMBER, MAX_PER_NUMBER, MAX_WHOLE = 20, 60, 24  # cells of a number under noise; whole numbers of a cell each
MAX_CELLS = 2**15  # of a grid
Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """Questions in the cells of a grid, and the prediction in each of its cells: a cell of the target."""

    questions: tuple[Question, ...]
    predicted: Cells


def grid_of_tree(model: TreeClassifier, design: Design, target: Question) -> Grid | None:
    """A tree on the grid of its own thresholds; none if that is too large."""
    indices = sorted(questions_of(model.tree_))
    asked = [model.columns_.questions[index] for index in indices]
    regions = [leaf.region for leaf in leaves_of(model.tree_, merged=True)]
    used = [
        _thresholds(question, [_inside(question, region.get(index, range(len(question)))) for region in regions])
        for index, question in zip(indices, asked, strict=True)
    ]
    questions = refined(design, [design.question(each.name) for each in asked], used)
    shape = tuple(map(len, questions))
    if prod(shape) > MAX_CELLS:
        return None
    cells = np.zeros((len(model.columns_.questions), prod(shape)), dtype=np.int64)
    columns = np.unravel_index(np.arange(prod(shape)), shape)
    for index, known, question, column in zip(indices, asked, questions, columns, strict=True):
        cells[index] = _known_cells(known, question)[column]
    labels = class_cells(target, model.classes_.tolist())
    return Grid(tuple(questions), labels[majorities(leaf_shares(model.tree_, cells))].reshape(shape))


def grid_of_predictions(design: Design, questions: Sequence[Question], predicted: Cells) -> Grid | None:
    """Any classifier, whose predictions for all combinations of cells are known; none if the grid is too large."""
    used = [
        _thresholds(question, np.moveaxis(predicted, axis, 0).reshape(len(question), -1).T)
        for axis, question in enumerate(questions)
    ]
    fine = refined(design, questions, used)
    if prod(map(len, fine)) > MAX_CELLS:
        return None
    known = [_known_cells(*each) for each in zip(questions, fine, strict=True)]
    return Grid(tuple(fine), predicted[np.ix_(*known)])


def predictions(model: Any, questions: Sequence[Question], target: Question) -> Cells:
    """The target's cells that a model predicts for all combinations of the questions' cells."""
    shape = tuple(map(len, questions))
    cells = np.unravel_index(np.arange(prod(shape)), shape)
    combinations = as_learnt(model, answers_table(QuestionColumns(tuple(questions)), cells, numbers=False))
    return class_cells(target, np.asarray(model.predict(combinations)).tolist()).reshape(shape)


def as_tested(design: Design, asked: Question) -> Question:
    """A model's question as the test asks it: numbers keep the model's cells, since replies hold the number."""
    question = design.question(asked.name)
    if not question.is_number or asked.range is None:
        return question
    return cut_at(question, asked.range.edges)


def refined(design: Design, questions: Sequence[Question], thresholds: Sequence[Iterable[float]]) -> list[Question]:
    """Questions in the cells of a grid: numbers under noise at these thresholds and, as finely as possible, between.

    Cells need not be much finer than the noise, but never coarser if that can be helped.
    """
    for cells in range(MAX_PER_NUMBER, MIN_PER_NUMBER - 1, -1):
        found = [_refined(design, *each, cells) for each in zip(questions, thresholds, strict=True)]
        if prod(map(len, found)) <= MAX_CELLS:
            break
    return found


def _refined(design: Design, question: Question, thresholds: Iterable[float], cells: int) -> Question:
    noise, limits = design.channel(question.name).noise, question.range
    if limits is None or noise is None:
        return cut_at(question, thresholds)
    needed = int(np.ceil((limits.high - limits.low) / (noise.sd * limits.step)))
    cells = min(cells, max(MIN_PER_NUMBER, needed))
    if limits.integer:
        whole = int(limits.high - limits.low) + 1
        cells = whole if whole <= MAX_WHOLE else min(cells, whole)
    even = edges_of(question.name, limits.low, limits.high, cells, limits.integer)
    known, width = np.array([*thresholds]), (even[-1] - even[0]) / cells
    apart = [edge for edge in even[1:-1] if not len(known) or np.abs(known - edge).min() > width / 2]
    return cut_at(question, [*known.tolist(), *apart])


def _inside(question: Question, part: Sequence[int]) -> NDArray[np.bool_]:
    return np.isin(np.arange(len(question)), part)


def _thresholds(question: Question, kept_apart: Sequence[NDArray[Any]] | NDArray[Any]) -> list[float]:
    """The edges of a number's cells at which anything changes that is said of each cell."""
    if question.range is None:
        return []
    changes = np.logical_or.reduce([each[1:] != each[:-1] for each in kept_apart])
    return [question.range.edges[edge + 1] for edge in np.flatnonzero(changes)]


def _known_cells(known: Question, question: Question) -> Cells:
    """The model's cell of each cell of a grid's question."""
    if known.range is not None and question.range is not None:
        return known.range.cells(question.range.middles)
    return model_cells(QuestionColumns((known,)), QuestionColumns((question,)))[0]
