"""Counts over replies, whatever they come in: a data frame, a file, the URL of a store, or counts already."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import narwhals as nw

from deniable.channel.design import Design, check_design
from deniable.collect.places import is_store
from deniable.count.counts import ArrayCounts, Counts
from deniable.count.frame import FrameCounts
from deniable.count.missing import lacking_answers
from deniable.count.possible import WatchedCounts
from deniable.count.stored import StoreCounts
from deniable.count.weighted import WeightedCounts
from deniable.errors import BadRequest, MissingValues
from deniable.errors.warn import warn
from deniable.frame import files
from deniable.frame.columns import Missing, refuses, reported_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.mark import MARK, check_marks
from deniable.frame.spark import is_spark


def counts_of(
    design: Design,
    replies: Any,
    missing: Missing = "skip",
    progress: files.Progress | None = None,
    *,
    check_mark: bool = True,
    one_by_one: bool = False,
    weights: str | None = None,
) -> Counts:
    """Counts over replies given as any data frame, the path of a file, the URL of a store, or as counts already.

    Replies with missing cells are counted where they answer what is asked for, or refused. Counts made here warn of
    replies that the design cannot produce; counts that are passed in are returned as they are. A file may say under
    which design it was disguised (its mark), which is checked unless `check_mark` is false. A frame in memory hands out
    its replies `one_by_one`, in their order, where that is asked for. Of the column of a sample's `weights` engines may
    hand out two for each reply, which stand for very many.
    """
    check_design(design)
    refused = refuses(missing)
    if not isinstance(replies, Counts):
        counts = _counted(design, replies, missing, progress, check_mark, one_by_one)
        if not counts.names:
            counts.distinct(design.names)  # which refuses: no question has a column
        if refused and design.versioned:
            refuse_lacking(design, counts)
        return WatchedCounts(design, counts if weights is None else WeightedCounts(counts, weights))
    if refused:
        raise BadRequest("missing", "'skip' for replies that are counted already", missing, "refuse when counting")
    return replies


def refuse_lacking(design: Design, counts: Counts) -> None:
    """Refuse replies that lack an answer which their version asks for."""
    asked = [(str(block.column), name) for block in design.versioned for name in block.names]
    found: dict[str, int] = {}
    for replies in counts.tables([each for each in asked if set(each) <= set(counts.names)]):
        for name, there in lacking_answers(design, replies.columns).items():
            found[name] = round(float(replies.counts[there].sum()))
    if found:
        raise MissingValues(found)


def _counted(
    design: Design,
    replies: Any,
    missing: Missing,
    progress: files.Progress | None,
    check_mark: bool,
    one_by_one: bool,
) -> Counts:
    if isinstance(replies, str) and is_store(replies):
        return StoreCounts(design, replies)
    if isinstance(replies, str | PathLike):
        return _of_file(design, Path(replies), missing, progress, check_mark)
    try:
        frame = nw.from_native(replies)
    except TypeError as error:
        raise BadRequest(
            "replies",
            "a data frame, a file or the URL of a store",
            type(replies).__name__,
            "give one of them",
        ) from error
    except nw.exceptions.DuplicateError:
        frame = eager(replies, "replies")  # which says so
    if isinstance(frame, nw.LazyFrame):
        return FrameCounts(design, frame, missing)
    frame = eager(replies, "replies")
    if MARK in frame.columns:
        check_marks(design, frame[MARK].unique().to_list())
    questions = [design.reported(name) for name in design.columns if name in frame.columns]
    columns = reported_columns(questions, lambda name: arrow(frame[name]), frame.columns, missing=missing)
    return ArrayCounts(columns, [name for name in frame.columns if name not in columns], one_by_one)


def _of_file(design: Design, path: Path, missing: Missing, progress: files.Progress | None, check_mark: bool) -> Counts:
    from deniable.count.files import FileCounts  # brings a database

    counts = FileCounts(design, path, progress, missing)
    if check_mark and not counts.check_marks():
        warn(
            f"{path} does not say under which design it was disguised (no column {MARK}); if these are true answers, "
            "disguise them first: deniable disguise DESIGN FILE -o REPLIES"
        )
    return counts


def warn_of_rows(design: Design, replies: Any, names: Sequence[str]) -> None:
    """Say so where single replies leave a cluster: trees and naive Bayes take numbers under noise one by one."""
    numbers = [name for name in names if name in design.names and design.has_noise(name)]
    if numbers and is_spark(replies):
        warn(
            "all replies are collected from Spark, since single replies are needed to learn from numbers under noise "
            f"({', '.join(numbers)}); without them only counts are"
        )


def backend_of(replies: Any) -> Any:
    """The kind of frame in which to answer: that of the replies, where they are a frame in memory."""
    if isinstance(replies, Counts | str | PathLike):
        return "pyarrow"
    frame = nw.from_native(replies)
    return frame.implementation if isinstance(frame, nw.DataFrame) else "pyarrow"
