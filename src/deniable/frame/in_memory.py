"""A small lazy frame, or some rows of a large one, read into memory: pilots, and people who are simulated one by one.

Only the columns that are needed come, in one query, as a pyarrow table. A frame that is in memory stays as it is.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from deniable.errors import DeniableError, MissingColumns
from deniable.frame.columns import are_numbers
from deniable.frame.dotted import without_dots
from deniable.frame.frames import eager, names_in, refuse_named_twice
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.one_hot import refuse_one_hot
from deniable.frame.spark import column_named, is_spark
from deniable.frame.spark_words import are_of_file

MAX_ROWS = 1_000_000


def in_memory(data: Any, names: Sequence[str], argument: str, way_out: str, beside: Sequence[str] = ()) -> Any:
    """These columns of a lazy frame as a pyarrow table; any other frame as it is.

    The words of a file that Spark reads become numbers in the columns `beside` the questions, where all of them are.
    """
    frame = _frame(data, argument)
    if not isinstance(frame, nw.LazyFrame):
        return data
    wanted, there = list(dict.fromkeys([*names, *beside])), names_of(data, argument)
    if lacking := [name for name in wanted if name not in there]:
        refuse_one_hot(lacking, there)
        raise MissingColumns(lacking, there)
    table = _collected(frame, wanted)
    if table.num_rows > MAX_ROWS:
        problem = f"{argument} must be of {MAX_ROWS:,} people at most, since they are read into memory, got more"
        raise DeniableError(problem, way_out)
    return with_numbers(table, [name for name in beside if are_of_file(data, name)])


@newer_pandas()
def drawn_people(frame: Any, names: Sequence[str], most: int, argument: str) -> nw.DataFrame[Any]:
    """These columns of so many rows of a Spark frame, drawn at random once and for all."""
    from pyspark.sql import functions

    if lacking := [name for name in names if name not in names_of(frame, argument)]:
        raise MissingColumns(lacking, names_of(frame, argument))
    columns = [column_named(name).alias(f"c{index}") for index, name in enumerate(names)]
    table = frame.select(*columns).orderBy(functions.rand(0)).limit(most).toArrow()
    return nw.from_native(table.rename_columns(list(names)), eager_only=True)


def names_of(data: Any, argument: str) -> list[str]:
    """The names of the columns of any frame, each of them once."""
    frame = _frame(data, argument)
    sql = frame.implementation.is_spark_like() or frame.implementation.is_duckdb()
    names = list(names_in(frame.to_native()) if sql else frame.collect_schema().names())  # a schema names each once
    refuse_named_twice(names, argument)
    return names


def with_numbers(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """The table with numbers in those of these columns whose words are finite numbers, all of them."""
    for name in names:
        if are_numbers(table[name]):
            numbers = pc.cast(table[name], pa.float64())
            table = table.set_column(table.column_names.index(name), name, numbers)
    return table


def _frame(data: Any, argument: str) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(data)
        return frame
    except (TypeError, nw.exceptions.DuplicateError):
        return eager(data, argument)  # which says what is wrong


@newer_pandas()
def _collected(frame: nw.LazyFrame[Any], names: list[str]) -> pa.Table:
    """These columns of no more rows than may come, and one."""
    if is_spark(native := frame.to_native()):
        table = _with_order(native, names).limit(MAX_ROWS + 1).toArrow().sort_by("row").drop_columns("row")
    else:
        plain, called = without_dots(frame, names)
        table = plain.select(called).head(MAX_ROWS + 1).collect(backend="pyarrow").to_native()
    return table.rename_columns(names)


def _with_order(frame: Any, names: list[str]) -> Any:
    """A Spark frame that says where its rows are, since a limit takes them from several partitions in any order."""
    from pyspark.sql import functions

    columns = [column_named(name).alias(f"c{index}") for index, name in enumerate(names)]
    return frame.select(*columns, functions.monotonically_increasing_id().alias("row"))
