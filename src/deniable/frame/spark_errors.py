"""Refusals where Spark cannot read or count what lies at a path: one line instead of the trace of a Java process.

Spark reads late, so an error may come while replies are counted. What its own message repeats of the data (a malformed
row, with its answers) is not repeated here.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deniable.errors import BadFile

USED = "read or counted"  # what Spark does with a path, unless said otherwise
KINDS = ".csv, .json, .jsonl, .orc or .parquet, the first three also with .gz or .bz2"
REASONS = (  # what Spark says, what is wrong, the way out
    (  # first, since its message repeats the row, in whatever words
        r"(?i)malformed (records|csv)|MALFORMED_",
        "has a row that does not fit its header, or is no proper csv or json",
        "mend that row: as many values as the header has names",
    ),
    (  # before what is not there, since Java calls a file that may not be read a FileNotFoundException too
        r"AccessControlException|Permission denied|AccessDenied|Forbidden",
        "may not be {used} by Spark",
        "ask for the permission, or name another path",
    ),
    (r"PATH_NOT_FOUND|FileNotFoundException", "is not there", "check the path"),
    (
        r"CSV header does not conform|Number of column in CSV header",
        "holds csv files with different headers, or a column without a name",
        "give all files the same header",
    ),
    (
        r"CANNOT_READ_FILE_FOOTER|is not a Parquet file|Malformed ORC|not an ORC|Could not read footer",
        "holds no files of the kind that its ending says (without one: parquet)",
        f"name files by what they hold: {KINDS}",
    ),
    (
        r"COLUMN_ALREADY_EXISTS|AMBIGUOUS_REFERENCE",
        "has two columns of one name (to Spark, upper and lower case are the same)",
        "rename one of them",
    ),
    (r"UNABLE_TO_INFER_SCHEMA", "is empty, expected a file or a folder of files", "check the path"),
    (
        r"ClassNotFoundException: Class ([\w.]+FileSystem)\b|No FileSystem for scheme|UnsupportedFileSystemException",
        "lies in a file system that this Spark has no package for",
        "add the package to spark.jars.packages (for s3a:// org.apache.hadoop:hadoop-aws), or copy the files",
    ),
    (
        r"Incomplete HDFS URI|UnknownHostException|ConnectException|failed on connection|NoRouteToHost|SocketTimeout",
        "lies in a file system that does not answer",
        "name its host and port before the path, and check that it runs",
    ),
)  # fmt: skip


def is_of_spark(error: BaseException) -> bool:
    """Whether it was raised by Spark, or by what it talks to Java with; known without loading them."""
    return type(error).__module__.split(".")[0] in ("pyspark", "py4j")


@contextmanager
def refused_by_spark(path: str, used: str = USED) -> Iterator[None]:
    """What Spark cannot do with a path, or the data there, refused in one line."""
    try:
        yield
    except Exception as error:
        if not is_of_spark(error):
            raise
        if _after_interrupt(error):  # which Spark has hidden behind a job that was cancelled
            raise KeyboardInterrupt from error
        raise BadFile(shown(path), *reason_of(error, used)) from error


def _after_interrupt(error: BaseException) -> bool:
    context = error.__context__
    return context is not None and (isinstance(context, KeyboardInterrupt) or _after_interrupt(context))


def shown(path: str) -> str:
    """A path for a message; a URL in quotes, or what follows it would be taken for its password and hidden."""
    return repr(path) if "://" in path else path


def reason_of(error: BaseException, used: str = USED) -> tuple[str, str]:
    """What is wrong, and the way out."""
    text = _whole_text(error)
    for sign, problem, way_out in REASONS:
        if re.search(sign, text):
            return problem.format(used=used), way_out
    return f"cannot be {used} by Spark ({_innermost(text)})", "check the path, and that Spark can reach it"


def _whole_text(error: Any) -> str:
    """The message with all its causes."""
    return "\n".join(str(part) for part in (error, getattr(error, "_stackTrace", None), error.__cause__) if part)


def _innermost(text: str) -> str:
    """The first line of the last cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    told = [line.removeprefix(": ") for line in lines if not line.startswith(("An error occurred", "at "))]
    found = causes[-1] if causes else next(iter(told), "no reason given")
    return found.split(" SQLSTATE")[0][:200]
