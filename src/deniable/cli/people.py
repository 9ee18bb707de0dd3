"""True answers that a command takes, read by Spark or here: people to disguise or predict, and pilots."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deniable.channel.design import Design
from deniable.cli.arguments import whole_table
from deniable.cli.engine import STORES, check_engine, spark_frame
from deniable.errors import BadRequest
from deniable.frame import files
from deniable.frame.in_memory import with_numbers
from deniable.frame.mark import refuse_marked
from deniable.frame.spark_errors import refused_by_spark
from deniable.frame.spark_written import check_ending


def check_paths(engine: str | None, master: str | None, data: str, out: str) -> None:
    """Refuse a master without its engine, and paths that Spark cannot take; nothing is read yet."""
    if read_by_spark(engine, master, data):
        check_ending(out)


def read_by_spark(engine: str | None, master: str | None, data: str, argument: str = "DATA") -> bool:
    """Whether Spark is to read a path; a master without its engine is refused, and a store, which Spark cannot read."""
    check_engine(engine, master)
    if engine is not None and data.startswith(STORES):
        raise BadRequest(argument, "true answers in files, which no store holds", data, "give a file")
    return engine is not None


def spark_people(master: str | None, path: str) -> Any:
    """True answers at a path, as a Spark frame."""
    people = spark_frame(master, path)
    refuse_marked(path, people.columns)
    return people


@contextmanager
def pilot_at(path: str | None, design: Design, engine: str | None, master: str | None) -> Iterator[Any]:
    """The pilot at a path, if one is given; what Spark refuses while it is read is refused in one line."""
    if path is None:
        check_engine(engine, master)
        if engine is not None:
            raise BadRequest("--engine", "given with --pilot, which it reads", engine, "add --pilot, or leave it out")
        yield None
    elif read_by_spark(engine, master, path, "--pilot"):
        people = spark_people(master, path)
        with refused_by_spark(path):  # which reads late
            yield people
    else:
        yield _pilot_here(Path(path), design)


def _pilot_here(path: Path, design: Design) -> Any:
    """A whole file, with numbers in columns beside the questions that are nothing else."""
    refuse_marked(path, files.column_names(path))
    people = whole_table(path, "reading the pilot")
    if files.kind_of(path) not in files.IN_WORDS:
        return people
    return with_numbers(people, [name for name in people.column_names if name not in design.columns])
