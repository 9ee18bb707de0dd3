"""Frames of Spark, written: computed once, as a new folder of parquet files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deniable.errors import BadRequest, NoReplies
from deniable.frame.spark import folder_at, kind_of, refusals_of_tasks


def check_ending(path: str) -> None:
    """Refuse a path whose ending promises another kind of files."""
    if kind_of(path) not in (None, "parquet"):
        raise BadRequest(
            "--out", "a folder of parquet files where Spark writes", path, "leave its ending out, or write .parquet"
        )


def check_free(session: Any, path: str) -> None:
    """Refuse a path at which something lies."""
    if folder_at(session, path).exists():
        raise _taken(path)


def write_once(made: Any, path: str) -> int:
    """Write a frame and return how many rows it has.

    A run that is refused or fails leaves nothing behind, so that the next one finds the path free.
    """
    session = made.sparkSession
    with refusals_of_tasks(), _removed_unless_whole(session, path):
        _write(made, path)
        rows = int(session.read.parquet(path).count())
        if not rows:
            raise NoReplies("the data")
        return rows


def _write(made: Any, path: str) -> None:
    from pyspark.errors import AnalysisException

    try:
        made.write.parquet(path)
    except AnalysisException as error:  # somebody else was faster
        raise _taken(path) from error


def _taken(path: str) -> BadRequest:
    return BadRequest("--out", "a path that is not there yet", path, "choose another")


@contextmanager
def _removed_unless_whole(session: Any, path: str) -> Iterator[None]:
    """Remove the folder that this run makes at a free path if the run does not come to its end."""
    try:
        yield
    except BadRequest:  # which another one made
        raise
    except BaseException:
        folder_at(session, path).remove()
        raise
