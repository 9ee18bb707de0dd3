"""Column with a number for every reply: in the replies' order, or, on Spark, which keeps none, as Spark computes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.count.replies import backend_of
from deniable.frame import files
from deniable.frame.columns import reported_columns
from deniable.frame.frames import eager
from deniable.frame.spark import is_spark
from deniable.frame.spark_columns import column_of
from deniable.survey.question import Question

Floats = NDArray[np.float64]
NumbersOf = Callable[[Distinct], Floats]  # a number for each of some replies, NaN for none

NAME = "weight"


def in_rows(replies: Any) -> Any:
    """A frame of Spark as it is; any other, or the table in a file, in memory, where rows have an order."""
    if is_spark(replies):
        return replies
    if isinstance(replies, str | PathLike):
        return pa.concat_tables(files.read(Path(replies)))
    return eager(replies, "replies").to_native()


def reply_column(design: Design, replies: Any, counts: Counts, names: Sequence[str], numbers_of: NumbersOf) -> Any:
    """The column of what these columns of replies give, of the replies' own kind (pandas: with their index)."""
    if is_spark(replies):
        questions = tuple(design.reported(name) for name in names)
        return column_of(replies, names, pa.float64(), _OfRows(questions, numbers_of))
    values = numbers_of(counts.distinct(names, answered=False))
    known = [None if lacks else number for number, lacks in zip(values.tolist(), np.isnan(values), strict=True)]
    native = nw.new_series(NAME, known, nw.Float64, backend=backend_of(replies)).to_native()
    index = nw.maybe_get_index(nw.from_native(replies))
    return native if index is None else native.set_axis(index)


@dataclass(frozen=True)
class _OfRows:
    """The numbers of some rows, in a task of Spark."""

    questions: tuple[Question, ...]  # as reported
    numbers_of: NumbersOf

    def __call__(self, rows: pa.Table) -> pa.Array:
        columns = reported_columns(self.questions, rows.column, rows.column_names, missing="skip")
        return pa.array(self.numbers_of(Distinct(columns, np.ones(rows.num_rows))), from_pandas=True)  # NaN is null
