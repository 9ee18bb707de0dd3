"""Counts: how often each combination of reported answers occurs.

Counts is all that estimation and learning ever see of the replies. Backends (arrays, files, any data frame, a
database) differ only here: each finds the *distinct* replies to some questions and how often each occurs;
tables follow from that. Distinct replies are counts themselves, of replies that were read once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deniable.count.packed import CHUNK, MAX_KEYS, dense_distinct, pack
from deniable.count.room import check_rows
from deniable.errors import MissingColumns, TooManyCells
from deniable.frame.columns import Column
from deniable.frame.one_hot import refuse_one_hot
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

MAX_CELLS = 2**22


@dataclass(frozen=True)
class Distinct:
    """Distinct replies, column by column (cells or numbers), and how many respondents gave each."""

    columns: Mapping[str, Column]
    counts: NDArray[np.float64]

    @property
    def n(self) -> int:
        """How many respondents there are."""
        return round(float(self.counts.sum()))

    @property
    def names(self) -> Sequence[str]:
        """The questions."""
        return list(self.columns)

    @cached_property
    def weights(self) -> NDArray[np.float64] | None:
        """The counts, to count by; none where every reply occurs once, which is counted sooner."""
        return None if (self.counts == 1).all() else self.counts

    def distinct(self, names: Sequence[str], answered: bool = True) -> "Distinct":
        """The replies to some of the questions; equal ones may occur more than once."""
        check_names(names, self.columns)
        return Distinct({name: self.columns[name] for name in names}, self.counts).answered(answered)

    def tables(self, many: Sequence[Sequence[str]]) -> "list[Distinct]":
        """The replies to each of several sets of questions."""
        return [self.distinct(names, answered=False) for names in many]

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """The table of these (reported) questions' cells."""
        return tally(self.distinct([question.name for question in questions]), questions)

    def answered(self, wanted: bool = True) -> "Distinct":
        """Those without a skipped question; all of them if that is not wanted."""
        if not wanted:
            return self
        lacking = [column for column in self.columns.values() if not all_answered(column)]
        return self.only(np.logical_and.reduce([is_answered(column) for column in lacking])) if lacking else self

    def only(self, rows: NDArray[np.bool_]) -> "Distinct":
        """Some of them."""
        kept = np.flatnonzero(rows)  # by which many columns are gone through sooner
        return Distinct({name: column.take(kept) for name, column in self.columns.items()}, self.counts.take(kept))

    def in_order(self) -> "Distinct":
        """The same replies in an order that does not depend on the engine that counted them."""
        order = row_order(list(self.columns.values()))
        return Distinct({name: column[order] for name, column in self.columns.items()}, self.counts[order])

    def one_by_one(self, most: int | None = None) -> "Distinct":
        """Every respondent's reply by itself, sorted and then shuffled, the same way wherever they were counted.

        With `most`, only the first so many of them: a random sample.
        """
        check_rows(self.names, self.n if most is None else min(self.n, most))
        found = self.in_order()
        rows = np.repeat(np.arange(len(found.counts)), found.counts.astype(np.int64))
        np.random.default_rng(0).shuffle(rows)
        rows = rows[:most]
        return Distinct({name: column[rows] for name, column in found.columns.items()}, np.ones(len(rows)))

    def sample(self, share: float) -> "Distinct":
        """About so large a share of the respondents, drawn at random once and for all."""
        rng = np.random.default_rng(0)
        if self.weights is None:  # everybody is a row
            return self.only(rng.random(len(self.counts), dtype=np.float32) < share)
        drawn = rng.binomial(self.counts.astype(np.int64), min(share, 1.0)).astype(float)
        return Distinct(self.columns, drawn).only(drawn > 0)


@runtime_checkable
class Counts(Protocol):
    """Anything that counts replies."""

    @property
    def n(self) -> int:
        """How many replies there are."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """The questions that they answer."""
        ...

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies to these questions, of those who `answered` all of them, or of everybody."""
        ...

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        """The distinct replies of everybody to each of several sets of questions, counted together."""
        ...

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """The table of these (reported) questions' cells."""
        ...


@dataclass(frozen=True)
class ArrayCounts:
    """Counts over replies held in memory, one array of cells or numbers per question."""

    columns: Mapping[str, Column]
    others: Sequence[str] = ()  # columns of their frame that are no questions
    one_by_one: bool = False  # whether every reply is handed out by itself, in its own place

    @property
    def n(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> Sequence[str]:
        return list(self.columns)

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies where these are few; else all of them, each of which may be taken to be distinct."""
        check_names(names, self.columns, self.others)
        columns = {name: self.columns[name] for name in names}
        found = None if self.one_by_one else dense_distinct(list(columns.values()))
        if found is None:
            return Distinct(columns, np.ones(self.n)).answered(answered)
        return Distinct(dict(zip(names, found[0], strict=True)), found[1]).answered(answered)

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        return [self.distinct(names, answered=False) for names in many]

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)


def row_order(columns: Sequence[Column]) -> NDArray[np.intp]:
    """The order of rows by their columns, the first one first.

    Columns of cells are packed into few numbers. The first of all numbers parts most rows, and those that it does not
    are looked at further.
    """
    first, *others = _sort_keys(columns)
    order = np.argsort(first, kind="stable")
    alike = _as_before(first[order])  # [row but the first]
    for key in others:
        tied = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        if not len(tied):
            break
        runs = np.append(0, np.cumsum(~alike))[tied]
        some = order[tied]
        order[tied] = some[np.lexsort([key[some], runs])]
        alike &= _as_before(key[order])
    return order


def _sort_keys(columns: Sequence[Column]) -> list[Column]:
    """Columns that sort rows as these do: numbers as they are, cells side by side in one number."""
    keys: list[Column] = []
    cells: list[Column] = []
    radices: list[int] = []
    for column in columns:
        number = column.dtype.kind == "f" or not len(column)
        low = 0 if number else min(int(column.min()), 0)
        radix = 1 if number else int(column.max()) - low + 1
        if cells and (number or prod(radices) * radix > MAX_KEYS):
            keys.append(pack(cells, radices, np.dtype(np.int64)))
            cells, radices = [], []
        if number:
            keys.append(column)
        else:
            cells.append(column - column.dtype.type(low) if low else column)
            radices.append(radix)
    return [*keys, *([pack(cells, radices, np.dtype(np.int64))] if cells else [])]


def _as_before(column: Column) -> NDArray[np.bool_]:
    """Where a value is the same as that of the row before; two that are missing are."""
    after, before = column[1:], column[:-1]
    return np.asarray((after == before) | ((after != after) & (before != before)))


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
    for start in range(0, len(replies.counts), CHUNK):
        rows = slice(start, start + CHUNK)
        cells = [reported_cells(each, replies.columns[each.name][rows]) for each in questions]
        key = cells[0] if cells else np.zeros(len(replies.counts[rows]), dtype=np.int64)
        key = key.astype(np.int64) if len(cells) > 1 else key
        for question, column in zip(questions[1:], cells[1:], strict=True):
            key *= len(question)
            key += column
        if replies.weights is not None:
            table += np.bincount(key, replies.weights[rows], minlength=len(table))
        elif len(table) == 2:  # counted sooner than by bins
            table += [len(key) - np.count_nonzero(key), np.count_nonzero(key)]
        else:
            table += np.bincount(key, minlength=len(table))
    return table.reshape(shape)


def table_shape(questions: Sequence[Question]) -> tuple[int, ...]:
    """The shape of a table of these questions, if it is not too large to hold."""
    shape = tuple(len(question) for question in questions)
    if prod(shape) > MAX_CELLS:
        raise TooManyCells([question.name for question in questions], prod(shape), MAX_CELLS)
    return shape


def reported_cells(question: Question, column: Column) -> Column:
    """Cells of a column: numbers fall into the question's intervals, unless they are cells already."""
    if question.range is None or column.dtype.kind != "f":
        return column
    return question.range.cells(column)


def all_answered(column: Column) -> bool:
    """Whether everybody gave an answer."""
    if column.dtype.kind != "f" and column.min(initial=0) >= 0:  # seen without a mask
        return True
    return bool(is_answered(column).all())


def is_answered(column: Column) -> NDArray[np.bool_]:
    """Where an answer was given: not left out, and not missing."""
    return ~np.isnan(column) if column.dtype.kind == "f" else np.asarray(column != LEFT_OUT)
