"""Replies in pieces on Spark: every task sums up what its rows add, and Spark adds up the tasks' sums.

The columns that are needed are kept by Spark between sums, as long as anybody holds the pieces.
"""

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.count.merged import merged
from deniable.count.outline import outline_of
from deniable.count.pieces import ROWS, Arrays, Held, Made, Pieces, worked
from deniable.frame.columns import Missing, reported_columns
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.spark import column_named, quoted, refusals_of_tasks
from deniable.frame.spark_tasks import Batches, mapped

SCHEMA = pa.schema([("place", pa.int64()), ("value", pa.float64())])


@dataclass(frozen=True)
class SparkPieces(Pieces[Held]):
    """What is made of each piece of a Spark frame, not computed yet, and of its outline."""

    frame: "KeptFrame"
    steps: tuple[Callable[[Any], Any], ...]
    outline: Held

    def then(self, make: Callable[[Held], Made | None], outline: Made) -> Pieces[Made]:
        return SparkPieces(self.frame, (*self.steps, make), outline)

    def sum(self, terms: Callable[[Held], Arrays]) -> list[NDArray[Any]]:
        shapes = [np.shape(each) for each in terms(self.outline)]
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
        with newer_pandas(), refusals_of_tasks():
            sums = mapped(self.frame.native, SCHEMA, _Task((*self.steps, terms)))
            together = sums.repartition(1)  # a few rows of each task: many partitions would cost more than they hold
            lazy: Any = nw.from_native(together.groupBy("place").sum("value"))
            places, values = (column.to_numpy() for column in lazy.collect(backend="pyarrow").to_native().columns)
        flat = np.zeros(int(ends[-1]))
        flat[places] = values
        return [flat[one:two].reshape(shape) for one, two, shape in zip(ends, ends[1:], shapes, strict=False)]

    def counted(self, of: Callable[[Held], Distinct]) -> Distinct:
        names = of(self.outline).names
        keys = [f"c{index}" for index in range(len(names))]  # which need no quotes
        schema = pa.schema([*((key, pa.float64()) for key in keys), ("count", pa.float64())])
        with newer_pandas(), refusals_of_tasks():
            rows = mapped(self.frame.native, schema, _Counting((*self.steps, of), schema))
            lazy: Any = nw.from_native(rows.groupBy(keys).sum("count"))
            *columns, counts = (column.to_numpy() for column in lazy.collect(backend="pyarrow").to_native().columns)
        return Distinct(dict(zip(names, columns, strict=True)), counts)


class KeptFrame:
    """A Spark frame that is kept in the cluster as long as this object is held."""

    def __init__(self, native: Any) -> None:
        self.native = native.persist()
        weakref.finalize(self, _let_go, self.native).atexit = False


def _let_go(native: Any) -> None:
    if native.sparkSession.sparkContext._jsc is not None:  # a stopped session keeps nothing
        native.unpersist()


@dataclass(frozen=True)
class _Task:
    """What a task does with its rows: the sums of their terms, one row for each entry that is not zero."""

    steps: tuple[Callable[[Any], Any], ...]

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        total: Any = 0.0
        for table in _gathered(batches):
            found = worked(table, self.steps)
            if found is not None:
                total = total + np.concatenate([np.ravel(each) for each in found])
        places = np.flatnonzero(total)
        if len(places):
            yield pa.RecordBatch.from_arrays([pa.array(places), pa.array(total[places])], schema=SCHEMA)


@dataclass(frozen=True)
class _Counting:
    """What a task does with its rows: the distinct ones of what is made of them, and how often each occurs."""

    steps: tuple[Callable[[Any], Any], ...]
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in _gathered(batches):
            found = worked(table, self.steps)
            if found is not None:
                few = merged(found)
                columns = [pa.array(column.astype(float)) for column in (*few.columns.values(), few.counts)]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _gathered(batches: Batches) -> Iterator[pa.Table]:
    """Spark's small batches, put together."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= ROWS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def spark_pieces(
    design: Design,
    replies: Any,
    names: Sequence[str],
    measured: Sequence[str],
    weights: str | None,
    missing: Missing,
    distinct: Callable[[Any], Distinct],
) -> SparkPieces[Distinct]:
    """The pieces of a Spark frame; `distinct` counts the distinct replies of such a frame."""
    kept = KeptFrame(replies.select([column_named(name) for name in names]))
    questions = [design.reported(name) for name in names]

    def read(table: pa.Table) -> Distinct:
        columns = reported_columns(questions, lambda name: table.column(names.index(name)), names, missing=missing)
        return Distinct(columns, np.ones(table.num_rows))

    return SparkPieces(kept, (read,), _outline(kept.native, measured, weights, distinct))


def _outline(
    replies: Any, measured: Sequence[str], weights: str | None, distinct: Callable[[Any], Distinct]
) -> Distinct:
    """The outline of a frame, whose distinct replies Spark counts."""
    from pyspark.sql import functions

    named = [*measured, *([weights] if weights else [])]
    values = {name: functions.expr(f"nullif(try_cast({quoted(name)} as double), double('NaN'))") for name in named}
    (row,) = replies.agg(*(end(each) for each in values.values() for end in (functions.min, functions.max))).collect()
    ends = {name: (row[2 * index], row[2 * index + 1]) for index, name in enumerate(named)}
    stand_ins = {name: functions.when(each.isNotNull(), functions.lit(ends[name][0])) for name, each in values.items()}
    if weights:  # whoever has none does not count
        own = values[weights]
        stand_ins[weights] = functions.when(own > 0, functions.lit(ends[weights][1])).when(
            own < 0, functions.lit(ends[weights][0])).otherwise(own)  # fmt: skip
    found = distinct(replies.withColumns({name: each.cast("double") for name, each in stand_ins.items()}))
    return outline_of(found, measured, {name: (low or 0.0, high or 0.0) for name, (low, high) in ends.items()})
