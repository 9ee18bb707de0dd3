"""Spark: its session, what it reads, and what its tasks refuse.

Spark reads a path wherever it lies: a file or folder here, or hdfs://, s3a:// and the like. Its ending says of which
kind it is. Where it has none, as a folder, the endings of the files that Spark finds in it do; files without one are
parquet. In csv and json every value is a word, as our own reader has it (files.py).
"""

import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from deniable.errors import BadFile, BadRequest, DeniableError
from deniable.extras import needed_for
from deniable.frame.formulas import plain_name
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.spark_errors import refused_by_spark, shown

SETTINGS: dict[str, Any] = {"spark.log.level": "FATAL", "spark.ui.showConsoleProgress": "false"}  # we say what failed
KINDS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".orc": "orc", ".parquet": "parquet"}
TICK = 0.5  # seconds
COMPRESSED = (".gz", ".bz2")  # of csv and json
CSV = {"header": True, "multiLine": True, "quote": '"', "escape": '"', "mode": "FAILFAST"}
ORIGIN = {"deniable": "words of a file"}  # what a frame's schema says of a column of csv or json
REFUSED = "deniable refused: "  # what a task writes before its reason, which the driver reads again


def is_spark(data: object) -> bool:
    """Whether this is a frame of Spark, known without loading it."""
    return type(data).__module__.startswith("pyspark.sql") and type(data).__name__ == "DataFrame"


def column_named(name: str) -> Any:
    """A column of Spark, whatever is in its name."""
    from pyspark.sql import functions

    return functions.col(quoted(name))


def quoted(name: str) -> str:
    """A column's name in Spark's SQL."""
    return f"`{name.replace('`', '``')}`"


def session_at(master: str | None) -> Any:
    """The session of a master (spark://HOST:PORT, local[4], yarn); the one that Spark is configured for if left out."""
    with needed_for("--engine spark", "spark"):
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("deniable").config(map=SETTINGS)
    try:
        with newer_pandas():
            session = (builder if master is None else builder.master(master)).getOrCreate()
        _stop_on_interrupt(session.sparkContext)
        return session
    except Exception as error:
        if not (isinstance(error, PySparkException | RuntimeError) or type(error).__module__.startswith("py4j")):
            raise
        way_out = "check it, and that Java 17 is there"
        raise BadRequest("--master", "one at which Spark can start", master or "none", way_out) from error


def _stop_on_interrupt(context: Any) -> None:
    """Let Ctrl-C cancel what Spark does, now and until the command has ended.

    Spark's own way cancels what runs at that moment. A job that is just being sent would go on, and be waited for.
    """

    def cancel() -> None:
        with suppress(Exception):  # of a session that has gone
            while True:
                context.cancelAllJobs()
                time.sleep(TICK)

    def interrupted(*_: Any) -> None:
        threading.Thread(target=cancel, daemon=True).start()
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupted)


def frame_at(master: str | None, path: str) -> Any:
    """The frame of what lies at a path."""
    session = session_at(master)
    with refused_by_spark(path):
        return _read(session, path)


def kind_of(path: str) -> str | None:
    """The kind of files that a path's ending says, if it says any."""
    inside = PurePosixPath(path.split("?")[0])
    inside = inside.with_suffix("") if inside.suffix.lower() in COMPRESSED else inside
    return KINDS.get(inside.suffix.lower())


def _read(session: Any, path: str) -> Any:
    kind = kind_of(path)
    found = [] if kind in ("orc", "parquet") else session.read.text(path).inputFiles()
    if kind is None:
        kind = _kind_in(path, found)
    if kind == "csv":  # of several files, the header of each is held against the first one's
        frame = session.read.options(**CSV, enforceSchema=len(found) < 2).csv(path)
        _refuse_named_twice(session, path, found[:1], frame.columns)
        return _in_words(frame, empty=False)
    if kind == "json":
        return _in_words(session.read.options(primitivesAsString=True, mode="FAILFAST").json(path), empty=True)
    return session.read.orc(path) if kind == "orc" else session.read.parquet(path)


def _kind_in(path: str, found: list[str]) -> str:
    """The kind of the files in a folder; parquet where no ending says it."""
    kinds = sorted({kind_of(each) or "parquet" for each in found})
    if len(kinds) > 1:
        problem = f"holds files of several kinds ({', '.join(kinds)})"
        raise BadFile(shown(path), problem, f"name one of them: {path.rstrip('/')}/*.{kinds[0]}")
    return kinds[0] if kinds else "parquet"


def _refuse_named_twice(session: Any, path: str, first: list[str], columns: list[str]) -> None:
    """Refuse a csv file that names a column twice, to both of which Spark appends their index."""
    stems = [name.removesuffix(str(index)).casefold() for index, name in enumerate(columns)]
    if len(set(stems)) == len(stems):
        return
    heads = [str(head) for head in session.read.options(**CSV | {"header": False}).csv(first).first()]
    if twice := [head for head in heads if [each.casefold() for each in heads].count(head.casefold()) > 1]:
        problem = f"has more than one column {twice[0]!r} (to Spark, upper and lower case are the same)"
        raise BadFile(shown(path), problem, "rename or remove the others")


def _in_words(frame: Any, empty: bool) -> Any:
    """Columns that say that they are the words of a file.

    In csv an empty field is missing, with quotes or without; names are meant without what guards formulas.
    """
    from pyspark.sql import functions

    made = []
    for name in frame.columns:
        column, meant = column_named(name), name if empty else plain_name(name)
        made.append((column if empty else functions.when(column != "", column)).alias(meant, metadata=ORIGIN))
    return frame.select(made)


@dataclass(frozen=True)
class Folder:
    """A path in whatever file system Spark has it."""

    system: Any
    path: Any

    def exists(self) -> bool:
        """Whether anything lies there."""
        return bool(self.system.exists(self.path))

    def make(self) -> bool:
        """Make it, and say whether it is there now."""
        return bool(self.system.mkdirs(self.path))

    def remove(self) -> None:
        """Remove it with all that lies in it."""
        self.system.delete(self.path, True)


def folder_at(session: Any, path: str) -> Folder:
    """The folder at a path, by Spark's own means."""
    found = session._jvm.org.apache.hadoop.fs.Path(path)
    return Folder(found.getFileSystem(session._jsc.hadoopConfiguration()), found)


@contextmanager
def refusals_of_tasks() -> Iterator[None]:
    """What a task refuses, refused here: in one line, not in the trace of a distant process."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = re.search(re.escape(REFUSED) + r"(\[.*\])", str(error))
        if lacking := re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", str(error)):
            problem = f"the Python of Spark's workers has no package {lacking[1]!r}"
            raise DeniableError(problem, "install deniable there, and name that Python in PYSPARK_PYTHON") from None
        if found is None:
            raise
        problem, way_out = json.loads(found.group(1))
        raise DeniableError(problem, way_out) from None


@contextmanager
def refusing() -> Iterator[None]:
    """In a task: a refusal that the driver can read."""
    try:
        yield
    except DeniableError as error:
        raise RuntimeError(f"{REFUSED}{json.dumps([error.problem, error.way_out])}") from None
