"""A first design from what Spark reads, the same as from a local file, by aggregates alone."""

from collections.abc import Mapping, Sequence
from math import floor
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from deniable.errors import NoReplies
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.seen import QUARTERS, Numbers, Where, cut_between, whole_cut
from deniable.frame.spark import COMPRESSED, KINDS, kind_of
from deniable.frame.spark_errors import shown
from deniable.frame.spark_seen import SparkColumn, first_row, seen_by_spark
from deniable.frame.suggest import Suggestion, suggestion

FIRST = 1_000  # records whose keys say in which order columns are
SHARES = {"median": (0.5,), "quarters": QUARTERS}

Limits = Mapping[str, Sequence[float]]  # by column


def suggest_spark(frame: Any, path: str, cut: Where | None = None, bands: bool = False) -> Suggestion:
    """A design for a Spark frame that was read from a path."""
    with newer_pandas():
        columns = {name: SparkColumn.of(frame, name, index) for index, name in enumerate(_in_order(frame, path))}
        seen = seen_by_spark(frame, list(columns.values()))
        if not any(column.rows for column in seen.values()):
            raise NoReplies(shown(path))

        def cuts(names: Sequence[str], where: Where) -> dict[str, list[float]]:
            numbers = {name: found for name in names if (found := seen[name].numbers) is not None}
            answered = {name: seen[name].rows - seen[name].missing for name in names}
            return _cuts(frame, [columns[name] for name in names], numbers, answered, where)

        return suggestion(shown(path), title_of(path), seen, cuts, cut, bands)


def title_of(path: str) -> str:
    """The last part of a path without its ending.

    >>> title_of("hdfs://there/surveys/people.csv.gz")
    'people'
    """
    part = PurePosixPath(path)
    part = part.with_suffix("") if part.suffix.lower() in COMPRESSED else part
    return part.stem if part.suffix.lower() in KINDS else part.name


def _in_order(frame: Any, path: str) -> list[str]:
    """The columns in their order; of json in that of its keys, which Spark sorts by their names."""
    from pyspark.sql import functions

    files = frame.inputFiles()
    if not files or (kind_of(path) or kind_of(files[0])) != "json":
        return list(frame.columns)
    lines = frame.sparkSession.read.text(path).select(functions.json_object_keys("value").alias("keys")).limit(FIRST)
    keys = [key for found in lines.toArrow()["keys"].to_pylist() for key in found or ()]
    return sorted(frame.columns, key=[*dict.fromkeys(keys), *frame.columns].index)


def _cuts(
    frame: Any,
    columns: Sequence[SparkColumn],
    numbers: Mapping[str, Numbers],
    answered: Mapping[str, int],
    where: Where,
) -> dict[str, list[float]]:
    """Where columns of numbers are cut, as `cuts_of` in seen.py has it."""
    limits = _limits(frame, columns, numbers, where)
    fractions = [each for each in columns if not numbers[each.name].integer]
    next_to = _neighbours(frame, fractions, limits)
    cuts = {}
    for name, some in limits.items():
        if numbers[name].integer:
            cuts[name] = sorted({whole_cut(limit, numbers[name].high) for limit in some})
            continue
        exact = (
            _exact(limit, *each, answered[name], share)
            for limit, each, share in zip(some, next_to[name], SHARES.get(where, (None,)), strict=True)
        )
        cuts[name] = sorted({cut_between(limit, *each) for limit, each in zip(exact, next_to[name], strict=True)})
    return cuts


def _limits(
    frame: Any, columns: Sequence[SparkColumn], numbers: Mapping[str, Numbers], where: Where
) -> dict[str, list[float]]:
    """The middle of the range, or the median or quarters, which are exact but for the last digit of fractions."""
    from pyspark.sql import functions

    if where == "midrange":
        return {name: [(found.low + found.high) / 2] for name, found in numbers.items()}
    shares = list(SHARES[where])
    row = first_row(frame, {each.alias: functions.percentile(each.number, shares) for each in columns})
    return {each.name: row[each.alias][0].as_py() for each in columns}


def _neighbours(frame: Any, columns: Sequence[SparkColumn], limits: Limits) -> dict[str, list[tuple[float, float]]]:
    """The greatest number that is not above each limit, and the next one; the last two where none is above."""
    from pyspark.sql import functions

    asked: dict[str, Any] = {}
    for each in columns:
        number = each.number
        for index, limit in enumerate(limits[each.name]):
            asked |= {
                f"{each.alias}_{index}_less": functions.max(functions.when(number < limit, number)),
                f"{each.alias}_{index}_most": functions.max(functions.when(number <= limit, number)),
                f"{each.alias}_{index}_more": functions.min(functions.when(number > limit, number)),
            }
    row = first_row(frame, asked)

    def found(column: SparkColumn, index: int) -> tuple[float, float]:
        less, most, more = (row[f"{column.alias}_{index}_{which}"][0].as_py() for which in ("less", "most", "more"))
        return (less, most) if more is None else (most, more)

    return {each.name: [found(each, index) for index in range(len(limits[each.name]))] for each in columns}


def _exact(limit: float, below: float, above: float, count: int, share: float | None) -> float:
    """A limit between two numbers as NumPy would have it, to the last digit."""
    if share is None or not below < limit < above:
        return limit
    if share == 0.5:
        return float(np.median([below, above]))
    position = share * (count - 1)
    return float(np.quantile([below, above], position - floor(position)))
