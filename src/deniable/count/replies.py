"""The door through which replies come in: checked once, counted ever after."""

import warnings
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from deniable.channel.design import Design, check_design
from deniable.collect.places import is_store
from deniable.count.counts import ArrayCounts, Counts
from deniable.count.frame import FrameCounts
from deniable.count.possible import WatchedCounts
from deniable.count.stored import StoreCounts
from deniable.errors import BadRequest
from deniable.frame import files
from deniable.frame.columns import Column, Missing, missing_counted, refuses, reported_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.mark import MARK, check_marks


def counts_of(design: Design, replies: Any, missing: Missing = "skip") -> Counts:
    """Counts over replies given as any data frame, as the URL of a store, or as counts already.

    Replies with missing cells are counted where they answer what is asked for, or refused. Counts warn where replies
    cannot be replies to this design; who gives counts has looked at that.
    """
    check_design(design)
    refused = refuses(missing)
    if not isinstance(replies, Counts):
        return WatchedCounts(design, _counted(design, replies, missing))
    if refused:
        raise BadRequest("missing", "'skip' for replies that are counted already", missing, "refuse when counting")
    return replies


def _counted(design: Design, replies: Any, missing: Missing) -> Counts:
    if isinstance(replies, str) and is_store(replies):
        return StoreCounts(design, replies)
    try:
        frame = nw.from_native(replies)
    except TypeError as error:
        raise BadRequest(
            "replies", "a data frame or the URL of a store", type(replies).__name__, "read the file into one first"
        ) from error
    if isinstance(frame, nw.LazyFrame):
        return FrameCounts(design, frame, missing)
    frame = eager(replies, "replies")
    if MARK in frame.columns:
        check_marks(design, frame[MARK].unique().to_list())
    questions = [design.reported(name) for name in design.names if name in frame.columns]
    columns = reported_columns(questions, lambda name: arrow(frame[name]), frame.columns, missing=missing)
    return ArrayCounts(columns, [name for name in frame.columns if name not in columns])


def counts_of_file(
    design: Design, path: Path, progress: files.Progress | None = None, missing: Missing = "skip"
) -> ArrayCounts:
    """Counts over a file of replies (or a folder of parquet files), read a piece at a time."""
    names = files.column_names(path)
    marked = MARK in names
    if not marked:
        warnings.warn(f"{path} does not say under which design it was disguised (no column {MARK})", stacklevel=2)
    pieces: list[dict[str, Column]] = []
    questions = [design.reported(name) for name in design.names]
    for piece in files.read(path, design.names + [MARK] * marked, progress):
        if marked:
            check_marks(design, piece.column(MARK).cast(pa.string()).unique().to_pylist())
        with missing_counted(questions, path):
            pieces.append(reported_columns(questions, piece.column, piece.column_names, missing=missing))
    return ArrayCounts({name: np.concatenate([piece[name] for piece in pieces]) for name in design.names})


def backend_of(replies: Any) -> Any:
    """The kind of frame in which to answer: that of the replies, where they are a frame in memory."""
    if isinstance(replies, Counts | str):
        return "pyarrow"
    frame = nw.from_native(replies)
    return frame.implementation if isinstance(frame, nw.DataFrame) else "pyarrow"
