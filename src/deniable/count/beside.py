"""Columns beside the questions: weights, strata, clusters and predictors that replies hold as they are.

Nobody is asked about them, and no lottery disguises them. A column of numbers (of a csv or jsonl file, one whose words
are all numbers) is a number without limits. Every other column has the values that occur as its answers, in the order
of its categories, if it has one, or sorted.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from deniable.channel.design import Design
from deniable.collect.places import is_store
from deniable.count.counts import Counts
from deniable.errors import BadRequest, MissingColumns
from deniable.frame import files, spark_words
from deniable.frame.columns import are_numbers
from deniable.frame.dotted import without_dots
from deniable.frame.frames import arrow
from deniable.frame.newer_pandas import newer_pandas
from deniable.survey.question import Question, column_of, free_number


def column_names(design: Design, replies: Any) -> list[str]:
    """The columns that replies have: those of the design, and all others of a frame or file."""
    if isinstance(replies, Counts):
        return list(replies.names)
    if isinstance(replies, str) and is_store(replies):
        return design.columns
    if isinstance(replies, str | PathLike):
        return files.column_names(Path(replies))
    try:
        return list(nw.from_native(replies).collect_schema().names())
    except (TypeError, nw.exceptions.DuplicateError):
        return design.columns  # whoever counts them says what is wrong


def with_columns(design: Design, replies: Any, names: Sequence[str]) -> Design:
    """The design, whose replies also have those of these columns that are no questions."""
    wanted = [name for name in dict.fromkeys(names) if name not in design.columns]
    if not wanted:
        return design
    there = column_names(design, replies)
    if lacking := [name for name in wanted if name not in there]:
        raise MissingColumns(lacking, there, what="")
    return design.beside([*design.others, *(_question(name, *_values(replies, name)) for name in wanted)])


@newer_pandas()
def _values(replies: Any, name: str) -> tuple[pa.Array, bool]:
    """The distinct values of a column, and whether they are the words of a file that knows nothing else."""
    if isinstance(replies, str | PathLike):
        from deniable.count.files import values_in  # brings a database

        path = Path(replies)
        return values_in(path, name), files.kind_of(path) in files.IN_WORDS
    if isinstance(replies, Counts):
        raise BadRequest("replies", "a frame or a file", "counts", f"give the replies that {name!r} stands in")
    frame = nw.from_native(replies)
    if isinstance(frame, nw.LazyFrame):
        of_file = spark_words.are_of_file(replies, name)
        if frame.collect_schema()[name].is_numeric() or (of_file and spark_words.are_numbers(replies, name)):
            return pa.array([], pa.float64()), False  # whose values nobody needs to see
        plain, (called,) = without_dots(frame, [name])
        grouped = plain.group_by(called).agg(nw.len().alias(f"{called}_"))  # a window, as for unique(), sorts all rows
        return arrow(grouped.collect(backend="pyarrow")[called]), False
    return arrow(frame[name]), False


def _question(name: str, values: Any, in_words: bool) -> Question:
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        words = values.dictionary if isinstance(values, pa.DictionaryArray) else values.chunk(0).dictionary
        return column_of(name, [str(each) for each in words.to_pylist() if each is not None])
    if pa.types.is_boolean(kind):
        return column_of(name, ["False", "True"])
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return free_number(name)
    found = pc.unique(values).drop_null()
    if in_words and are_numbers(found):
        return free_number(name)
    return column_of(name, sorted(str(each) for each in found.to_pylist()))
