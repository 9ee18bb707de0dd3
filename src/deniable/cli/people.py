"""True answers that Spark reads, and makes something of, for `disguise` and `predict`."""

from typing import Any

from deniable.cli.engine import STORES, check_engine, spark_frame
from deniable.errors import BadRequest
from deniable.frame.mark import refuse_marked
from deniable.frame.spark_written import check_ending


def check_paths(engine: str | None, master: str | None, data: str, out: str) -> None:
    """Refuse a master without its engine, and paths that Spark cannot take; nothing is read yet."""
    check_engine(engine, master)
    if engine != "spark":
        return
    check_ending(out)
    if data.startswith(STORES):
        raise BadRequest("DATA", "true answers in files, which no store holds", data, "give a file")


def spark_people(master: str | None, path: str) -> Any:
    """True answers at a path, as a Spark frame."""
    people = spark_frame(master, path)
    refuse_marked(path, people.columns)
    return people
