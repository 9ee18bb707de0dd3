"""Replies that `simulate` sends: those in a table, or its true answers, disguised; read here or by Spark."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.channel.design import Design
from deniable.cli.people import read_by_spark
from deniable.count.files import read_whole
from deniable.device.disguise import disguise, needed_columns
from deniable.errors import BadRequest, NoReplies
from deniable.errors.refusal import found_in
from deniable.frame import files
from deniable.frame.columns import Column, in_words, reported_columns
from deniable.frame.in_memory import in_memory
from deniable.frame.mark import MARK, check_marks
from deniable.frame.spark_errors import refused_by_spark, shown


def check_sent(engine: str | None, master: str | None, data: str) -> None:
    """Refuse what Spark does not read: a store, and one saved reply."""
    if read_by_spark(engine, master, data) and is_saved(data):
        raise BadRequest("--engine", "left out for a reply that a page saved", engine,
                         "leave it out; name a file with one JSON object on each line .jsonl")  # fmt: skip


def is_saved(data: str | Path) -> bool:
    """Whether it is one reply that a page saved."""
    return Path(data).suffix == ".json"


def replies_in(design: Design, data: Path) -> pa.Table:
    """The replies in a file, or its true answers, disguised as each respondent's device would."""
    if MARK in files.column_names(data):
        return _in_words(design, read_whole(design, data, design.columns, None, "refuse").columns)
    wanted = needed_columns(design, files.column_names(data))
    return disguise(design, pa.concat_tables(files.read(data, wanted)))


def replies_of_spark(design: Design, data: str, frame: Any) -> pa.Table:
    """The same of a Spark frame, whose rows come here, since this process sends them one by one."""
    marked = MARK in frame.columns
    wanted = [*design.columns, MARK] if marked else needed_columns(design, frame.columns)
    with refused_by_spark(data), found_in(shown(data)):
        rows = in_memory(frame, wanted, "DATA", "send them in parts")
        if not rows.num_rows:
            raise NoReplies(shown(data))
        if not marked:
            return disguise(design, rows)
        check_marks(design, rows[MARK].unique().to_pylist())
        reported = [design.reported(name) for name in design.columns]
        return _in_words(design, reported_columns(reported, rows.column, rows.column_names))


def _in_words(design: Design, columns: Mapping[str, Column]) -> pa.Table:
    """Replies as the site takes them."""
    return pa.table({name: in_words(design.reported(name), columns[name], pa.string()) for name in design.columns})
