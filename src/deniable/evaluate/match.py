"""Matching of answers between a model and the design that it is tested under.

A model may have been learnt elsewhere, from answers in another order or from undisguised columns. What counts are
questions and answers, so a test's answers are found in the model by their words, and its predictions in the target.
"""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.errors import BadRequest
from deniable.frame.columns import Column
from deniable.learn.base import Learner
from deniable.learn.columns import Columns, PlainColumns, QuestionColumns
from deniable.survey.coding import UNKNOWN, cells_of, values_of
from deniable.survey.question import Question

Cells = NDArray[np.int64]


def model_cells(columns: Columns, asked: QuestionColumns) -> list[Cells]:
    """For each question of a test, the model's cell of each answer; UNKNOWN where the model has never met it."""
    if isinstance(columns, QuestionColumns):
        return [_in_question(known, each) for known, each in zip(columns.questions, asked.questions, strict=True)]
    assert isinstance(columns, PlainColumns)
    data = np.full((max(map(len, asked.questions), default=0), len(asked.questions)), None, dtype=object)
    for index, question in enumerate(asked.questions):
        words = _plain_values(question, columns.ordered[index])
        data[:, index] = np.resize(np.array(words, dtype=object), len(data))
    found = columns.true_cells(data)
    return [found[index, : len(question)] for index, question in enumerate(asked.questions)]


def class_cells(target: Question, predicted: Iterable[object]) -> Cells:
    """The target's cells that predictions mean."""
    words = list(predicted)
    cells = cells_of(target, words)
    if (cells == UNKNOWN).any():
        strange = words[int(np.argmax(cells == UNKNOWN))]
        raise BadRequest(
            f"a prediction of {target.name}", f"one of {', '.join(target.answers)}", strange, "test another model"
        )
    return cells


def answers_table(asked: QuestionColumns, reported: Sequence[Column], numbers: bool) -> Any:
    """Records of answers as a frame to predict from; as numbers where answers are, if the model likes them.

    They are given by their cells; numbers in the clear may be given themselves.
    """
    columns = {}
    for question, column in zip(asked.questions, reported, strict=True):
        values = _plain_values(question, numbers and values_of(question, int) is not None)
        columns[question.name] = pa.array(column if column.dtype.kind == "f" else np.asarray(values)[column])
    return pa.table(columns)


def as_learnt(model: Any, table: pa.Table) -> Any:
    """A table as a model takes it: ours as it is, others as a pandas frame, or as an array if they learnt from one."""
    if isinstance(model, Learner):
        return table
    if hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_"):
        columns = [column.to_numpy() for column in table.columns]
        return np.column_stack([column.astype(np.result_type(*columns)) for column in columns])
    return table.to_pandas() if find_spec("pandas") else table


def _in_question(known: Question, asked: Question) -> Cells:
    """The model's cell of each answer of the test's question."""
    if known.range is not None and asked.range is not None:
        if asked.range.cut(known.range.edges[1:-1]) == asked.range:
            return known.range.cells(asked.range.middles)
    elif known.range is None and asked.range is None and set(known.answers) == set(asked.answers):
        return cells_of(known, asked.answers)
    raise BadRequest(
        f"question {asked.name!r} of the test", f"with the model's answers ({', '.join(known.answers[:5])})",
        ", ".join(asked.answers[:5]), "test with a design that asks the same",
    )  # fmt: skip


def _plain_values(question: Question, numbers: bool) -> list[Any]:
    """The answers as undisguised data would have them."""
    if question.range is not None:
        middles = question.range.middles
        return list(np.floor(middles) if question.range.integer else middles)
    if not numbers:
        return list(question.answers)
    values = values_of(question, int) or values_of(question, float) or values_of(question, bool)
    if values is None:
        raise BadRequest(
            f"question {question.name!r}", "numbers as answers, like those the model was learnt from",
            ", ".join(question.answers[:5]), "learn the model from words",
        )  # fmt: skip
    return values
