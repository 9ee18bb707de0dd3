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
from deniable.count.counts import Distinct, is_answered, tally
from deniable.frame.columns import reported_columns
from deniable.frame.frames import arrow
from deniable.frame.mark import MARK, check_marks
from deniable.survey.question import Question

TIMES = "_times"


class FrameCounts:
    """Counts over replies in a frame of any engine."""

    def __init__(self, design: Design, replies: nw.LazyFrame[Any]) -> None:
        self._design = design
        self._replies = replies
        self._names = replies.collect_schema().names()
        if MARK in self._names:
            check_marks(design, replies.select(MARK).unique().collect()[MARK].to_list())

    @cached_property
    def n(self) -> int:
        return int(self._replies.select(nw.len()).collect().item())

    def distinct(self, names: Sequence[str]) -> Distinct:
        known = [name for name in names if name in self._names]
        grouped = self._replies.group_by(known).agg(nw.len().alias(TIMES)).collect(backend="pyarrow")
        questions = [self._design.reported(name) for name in names]
        columns = reported_columns(questions, lambda name: arrow(grouped[name]), grouped.columns)
        times = grouped[TIMES].to_numpy().astype(float)
        answered = np.logical_and.reduce([is_answered(column) for column in columns.values()])
        return Distinct({name: column[answered] for name, column in columns.items()}, times[answered])

    def counts(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return tally(self.distinct([question.name for question in questions]), questions)
