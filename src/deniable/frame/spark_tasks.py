"""Work that Spark's tasks do, each on its own rows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.spark import refusing

Batches = Iterable[pa.RecordBatch]
Work = Callable[[Batches], Batches]  # called once in each task, with all its rows


def mapped(frame: Any, schema: pa.Schema, work: Work) -> Any:
    """The frame of what tasks make of their rows, with the columns of this schema; not computed yet."""
    from pyspark.sql.pandas.types import from_arrow_schema

    names = frame.columns
    plain = frame.toDF(*(f"c{index}" for index in range(len(names))))  # for mapInArrow, which quotes no name
    with newer_pandas():
        return plain.mapInArrow(_Task(names, work), from_arrow_schema(schema))


@dataclass(frozen=True)
class _Task:
    """Work on batches that have rows, refused in words that the driver reads."""

    names: list[str]
    work: Work

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        with refusing():
            yield from self.work(batch.rename_columns(self.names) for batch in batches if batch.num_rows)
