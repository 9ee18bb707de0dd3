"""Names with a dot, which engines of SQL take for a field of a column where nobody quotes them."""

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from deniable.errors import BadRequest
from deniable.frame.spark import column_named


def without_dots(frame: nw.LazyFrame[Any], names: Sequence[str]) -> tuple[nw.LazyFrame[Any], list[str]]:
    """A frame that has these columns, and what they are called in it: something else where a dot would be misread."""
    engine = frame.implementation
    dotted = [name for name in names if "." in name]
    if not dotted or not (engine.is_duckdb() or engine.is_spark_like()):
        return frame, list(names)
    native, called = frame.to_native(), [f"c{index}" for index in range(len(names))]
    if engine.is_duckdb():
        quoted = (name.replace('"', '""') for name in names)
        made = native.project(", ".join(f'"{name}" as {own}' for name, own in zip(quoted, called, strict=True)))
    elif engine.is_sqlframe():
        raise BadRequest("a column of this engine", "named without a dot", dotted[0], "rename it there and wherever "
                         "the design or the request names it")  # fmt: skip
    else:
        made = native.select([column_named(name).alias(own) for name, own in zip(names, called, strict=True)])
    return nw.from_native(made), called
