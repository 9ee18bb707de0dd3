"""Spark: its session, what it reads, and what its tasks refuse.

Spark reads a path wherever it lies: a file or folder here, or hdfs://, s3a:// and the like. Its ending says of which
kind it is; a path without a known ending is one of parquet files. In csv and json every value is a word, as our own
reader has it (files.py).
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from deniable.errors import BadFile, BadRequest, DeniableError
from deniable.extras import needed_for
from deniable.frame.formulas import plain_name

SETTINGS: dict[str, Any] = {"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}
REFUSED = "deniable refused: "  # what a task writes before its reason, which the driver reads again


def is_spark(data: object) -> bool:
    """Whether this is a frame of Spark, known without loading it."""
    return type(data).__module__.startswith("pyspark.sql") and type(data).__name__ == "DataFrame"


def session_at(master: str | None) -> Any:
    """The session of a master (spark://HOST:PORT, local[4], yarn); the one that Spark is configured for if left out."""
    with needed_for("--engine spark", "spark"):
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("deniable").config(map=SETTINGS)
    try:
        return (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as error:
        if not (isinstance(error, PySparkException | RuntimeError) or type(error).__module__.startswith("py4j")):
            raise
        way_out = "check it, and that Java 17 is there"
        raise BadRequest("--master", "one at which Spark can start", master or "none", way_out) from error


def frame_at(master: str | None, path: str) -> Any:
    """The frame of what lies at a path."""
    session = session_at(master)
    from pyspark.errors import PySparkException

    try:
        return _read(session, path)
    except PySparkException as error:
        problem = " ".join(str(error).split("SQLSTATE")[0].split())[:200]
        raise BadFile(path, f"cannot be read by Spark ({problem})", "check the path") from error


def _read(session: Any, path: str) -> Any:
    kind = PurePosixPath(path.split("?")[0]).suffix.lower()
    if kind == ".csv":
        options = {"header": True, "multiLine": True, "quote": '"', "escape": '"', "mode": "FAILFAST"}
        return _without_empty_words(session.read.options(**options).csv(path))
    if kind in (".json", ".jsonl"):
        return session.read.option("primitivesAsString", True).json(path)
    return session.read.orc(path) if kind == ".orc" else session.read.parquet(path)


def _without_empty_words(frame: Any) -> Any:
    """In csv an empty field is missing, with quotes or without; names are meant without what guards formulas."""
    from pyspark.sql import functions

    columns = [functions.col(f"`{name.replace('`', '``')}`") for name in frame.columns]
    return frame.select(
        [
            functions.when(column != "", column).alias(plain_name(name))
            for name, column in zip(frame.columns, columns, strict=True)
        ]
    )


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
