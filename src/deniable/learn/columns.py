"""Columns of a learner's data, each one as cells.

Without a design, numbers are ordered by their distinct values and everything else is nominal. With one, columns
are the questions of the design: replies when fitting, true answers when predicting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import is_answered, reported_cells
from deniable.errors import BadRequest, MissingValues, UnknownQuestion
from deniable.frame.columns import Column, Missing, reported_columns, true_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.mark import MARK
from deniable.frame.one_hot import refuse_one_hot
from deniable.survey.coding import LEFT_OUT, UNKNOWN
from deniable.survey.question import Question
from deniable.survey.truths import refuse_beside

Cells = NDArray[np.int64]


class Columns(Protocol):
    """The columns of a learner: what they are called, how many cells they have, and in what order."""

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        ...

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions that they answer."""
        ...

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells each has."""
        ...

    @property
    def ordered(self) -> tuple[bool, ...]:
        """Whether the cells of each have an order."""
        ...

    def true_cells(self, data: Any) -> Cells:
        """True answers as cells, one row per column: UNKNOWN where a value was never seen, LEFT_OUT where skipped."""
        ...


@dataclass(frozen=True)
class PlainColumns:
    """Undisguised columns: numbers with the middles between their values, others with their values."""

    names: tuple[str, ...]
    marks: tuple[NDArray[Any], ...]
    ordered: tuple[bool, ...]

    @classmethod
    def of(cls, data: NDArray[Any], names: Sequence[str], most: int | None = None) -> "PlainColumns":
        """Learn the columns from undisguised data; numbers of more than `most` values are cut at their quantiles."""
        marks, ordered = [], []
        for column in data.T:
            values, number = _distinct(column)
            if number and most is not None and len(values) > most:
                cuts = np.unique(np.quantile(column.astype(float), np.arange(1, most) / most))
                marks.append(cuts[cuts < values[-1]])
            else:
                marks.append((values[1:] + values[:-1]) / 2 if number else values)
            ordered.append(number)
        return cls(tuple(names), tuple(marks), tuple(ordered))

    @property
    def questions(self) -> tuple[Question, ...]:
        """The columns as questions whose answers are the numbers of their cells."""
        return tuple(question_of_cells(name, size) for name, size in zip(self.names, self.sizes, strict=True))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each column."""
        return tuple(len(marks) + number for marks, number in zip(self.marks, self.ordered, strict=True))

    def true_cells(self, data: NDArray[Any]) -> Cells:
        """Numbers fall between the middles; an unknown word has no cell."""
        cells = []
        for column, marks, number in zip(data.T, self.marks, self.ordered, strict=True):
            if number:
                cells.append(np.searchsorted(marks, column.astype(float), side="left"))
            else:
                index = np.minimum(np.searchsorted(marks, column.astype(str)), len(marks) - 1)
                cells.append(np.where(marks[index] == column.astype(str), index, UNKNOWN))
        return np.array(cells, dtype=np.int64)


def question_of_cells(name: str, size: int) -> Question:
    """A question that is answered by the number of a cell."""
    return Question(name, [str(cell) for cell in range(max(2, size))])


def _distinct(column: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """The column's values, and whether they are numbers."""
    for value in column if column.dtype == object else ():
        if not isinstance(value, str | int | float | np.generic):
            raise TypeError(f"argument must be a string or a number, got {type(value).__name__}; convert the column")
    try:
        return np.unique(column.astype(float)), True
    except (ValueError, TypeError):
        return np.unique(column.astype(str)), False


@dataclass(frozen=True)
class QuestionColumns:
    """Questions whose true answers a model takes."""

    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        for question in self.questions:
            refuse_beside(question)

    @property
    def names(self) -> tuple[str, ...]:
        """The questions' names."""
        return tuple(question.name for question in self.questions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of true cells of each question."""
        return tuple(len(question) for question in self.questions)

    @property
    def ordered(self) -> tuple[bool, ...]:
        """Whether cells are intervals or answers with an order."""
        return tuple(question.ordered and not question.optional for question in self.questions)

    def true_cells(self, data: Any) -> Cells:
        """True answers as cells, one row per question."""
        columns = true_columns(self.questions, *column_source(data, self.names))
        cells = np.array([reported_cells(each, columns[each.name]) for each in self.questions], dtype=np.int64)
        for index, question in enumerate(self.questions):
            if question.omit:
                cells[index][~is_answered(columns[question.name])] = LEFT_OUT
        return cells


def reported_replies(
    design: Design, questions: Sequence[Question], data: Any, missing: Missing = "refuse"
) -> list[Column]:
    """Replies to some questions as reported cells, or numbers, question by question."""
    asked = [design.reported(question) for question in questions]
    found = reported_columns(asked, *column_source(data, [question.name for question in questions]), missing=missing)
    return [found[each.name] for each in asked]


def cells_of_replies(questions: Sequence[Question], reported: Sequence[Column]) -> list[Column]:
    """Replies to some (reported) questions as reported cells; numbers that were left out are refused."""
    absent = {
        each.name: int((~is_answered(column)).sum())
        for each, column in zip(questions, reported, strict=True)
        if each.omit
    }
    if any(absent.values()):
        raise MissingValues({name: count for name, count in absent.items() if count})
    return [reported_cells(each, column) for each, column in zip(questions, reported, strict=True)]


def column_source(data: Any, names: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """A way to get columns as Arrow arrays, and their names; arrays have the names of the questions in order."""
    if isinstance(data, np.ndarray | list):
        array = np.asarray(data)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise BadRequest(
                "X", f"an array of {len(names)} columns ({', '.join(names)})", array.shape, "name the columns"
            )
        return (lambda name: _arrow(array[:, list(names).index(name)])), list(names)
    frame = eager(data, "X")
    return (lambda name: arrow(frame[name])), frame.columns


def _arrow(column: NDArray[Any]) -> pa.Array:
    """Numbers and truth values as they are, everything else as Python has it."""
    return pa.array(column if column.dtype.kind in "biu" else column.tolist(), from_pandas=True)


def features_of(design: Design, data: Any, target: str) -> QuestionColumns:
    """The questions that a frame of replies has, in its order; for an array, all but the target."""
    if isinstance(data, np.ndarray | list):
        names = [name for name in design.names if name != target]
    else:
        others = {target, MARK, *(block.column for block in design.versioned)}
        names = [name for name in nw.from_native(data, eager_only=True).columns if name not in others]
    unknown = [name for name in names if name not in design.names]
    if unknown:
        refuse_one_hot(design.names, names)
        raise UnknownQuestion(unknown[0], design.names)
    return QuestionColumns(tuple(design.question(name) for name in names))
