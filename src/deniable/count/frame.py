"""Counts inside a data frame's own engine.

Polars lazy frames, DuckDB, Spark, Dask and their like group and count where the data are; only the
distinct replies to the questions at hand come back.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Distinct, check_names, tally
from deniable.errors import BadRequest
from deniable.frame.columns import Missing, reported_columns
from deniable.frame.frames import arrow
from deniable.frame.mark import MARK, check_marks
from deniable.survey.question import Question


class FrameCounts:
    """Counts over replies in a frame of any engine."""

    def __init__(self, design: Design, replies: nw.LazyFrame[Any], missing: Missing = "skip") -> None:
        self._design = design
        self._missing = missing
        self._replies = replies
        self._names = replies.collect_schema().names()
        if MARK in self._names:
            check_marks(design, replies.select(MARK).unique().collect()[MARK].to_list())

    @cached_property
    def n(self) -> int:
        return int(self._replies.select(nw.len()).collect().item())

    @property
    def names(self) -> Sequence[str]:
        return [name for name in self._design.columns if name in self._names]

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        return [self.distinct(names, answered=False) for names in many]

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        check_names(names, self._names)
        self._check_dots(names)
        alias = "times" + "_" * max(map(len, self._names))  # a name that no column has
        grouped = self._replies.group_by(*names).agg(nw.len().alias(alias)).collect(backend="pyarrow")
        counts = grouped[alias].to_numpy().astype(float)
        questions = [self._design.reported(name) for name in names]
        columns = reported_columns(
            questions, lambda name: arrow(grouped[name]), grouped.columns, counts, missing=self._missing
        )
        return Distinct(columns, counts).answered(answered)

    def _check_dots(self, names: Sequence[str]) -> None:
        """SQL engines take a dot in a name for a field of a column."""
        dotted = [name for name in names if "." in name]
        engine = self._replies.implementation
        if dotted and (engine.is_duckdb() or engine.is_spark_like()):
            raise BadRequest(
                "a column of this engine", "named without a dot", dotted[0], "rename it there and in the design"
            )

    def table(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)
