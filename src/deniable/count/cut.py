"""Binning in an engine: the least number of each interval replaces all others in it, of numbers in the clear.

A number that is held to its last digit makes nearly every reply distinct, so that all of them would leave their engine.
But a share, a rule or a tree needs no more of it than its interval. So the engine looks it up, halving the intervals
again and again, and counts few distinct replies. What is no number of the range stays as it is, to be refused by
whoever reads it; so do the numbers of those intervals that are wanted whole.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any, Protocol, TypeVar, runtime_checkable

import narwhals as nw
import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.frame.columns import Column
from deniable.frame.formulas import NUMBER
from deniable.survey.question import Question
from deniable.survey.range import Range

MANY = 2**10  # different numbers; fewer are counted as they are
Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Cut:
    """How a number is cut: into the cells of a range, but for those that are left whole."""

    limits: Range
    whole: frozenset[int] = frozenset()

    @classmethod
    def of_presence(cls, question: Question) -> "Cut":
        """A number of which only that it is there is told."""
        assert question.range is not None
        return cls(question.range.only([]))

    @property
    def starts(self) -> list[float]:
        """The least number of each cell."""
        limits = self.limits
        inner = [float(ceil(edge)) if limits.integer else float(edge) for edge in limits.edges[1:-1]]
        return [float(limits.low) if isfinite(limits.low) else 0.0, *inner]

    @property
    def ends(self) -> tuple[float, float]:
        """Between which numbers are answers, as far as reading allows for rounding."""
        slack = self.limits.step / 100
        return float(self.limits.low - slack), float(self.limits.high + slack)

    def has_room_for(self, many: int) -> bool:
        """Whether there may be so many different numbers."""
        return not self.limits.integer or self.limits.high - self.limits.low >= many

    def of_numbers(self, numbers: Column) -> Column:
        """The number in place of each, in memory."""
        cells, (low, high) = self.limits.cells(numbers), self.ends
        with np.errstate(invalid="ignore"):
            cut = (numbers >= low) & (numbers <= high) & ~np.isin(cells, list(self.whole))
            cut &= (numbers == np.floor(numbers)) | (not self.limits.integer)
        return np.where(cut, np.array(self.starts)[cells], numbers)

    def of_series(self, numbers: Any) -> Any:
        """The same of a pandas series."""
        made = self.of_numbers(numbers.to_numpy(dtype=float, na_value=np.nan))
        return type(numbers)(made, index=numbers.index, name=numbers.name)

    def column(self, name: str) -> nw.Expr:
        """The number in place of each number of a frame."""
        own = number_of(name)
        found = self.by_cell(own, [own if cell in self.whole else each for cell, each in enumerate(self.starts)])
        return nw.when(self.answers(own)).then(found).otherwise(own).alias(name)

    def by_cell(self, own: nw.Expr, values: Sequence[Any]) -> nw.Expr:
        """The value of each number's cell."""
        return _halved(
            self.limits.edges[1:-1],
            [value if isinstance(value, nw.Expr) else nw.lit(value) for value in values],
            lambda edge, low, high: nw.when(own < float(edge)).then(low).otherwise(high),
        )

    def answers(self, own: nw.Expr) -> nw.Expr:
        """Where a number is an answer."""
        low, high = self.ends
        inside = (own >= low) & (own <= high)
        return inside & (own == own.floor()) if self.limits.integer else inside

    def sql_column(self, column: str, words: bool) -> str:
        """The same in SQL, of a column of numbers or of words."""
        own = sql_number(column, words)
        found = self.sql_by_cell(own, [own if cell in self.whole else sql_double(each)
                                       for cell, each in enumerate(self.starts)])  # fmt: skip
        found = f"case when {self.sql_answers(own)} then {found} end"
        return f"coalesce(cast({found} as varchar), {column})" if words else f"coalesce({found}, {own})"

    def sql_by_cell(self, own: str, values: Sequence[str]) -> str:
        """The value of each number's cell."""
        return _halved(
            self.limits.edges[1:-1],
            values,
            lambda edge, low, high: f"case when {own} < {sql_double(edge)} then {low} else {high} end",
        )

    def sql_answers(self, own: str) -> str:
        """Where a number is an answer."""
        low, high = map(sql_double, self.ends)
        inside = f"{own} between {low} and {high}"
        return f"({inside} and {own} = floor({own}))" if self.limits.integer else f"({inside})"


def number_of(name: str) -> nw.Expr:
    """A column of numbers, a missing one where it holds none."""
    own = nw.col(name).cast(nw.Float64)
    return nw.when(~own.is_nan()).then(own)


def sql_number(column: str, words: bool) -> str:
    """The same in SQL; of words those that our own reader takes for numbers.

    Comparing with NaN does not find it: DuckDB may know from a file's statistics that all numbers are less.
    """
    column = f"cast({column} as varchar)" if words else column
    own = f"try_cast({column} as double)"
    own = f"case when not isnan({own}) then {own} end"
    return f"case when regexp_full_match({column}, '{NUMBER.pattern}') then {own} end" if words else own


def sql_double(value: float) -> str:
    """A number in SQL, to the last digit."""
    return f"'{float(value)!r}'::double"


def _halved(
    edges: Sequence[float], values: Sequence[Choice], either: Callable[[float, Choice, Choice], Choice]
) -> Choice:
    """The value of the cell in which a number lies, given what to take below an edge, and from it on."""
    if not edges:
        return values[0]
    half = len(edges) // 2
    low = _halved(edges[:half], values[: half + 1], either)
    return either(edges[half], low, _halved(edges[half + 1 :], values[half + 1 :], either))


@runtime_checkable
class CutsNumbers(Protocol):
    """Counts whose engine can cut numbers."""

    def cut(self, cuts: Mapping[str, Cut]) -> Counts:
        """Counts of the same replies in which these numbers are cut."""
        ...

    def many_values(self, name: str, most: int) -> bool:
        """Whether there are more different numbers than so many."""
        ...


def in_cells(counts: Counts, design: Design, questions: Sequence[Question], kept: Collection[str] = ()) -> Counts:
    """Counts that tell of the numbers in the clear among these questions, perhaps newly cut, no more than their cells.

    Only where an engine holds many different ones; elsewhere they are told as they are, and so are those that must be
    `kept`, since they also say how people were drawn.
    """
    cuts = cuts_of_many(counts, design, questions, kept)
    return counts.cut(cuts) if cuts and isinstance(counts, CutsNumbers) else counts


def cuts_of_many(
    counts: Counts, design: Design, questions: Sequence[Question], kept: Collection[str] = ()
) -> dict[str, Cut]:
    """How those numbers in the clear are cut of which an engine holds many different ones."""
    if not isinstance(counts, CutsNumbers):
        return {}
    cuts = cuts_of(design, [each for each in questions if each.name not in kept])
    return {name: cut for name, cut in cuts.items() if cut.has_room_for(MANY) and counts.many_values(name, MANY)}


def least_of_cells(replies: Distinct, design: Design, questions: Sequence[Question]) -> Distinct:
    """Replies in memory in which these numbers are cut, so that they are what any engine would hand out."""
    cuts = cuts_of(design, questions)
    if any(design.has_noise(each.name) for each in questions):
        return replies

    columns = {
        name: cuts[name].of_numbers(column) if name in cuts else column for name, column in replies.columns.items()
    }
    return Distinct(columns, replies.counts)


def cuts_of(design: Design, questions: Sequence[Question]) -> dict[str, Cut]:
    """How the numbers in the clear among some questions are cut."""
    return {
        each.name: Cut(each.range)
        for each in questions
        if each.is_number and each.range is not None and each.name in design.names and not design.has_noise(each.name)
    }
