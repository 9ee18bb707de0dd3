"""Frames of Spark, written: computed once, as a new folder of parquet files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from deniable.errors import BadFile, BadRequest, NoReplies
from deniable.frame.spark import folder_at, kind_of, refusals_of_tasks
from deniable.frame.spark_errors import refused_by_spark, shown


def check_ending(path: str) -> None:
    """Refuse a path whose ending promises another kind of files."""
    if kind_of(path) not in (None, "parquet"):
        raise BadRequest(
            "--out", "a folder of parquet files where Spark writes", path, "leave its ending out, or write .parquet"
        )


def write_once(session: Any, path: str, make: Callable[[], Any]) -> int:
    """Make a frame, write it at a path where nothing lies, and return how many rows it has.

    A run that is refused or fails leaves nothing behind, so that the next one finds the path free.
    """
    with _new_folder(session, path), refusals_of_tasks():
        make().write.mode("append").parquet(path)  # to the folder that is ours
        with refused_by_spark(path):
            rows = int(session.read.parquet(path).count())
        if not rows:
            raise NoReplies("the data")
        return rows


@contextmanager
def _new_folder(session: Any, path: str) -> Iterator[None]:
    """A folder that this run makes before all else, and removes if it does not come to its end."""
    with refused_by_spark(path, "written"):
        folder = folder_at(session, path)
        if folder.exists():
            raise BadRequest("--out", "a path that is not there yet", path, "choose another")
        if not folder.make():
            raise BadFile(shown(path), "cannot be made by Spark", "choose a path where it may write")
    try:
        yield
    except BaseException:
        folder.remove()
        raise
