"""Counts over files of replies: csv, parquet, jsonl, a folder of parquet files; feather, SPSS and Stata files.

DuckDB groups and counts where the data are (sealed.py): it reads only the columns that are asked for, streaming, with
all processors, and spills to disk what does not fit. What it cannot read our own reader reads, or says what is wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cached_property, partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.collect.grouping import GroupingSets
from deniable.count.chunked import Spool, are_few, chunked, sliced
from deniable.count.counts import ArrayCounts, Distinct, check_names, tally
from deniable.count.cut import Cut, sql_double, sql_number
from deniable.count.grouped import distinct_in, quoted, rows_of
from deniable.count.moments import NO_ANSWER, NumberMoments, moments_in
from deniable.count.pieces import Pieces
from deniable.count.room import SAMPLE, Sampled, check_room
from deniable.count.sealed import is_readable, is_unambiguous, sealed, source_of, unless_unreadable, watched
from deniable.count.weighted import WeightSums, weight_sums_in
from deniable.errors import NoReplies
from deniable.errors.refusal import found_in
from deniable.frame import files
from deniable.frame.columns import Column, Missing, check_missing, missing_counted, refuses, reported_columns
from deniable.frame.formulas import NUMBER
from deniable.frame.mark import MARK, check_marks
from deniable.survey.question import Question

KNOWN_CELLS = 2**24  # of distinct replies that are kept for further questions about them


class FileCounts:
    """Counts over the replies in a file or folder."""

    def __init__(
        self, design: Design, path: Path, progress: files.Progress | None = None, missing: Missing = "skip"
    ) -> None:
        self._design, self._path, self._missing = design, path, missing
        self._progress = progress or (lambda share: None)
        self._columns = files.checked_names(path, [*design.columns, MARK])
        self._known: dict[tuple[str, ...], Distinct] = {}
        self._cuts: dict[str, Cut] = {}
        self._cut_ones: dict[frozenset[tuple[str, Cut]], FileCounts] = {}  # the same replies, with numbers cut
        self._many: dict[tuple[str, int], bool] = {}  # whether there are so many different numbers: looked up once
        self._read: ArrayCounts | None = None  # all of it, where DuckDB cannot read it
        if refuses(missing):
            self._refuse_missing()

    @cached_property
    def names(self) -> Sequence[str]:
        """The design's columns that the file has."""
        there = set(self._columns)
        return [name for name in self._design.columns if name in there]

    @cached_property
    def n(self) -> int:
        """How many replies there are."""
        found = self._asked(lambda source: f"select count(*) from {source}")
        n = self._whole().n if found is None else int(found.column(0)[0].as_py())
        if not n:
            raise NoReplies(str(self._path))
        return n

    def check_marks(self) -> bool:
        """Refuse a file that was disguised under another design; whether it says under which."""
        if MARK not in self._columns:
            return False
        found = self._asked(lambda source: f"select distinct {quoted(MARK)} from {source}")
        if found is not None:
            with found_in(self._path):
                check_marks(self._design, found.column(0).cast(pa.string()).to_pylist())
        return True

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        """The distinct replies to these questions."""
        return self.tables([names])[0].answered(answered)

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        """The distinct replies to each of several sets of questions, in one pass over the file."""
        for names in many:
            self._check_names(names)
        wanted = list(dict.fromkeys(tuple(names) for names in many if not self._knows(names)))
        if wanted:
            self._forget_large(many)
            self._count(wanted)
        return [self._from_known(tuple(names)) for names in many]

    def pieces(self, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
        """The replies of everybody; on disk where there are very many with numbers that are taken as they are."""
        self._check_names(names)
        if (
            not (measured or weights)
            or are_few(self.n, partial(self._sampled, names), len(names))
            or self._read is not None
        ):  # which is known then
            return sliced(self.distinct(names, answered=False), measured, weights)
        questions = [self._design.reported(name) for name in names]
        tables = (
            reported_columns(questions, piece.column, piece.column_names, missing=self._missing)
            for piece in files.read(self._path, names, self._progress)
        )
        with found_in(self._path):
            return chunked(Spool(tables, self._progress), measured, weights)

    def many_values(self, name: str, most: int) -> bool:
        """Whether a column has more different numbers than so many, as far as a sample tells."""
        self._check_names([name])
        n = self.n  # which reads the file here if DuckDB cannot
        if self._read is not None or not self._design.reported(name).is_number:
            return False
        if (name, most) not in self._many:
            self._many[name, most] = self._sampled([name]).in_all(n) > most
        return self._many[name, most]

    def cut(self, cuts: Mapping[str, Cut]) -> "FileCounts":
        """Counts of the same replies in which these numbers are cut, where DuckDB reads them."""
        key = frozenset(cuts.items())
        if key not in self._cut_ones and self._kinds is not None:  # which a copy knows before it cuts anything
            found = self._cut_ones[key] = copy(self)
            found._known, found._cut_ones, found._cuts = {}, {}, {**self._cuts, **cuts}
            found._many = {asked: many for asked, many in self._many.items() if asked[0] not in cuts}
        return self._cut_ones[key]

    def weight_sums(self, names: Sequence[str], weights: str) -> WeightSums | None:
        """The sums of the weights of equal replies; none where DuckDB cannot read the file."""
        number = sql_number("{raw}", words=False)
        figures = "min({d}), max({d}), sum(1 / nullif({d}, 0)), sum({d}), sum({d} * {d})"
        found = self._by_part(names, weights, number, "sign({d})", figures)
        return None if found is None else weight_sums_in(found, self._distinct(found, names))

    def moments(self, names: Sequence[str], name: str, cut: Cut) -> NumberMoments | None:
        """The moments of a number of equal replies; none where DuckDB cannot read the file."""
        within = cut.sql_by_cell("{d}", [str(cell) for cell in range(len(cut.starts))])
        words = self._is_of_words(name)
        odd = "{raw} is not null" if words else "{d} is not null"
        cell = f"case when {cut.sql_answers('{d}')} then {within} when {odd} then {NO_ANSWER} end"
        number = sql_number("{raw}", words)
        average = self._asked(lambda source: f"select avg({number.format(raw=quoted(name))}) from {source}")
        centre = 0.0 if average is None else float(average.column(0)[0].as_py() or 0.0)
        figures = "any_value({part}), min({d}), max({d}), avg({d}), var_pop({d}), "
        figures += f"avg(({{d}} - {sql_double(centre)}) ** 3)"
        found = self._by_part(names, name, number, cell, figures)
        return None if found is None else moments_in(found, self._distinct(found, names), centre)

    def _by_part(self, names: Sequence[str], name: str, number: str, part: str, figures: str) -> pa.Table | None:
        """How often each distinct reply occurs with each part of a number d, and figures of that number."""
        self._check_names([*names, name])
        self._check_room(names)
        columns = [quoted(each) for each in names]
        own = {each: quoted(each + "_" * max(map(len, [*names, ""]))) for each in ("raw", "d", "part")}
        rows = ", ".join([*columns, f"{quoted(name)} as {own['raw']}"])
        keys = ", ".join([*columns, own["part"]])
        shown = ", ".join([*columns, "count(*)", _filled(figures, own)])
        return self._asked(lambda source: (
            f"select {shown} from (select *, {_filled(part, own)} as {own['part']} from "
            f"(select *, {_filled(number, own)} as {own['d']} from (select {rows} from {source}))) group by {keys}"
        ))  # fmt: skip

    @cached_property
    def _is_readable(self) -> bool:
        """Whether DuckDB reads the file, to whom names that differ by case alone are the same."""
        return is_readable(self._path) and all(map(partial(is_unambiguous, self._columns), self.names))

    @cached_property
    def _kinds(self) -> Mapping[str, pa.DataType]:
        """What the file's columns hold, by name; nothing where DuckDB cannot read it."""
        found = self._asked(lambda source: f"select * from {source} limit 0")
        return {} if found is None else {each.name: each.type for each in found.schema}

    def _is_of_words(self, name: str) -> bool:
        """Whether a column holds anything but numbers."""
        kind = self._kinds.get(name, pa.string())
        return not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))

    def _source(self) -> str:
        """The file as DuckDB reads it, its numbers cut where they are to be."""
        source = source_of(self._path)
        made = [
            f"{cut.sql_column(quoted(name), self._is_of_words(name))} as {quoted(name)}"
            for name, cut in self._cuts.items()
        ]
        return f"(select * replace ({', '.join(made)}) from {source})" if made else source

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        """The table of these (reported) questions' cells."""
        return tally(self.distinct([question.name for question in questions]), questions)

    def _check_names(self, names: Sequence[str]) -> None:
        with found_in(self._path):
            check_names(names, self.names, self._columns)

    def _check_room(self, names: Sequence[str]) -> None:
        check_room([self._design.reported(name) for name in names], lambda: self.n, partial(self._sampled, names))

    def _knows(self, names: Sequence[str]) -> bool:
        return self._read is not None or any(set(names) <= set(known) for known in self._known)

    def _from_known(self, names: tuple[str, ...]) -> Distinct:
        if self._read is not None:
            return self._read.distinct(names, answered=False)
        known = self._known.get(names)
        source = known or min(
            (found for each, found in self._known.items() if set(names) <= set(each)), key=lambda each: len(each.counts)
        )
        return source.distinct(names, answered=False)

    def _forget_large(self, needed: Sequence[Sequence[str]]) -> None:
        """Keep what is small of the replies that were counted before, and what is needed now."""
        self._known = {
            known: each
            for known, each in self._known.items()
            if len(each.counts) * len(known) <= KNOWN_CELLS or any(set(names) <= set(known) for names in needed)
        }

    def _count(self, wanted: Sequence[tuple[str, ...]]) -> None:
        """Count several sets of questions."""
        for names in wanted:
            self._check_room(names)
        passes = GroupingSets.of(wanted).passes()
        with self._opened() as ask:
            for done, sets in enumerate(passes):
                found = ask(partial(sets.query, quoted=quoted), done, len(passes))
                if found is None:
                    self._read = self._whole()
                    return
                for names in sets.sets:
                    self._known[names] = self._distinct(rows_of(found, sets, names), names)

    def _sampled(self, names: Sequence[str]) -> Sampled:
        """Some of the replies to these questions: of parquet from everywhere, of other files the first."""
        columns = ", ".join(map(quoted, names))
        percent = min(100.0, 100.0 * SAMPLE / self.n)
        parquet = files.kind_of(self._path) == ".parquet"
        found = self._asked(
            lambda source: (
                f"select sum(n), count(*), count(*) filter (n = 1) from (select count(*) as n from (select {columns} "
                f"from {source} {f'using sample {percent:.6f}% (system, 0)' if parquet else f'limit {SAMPLE}'}) "
                f"group by {columns})"
            )
        )
        if found is None:
            return Sampled(1, 1, 1)
        return Sampled(*(int(found.column(index)[0].as_py() or 0) for index in range(3)))

    def _distinct(self, found: pa.Table, names: Sequence[str]) -> Distinct:
        if not found.num_rows:
            raise NoReplies(str(self._path))
        with found_in(self._path):
            return distinct_in(self._design, found, names, self._missing)

    def _refuse_missing(self) -> None:
        """Missing cells anywhere in the design's questions, all at once."""
        questions = [self._design.reported(name) for name in self.names]
        floating = {name for name, kind in self._kinds.items() if pa.types.is_floating(kind)}
        there = (sql_number(quoted(name), words=False) if name in floating else quoted(name) for name in self.names)
        counts = ", ".join(f"count(*) - count({each})" for each in there)
        found = self._asked(lambda source: f"select {counts} from {source}")
        if found is None:
            self._read = self._whole()
        else:
            with found_in(self._path):
                check_missing(questions, {name: found.column(at)[0].as_py() for at, name in enumerate(self.names)})

    def _whole(self) -> ArrayCounts:
        """The whole file by our own reader, which says what is wrong with it."""
        if self._read is None:
            self._read = read_whole(self._design, self._path, self.names, self._progress, self._missing)
        return self._read

    def _asked(self, query: Callable[[str], str]) -> pa.Table | None:
        """What DuckDB finds in the file (the query's source); nothing where it cannot."""
        with self._opened() as ask:
            return ask(query, 0, 1)

    @contextmanager
    def _opened(self) -> Iterator[Callable[[Callable[[str], str], int, int], pa.Table | None]]:
        """A way to ask DuckDB several things of the file, each after so many of all passes over it."""
        if self._read is not None or not self._is_readable:
            yield lambda query, done, passes: None
            return
        with sealed(self._path) as connection:
            source = self._source()

            def ask(query: Callable[[str], str], done: int, passes: int) -> pa.Table | None:
                with unless_unreadable(self._path):
                    return watched(connection, query(source), lambda share: self._progress((done + share) / passes))
                return None

            yield ask


def _filled(text: str, names: Mapping[str, str]) -> str:
    """SQL with the names of columns in their places."""
    for each, name in names.items():
        text = text.replace(f"{{{each}}}", name)
    return text


def values_in(path: Path, name: str) -> pa.ChunkedArray:
    """The distinct values of any column of a file; none of a column of numbers, which nobody needs to see."""
    if is_readable(path) and is_unambiguous(files.column_names(path), name):
        with sealed(path) as connection, unless_unreadable(path):
            source = source_of(path)
            if _holds_numbers(connection, source, name, files.kind_of(path) in files.IN_WORDS):
                return pa.chunked_array([], pa.float64())
            return connection.sql(f"select distinct {quoted(name)} from {source}").to_arrow_table().column(0)
    return pa.chunked_array([chunk for piece in files.read(path, [name]) for chunk in piece.column(0).chunks])


def _holds_numbers(connection: duckdb.DuckDBPyConnection, source: str, name: str, in_words: bool) -> bool:
    """Whether a column has numbers, or, in csv and jsonl, words that are all finite numbers."""
    column = quoted(name)
    kind = connection.sql(f"select {column} from {source} limit 0").to_arrow_table().schema.types[0]
    if not in_words:
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))
    number = f"regexp_full_match({column}, '{NUMBER.pattern}') and isfinite(try_cast({column} as double))"
    found = connection.sql(f"select count({column}), count({column}) filter ({number}) from {source}").fetchall()
    (there, numbers), *_ = found
    return bool(0 < there == numbers)


def read_whole(
    design: Design, path: Path, names: Sequence[str], progress: files.Progress | None, missing: Missing
) -> ArrayCounts:
    """All replies in a file, row by row, read a piece at a time."""
    marked = MARK in files.column_names(path)
    questions = [design.reported(name) for name in names]
    pieces: list[dict[str, Column]] = []
    for piece in files.read(path, [*names, *[MARK] * marked], progress):
        if marked:
            with found_in(path):
                check_marks(design, piece.column(MARK).cast(pa.string()).unique().to_pylist())
        with missing_counted(questions, path):
            pieces.append(reported_columns(questions, piece.column, piece.column_names, missing=missing))
    return ArrayCounts({name: np.concatenate([piece[name] for piece in pieces]) for name in names})
