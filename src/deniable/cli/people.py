"""True answers that Spark reads, and makes something of, for `disguise` and `predict`."""

from typing import Any

from deniable.cli.engine import spark_frame
from deniable.frame.mark import refuse_marked
from deniable.frame.spark_written import check_ending


def spark_people(master: str | None, path: str, out: str) -> Any:
    """True answers at a path, as a Spark frame; what Spark makes of them goes to another path."""
    check_ending(out)
    people = spark_frame(master, path)
    refuse_marked(path, people.columns)
    return people
