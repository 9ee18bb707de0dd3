"""Counts inside a data frame's own engine.

Polars lazy frames, DuckDB, Spark, Dask and their like group and count where the data are; only the
distinct replies to the questions at hand come back. Several sets of questions are counted in one pass where the engine
can: by grouping sets in DuckDB and Spark, by collecting lazy frames together in Polars.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.collect.grouping import GroupingSets
from deniable.count.chunked import Spool, are_few, chunked, sliced
from deniable.count.counts import Distinct, check_names, tally
from deniable.count.cut import Cut, number_of
from deniable.count.frame_sums import Sums, cut_in, moments_of_number, sums_of_weights
from deniable.count.grouped import distinct_in, quoted, rows_of
from deniable.count.moments import NumberMoments, moments_in
from deniable.count.pieces import ROWS, OnePiece, Pieces
from deniable.count.room import SAMPLE, Sampled, check_room
from deniable.count.weighted import WeightSums, weight_sums_in
from deniable.errors import NoReplies
from deniable.errors.warn import warn
from deniable.frame import spark_words
from deniable.frame.columns import Column, Missing, check_missing, refuses, reported_columns
from deniable.frame.dotted import without_dots
from deniable.frame.frames import names_in, refuse_named_twice
from deniable.frame.mark import MARK, check_marks
from deniable.frame.newer_pandas import newer_pandas
from deniable.survey.question import Question

MAX_SILENT, SILENT = 2**12, 0.5  # distinct replies, and their share of all, that leave a cluster without a word


def batches_of(frame: nw.LazyFrame[Any]) -> Iterator[pa.Table]:
    """All rows of a lazy frame, some at a time where its engine can."""
    native = frame.to_native()
    if frame.implementation.is_duckdb():
        for batch in native.to_arrow_reader(ROWS):
            yield pa.Table.from_batches([batch])
    elif hasattr(native, "collect_batches"):  # of Polars
        for part in native.collect_batches(chunk_size=ROWS):
            yield part.to_arrow()
    else:
        yield frame.collect(backend="pyarrow").to_native()


class FrameCounts:
    """Counts over replies in a frame of any engine."""

    def __init__(self, design: Design, replies: nw.LazyFrame[Any], missing: Missing = "skip") -> None:
        self._design = design
        self._missing = missing
        self._replies = replies
        self._names = replies.collect_schema().names()
        self._many: dict[tuple[str, int], bool] = {}  # whether there are so many different numbers: looked up once
        self._words: dict[str, bool] = {}
        sql = replies.implementation.is_spark_like() or replies.implementation.is_duckdb()
        refuse_named_twice(names_in(replies.to_native()) if sql else self._names, "replies")  # a schema names each once
        if MARK in self._names:
            with newer_pandas():
                marks = replies.select(MARK).unique().collect()[MARK].to_list()
            check_marks(design, marks)
        if refuses(missing):
            self._refuse_missing()

    @cached_property
    @newer_pandas()
    def n(self) -> int:
        n = int(self._replies.select(nw.len()).collect().item())
        if not n:
            raise NoReplies("the data frame")
        return n

    @cached_property
    def names(self) -> Sequence[str]:
        there = set(self._names)
        return [name for name in self._design.columns if name in there]

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        sets = GroupingSets.of(many)
        for names in sets.sets:
            self._check(names)
        grouped = self._grouped(sets)
        if any(not each.num_rows for each in grouped):  # whoever replied is in each of them
            raise NoReplies("the data frame")
        found = {
            frozenset(names): distinct_in(self._design, each, names, self._missing)
            for names, each in zip(sets.sets, grouped, strict=True)
        }
        for names in sets.sets:
            self._warn_of_all(names, found[frozenset(names)])
        return [found[frozenset(names)].distinct(names, answered=False) for names in many]

    def _check(self, names: Sequence[str]) -> None:
        """Refuse questions that are not there, and distinct replies that would not fit."""
        check_names(names, self._names)
        check_room([self._design.reported(name) for name in names], lambda: self.n, partial(self._sampled, names))

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        return self.tables([names])[0].answered(answered)

    def many_values(self, name: str, most: int) -> bool:
        """Whether a column has more different numbers than so many, as far as a sample tells."""
        check_names([name], self._names)
        if (name, most) not in self._many:
            held = self._design.reported(name).is_number and bool(self._with_numbers([name])[1])
            self._many[name, most] = held and self._sampled([name]).in_all(self.n) > most
        return self._many[name, most]

    def cut(self, cuts: Mapping[str, Cut]) -> "FrameCounts":
        """Counts of the same replies in which these numbers are cut, where they are."""
        frame, held = self._with_numbers(list(cuts))
        found = copy(self)
        found._replies = cut_in(frame, {name: cuts[name] for name in held})
        found._many = {key: many for key, many in self._many.items() if key[0] not in cuts}
        return found

    def _with_numbers(self, names: Sequence[str]) -> tuple[nw.LazyFrame[Any], list[str]]:
        """The frame, and those of some columns that it holds as numbers; on Spark words may be numbers, all of them."""
        frame, found = self._replies, []
        for name in names:
            if frame.collect_schema()[name].is_numeric():
                found.append(name)
            elif self._are_numbers(name):
                frame = nw.from_native(spark_words.as_numbers(frame.to_native(), name))
                found.append(name)
        return frame, found

    def _are_numbers(self, name: str) -> bool:
        """Whether a column of Spark holds words that are all numbers."""
        if name not in self._words:
            native = self._replies.to_native()
            self._words[name] = spark_words.are_words(native, name) and spark_words.are_numbers(native, name)
        return self._words[name]

    def weight_sums(self, names: Sequence[str], weights: str) -> WeightSums:
        """The sums of the weights of equal replies."""
        found = self._summed(self._replies, names, weights, lambda own: sums_of_weights(own, self._alias))
        found = found.remove_column(len(names) + 1)  # their signs
        return weight_sums_in(found, distinct_in(self._design, found, names, self._missing))

    def moments(self, names: Sequence[str], name: str, cut: Cut) -> NumberMoments | None:
        """The moments of a number of equal replies, where the frame holds it as one."""
        numbers, there = self._with_numbers([name])
        if not there:
            return None
        centre = self._mean(numbers, name)
        found = self._summed(numbers, names, name, lambda own: moments_of_number(own, cut, centre, self._alias))
        replies = distinct_in(self._design, found, names, self._missing)
        self._warn_of_all(names, replies)
        return moments_in(found, replies, centre)

    @newer_pandas()
    def _mean(self, frame: nw.LazyFrame[Any], name: str) -> float:
        """The mean of all numbers of a column; of none 0."""
        plain, (own,) = without_dots(frame, [name])
        found = plain.select(number_of(own).mean().alias(own)).collect(backend="pyarrow").to_native()
        return float(found.column(0)[0].as_py() or 0.0)

    @newer_pandas()
    def _summed(
        self, frame: nw.LazyFrame[Any], names: Sequence[str], name: str, sums: Callable[[str], Sums]
    ) -> pa.Table:
        """The distinct replies, how often each occurs with which part of a number, and sums of that."""
        self._check(names)
        plain, (*called, own) = without_dots(frame, [*names, name])
        wanted = sums(own)
        for made in wanted.steps:
            plain = plain.with_columns(**made)
        lazy = plain.group_by(*called, wanted.part).agg(nw.len().alias(self._alias), **wanted.figures)
        found: pa.Table = lazy.collect(backend="pyarrow").to_native()
        if not found.num_rows:
            raise NoReplies("the data frame")
        return found.select([*called, self._alias, wanted.part, *wanted.figures])

    def pieces(self, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
        """The replies of everybody, in pieces: on Spark, numbers that are taken as they are stay there."""
        check_names(names, self._names)
        if not (measured or weights):
            return OnePiece(self.distinct(names, answered=False))
        if not self._replies.implementation.is_pyspark():
            if are_few(self.n, partial(self._sampled, names), len(names)):
                return sliced(self.distinct(names, answered=False), measured, weights)
            return chunked(Spool(self._columns(names)), measured, weights)
        from deniable.count.spark_pieces import spark_pieces

        native = self._replies.to_native()

        def distinct(frame: Any) -> Distinct:
            return FrameCounts(self._design, nw.from_native(frame), self._missing).distinct(names, answered=False)

        return spark_pieces(self._design, native, names, measured, weights, self._missing, distinct)

    def _columns(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """All replies to these questions, some at a time."""
        questions = [self._design.reported(name) for name in names]
        plain, called = without_dots(self._replies, names)
        for table in batches_of(plain.select(*called)):
            rows = table.rename_columns(list(names))
            yield reported_columns(questions, rows.column, names, missing=self._missing)

    @newer_pandas()
    def _refuse_missing(self) -> None:
        """Refuse missing cells anywhere in the design's questions, all at once."""
        plain, called = without_dots(self._replies, self.names)
        kinds = plain.collect_schema()
        lacks = {name: nw.col(name).is_null() for name in called}
        lacks |= {name: lacks[name] | nw.col(name).is_nan() for name in called if kinds[name].is_float()}
        row = plain.select(*(each.cast(nw.Int64).sum().alias(name) for name, each in lacks.items()))
        found = row.collect(backend="pyarrow").to_native()
        absent = {name: int(found[key][0].as_py() or 0) for name, key in zip(self.names, called, strict=True)}
        check_missing([self._design.reported(name) for name in self.names], absent)

    def _warn_of_all(self, names: Sequence[str], found: Distinct) -> None:
        """Say so where counting means that nearly all replies leave a cluster."""
        rows, numbers = len(found.counts), [name for name in names if self._is_clear_number(name)]
        if self._replies.implementation.is_pyspark() and numbers and rows > max(MAX_SILENT, SILENT * found.n):
            warn(
                f"nearly all replies are collected from Spark ({rows:,} of {found.n:,}), since hardly any are alike in "
                f"{', '.join(numbers)}; without them, or with their intervals, only counts are"
            )

    def _is_clear_number(self, name: str) -> bool:
        design = self._design
        return design.reported(name).is_number and not (name in design.names and design.has_noise(name))

    @newer_pandas()
    def _sampled(self, names: Sequence[str]) -> Sampled:
        """The first replies to these questions."""
        replies, called = without_dots(self._replies, names)
        found = replies.select(*called).head(SAMPLE).group_by(*called).agg(nw.len().alias(self._alias))
        times = nw.col(self._alias)
        once = (times == 1).cast(nw.Int64)  # Spark sums no truth values
        row = found.select(times.sum().alias("rows"), nw.len().alias("distinct"), once.sum().alias("once")).collect(
            backend="pyarrow"
        )
        return Sampled(*(int(row[name].to_list()[0] or 0) for name in ("rows", "distinct", "once")))

    @property
    def _alias(self) -> str:
        return "count" + "_" * max(map(len, self._names))  # a name that no column has

    @newer_pandas()
    def _grouped(self, sets: GroupingSets) -> list[pa.Table]:
        """For each set its distinct rows, and how often each occurs."""
        engine = self._replies.implementation
        spark = engine.is_pyspark() and hasattr(self._replies.to_native(), "toArrow")  # from Spark 4 on
        if len(sets.sets) > 1 and (engine.is_duckdb() or spark):
            counted = [(some, self._in_sql(some)) for some in sets.passes()]
            return [rows_of(found, some, names) for some, found in counted for names in some.sets]
        lazy = [self._group(names) for names in sets.sets]
        if engine.is_polars():
            together = engine.to_native_namespace().collect_all([each.to_native() for each in lazy])
            return [each.to_arrow() for each in together]
        return [each.collect(backend="pyarrow").to_native() for each in lazy]

    def _in_sql(self, sets: GroupingSets) -> pa.Table:
        native = self._replies.to_native()
        if self._replies.implementation.is_duckdb():
            return native.aggregate(sets.selected(quoted), sets.grouped(quoted)).to_arrow_table()
        query = sets.query("{replies}", lambda name: quoted(name, "`").replace("{", "{{").replace("}", "}}"))
        return native.sparkSession.sql(query, replies=native).toArrow()

    def _group(self, names: Sequence[str]) -> nw.LazyFrame[Any]:
        replies, called = without_dots(self._replies, names)
        return replies.group_by(*called).agg(nw.len().alias(self._alias))

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)
