"""Columns that Spark computes from others, row by row: expressions, which its frames take by `withColumn`."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from deniable.errors import MissingColumns
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.spark import column_named, refusing

Value = Callable[[pa.Table], pa.Array]


def column_of(frame: Any, names: Sequence[str], kind: pa.DataType, value: Value) -> Any:
    """The column of what these columns of a frame give, with a value of this kind for every row."""
    from pyspark.sql import functions
    from pyspark.sql.pandas.functions import arrow_udf
    from pyspark.sql.pandas.types import from_arrow_type

    if lacking := [name for name in names if name not in frame.columns]:
        raise MissingColumns(lacking, frame.columns)
    together = functions.struct(*(column_named(name).alias(f"c{index}") for index, name in enumerate(names)))

    def of_rows(rows: pa.Array) -> pa.Array:
        with refusing():
            return value(pa.table(rows.flatten(), names=list(names)))

    with newer_pandas():
        return arrow_udf(of_rows, from_arrow_type(kind))(together)  # type: ignore[call-overload]
