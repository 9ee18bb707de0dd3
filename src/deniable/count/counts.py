"""How often each combination of reported answers occurs.

Counts is all that estimation ever sees of the replies. Backends (arrays, packed keys, any data frame,
a database) differ only here: each finds the *distinct* replies to some questions and how often each
occurs; tables follow from that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deniable.errors import MissingColumns, TooManyCells
from deniable.frame.columns import Column
from deniable.frame.one_hot import refuse_one_hot
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

MOST_CELLS = 2**22
CHUNK = 2**18  # rows that are tallied at once: they stay in the processor's cache


@dataclass(frozen=True)
class Distinct:
    """Distinct replies, column by column (cells or numbers), and how many respondents gave each."""

    columns: Mapping[str, Column]
    times: NDArray[np.float64]

    def answered(self, wanted: bool = True) -> "Distinct":
        """Those that leave no question out; all of them if that is not wanted."""
        if not wanted:
            return self
        whole = np.logical_and.reduce([is_answered(column) for column in self.columns.values()])
        return self if whole.all() else self.only(whole)

    def only(self, rows: NDArray[np.bool_]) -> "Distinct":
        """Some of them."""
        return Distinct({name: column[rows] for name, column in self.columns.items()}, self.times[rows])

    def sample(self, share: float) -> "Distinct":
        """About so large a share of the respondents, drawn at random once and for all."""
        drawn = np.random.default_rng(0).binomial(self.times.astype(np.int64), min(share, 1.0)).astype(float)
        return Distinct(self.columns, drawn).only(drawn > 0)


@runtime_checkable
class Counts(Protocol):
    """Anything that can tell how often replies occur."""

    @property
    def n(self) -> int:
        """How many replies there are."""
        ...

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies to these questions, of those who `answered` all of them, or of everybody."""
        ...

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """The table of these (reported) questions' cells."""
        ...


@dataclass(frozen=True)
class ArrayCounts:
    """Counts over replies held in memory, one array of cells or numbers per question."""

    columns: Mapping[str, Column]
    others: Sequence[str] = ()  # columns of their frame that are no questions

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values())))

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """All replies as they are: each may be taken to be distinct."""
        check_names(names, self.columns, self.others)
        return Distinct({name: self.columns[name] for name in names}, np.ones(self.n)).answered(answered)

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)


@dataclass(frozen=True)
class DistinctCounts:
    """Counts over distinct replies that were read once: while others stream in, all figures are about the same ones."""

    replies: Distinct

    @property
    def n(self) -> int:
        return round(float(self.replies.times.sum()))

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The replies to some of their questions."""
        check_names(names, self.replies.columns)
        columns = {name: self.replies.columns[name] for name in names}
        return Distinct(columns, self.replies.times).answered(answered)

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)


def check_names(names: Sequence[str], known: Iterable[str], others: Sequence[str] = ()) -> None:
    """Refuse questions to which there are no replies; `others` are columns that answer none."""
    known = list(known)
    if lacking := [name for name in names if name not in known]:
        refuse_one_hot(lacking, [*known, *others])
        raise MissingColumns(lacking, [*known, *others])


def tally(replies: Distinct, questions: Sequence[Question]) -> NDArray[np.float64]:
    """The table of replies by the cells of these questions."""
    shape = table_shape(questions)
    table = np.zeros(prod(shape))
    for start in range(0, len(replies.times), CHUNK):
        rows = slice(start, start + CHUNK)
        key = np.zeros(len(replies.times[rows]), dtype=np.int64)
        for question in questions:
            key *= len(question)
            key += reported_cells(question, replies.columns[question.name][rows])
        table += np.bincount(key, replies.times[rows], minlength=len(table))
    return table.reshape(shape)


def table_shape(questions: Sequence[Question]) -> tuple[int, ...]:
    """The shape of a table of these questions, if it is not too large to hold."""
    shape = tuple(len(question) for question in questions)
    if prod(shape) > MOST_CELLS:
        raise TooManyCells([question.name for question in questions], prod(shape), MOST_CELLS)
    return shape


def reported_cells(question: Question, column: Column) -> Column:
    """Cells of a column: numbers fall into the question's intervals."""
    if question.is_number:
        assert question.range is not None
        return question.range.cells(column)
    return column


def is_answered(column: Column) -> NDArray[np.bool_]:
    """Where an answer was given: not left out, and not missing."""
    return ~np.isnan(column) if column.dtype.kind == "f" else np.asarray(column != LEFT_OUT)
