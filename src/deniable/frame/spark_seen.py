"""What columns hold (seen.py), counted by Spark: no single row comes here.

    1   how many answers, how many different ones nearly, whether all are numbers, the least and the greatest
    2   the words of columns that have few
    3   whether all words of a column differ, where it seems so

One query each, for all columns at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deniable.frame.seen import MAX_ANSWERS, Numbers, Seen, words_of
from deniable.frame.spark import column_named
from deniable.frame.spark_words import NUMBER

FEW = 2 * MAX_ANSWERS  # different words; of MAX_ANSWERS or fewer Spark's estimate is never so high
NEARLY = 0.75  # of all answers differ, by an estimate whose standard error is 5 %
CODE = r"\A0[0-9]"  # as in seen.py
NUMERIC = ("tinyint", "smallint", "int", "bigint", "float", "double")
NESTED = ("array", "map", "struct", "variant")

Found = Mapping[str, Any]  # what Spark found of a column, by what was asked


@dataclass(frozen=True)
class SparkColumn:
    """A column of a Spark frame, and what is asked of it."""

    name: str
    alias: str  # of what is asked
    kind: str
    value: Any  # null where the answer is missing
    number: Any  # null where it is no finite number
    is_code: Any

    @classmethod
    def of(cls, frame: Any, name: str, index: int) -> "SparkColumn":
        """The column of a name."""
        from pyspark.sql import functions

        kind, value = frame.schema[name].dataType.simpleString(), column_named(name)
        nothing = functions.lit(None).cast("double")
        if kind == "void":  # nulls alone
            value = value.cast("string")
        if kind in ("float", "double"):
            value = functions.when(~functions.isnan(value), value)
        if kind in NUMERIC or kind.startswith("decimal"):
            number, is_code = value.cast("double"), functions.lit(False)
        elif kind.startswith(("string", "char", "varchar")):
            number, is_code = functions.when(value.rlike(NUMBER), value.try_cast("double")), value.rlike(CODE)
        else:
            number, is_code = nothing, functions.lit(False)
        finite = functions.when(functions.abs(number) < float("inf"), number)
        return cls(name, f"c{index}", kind, value, finite, is_code)

    @property
    def nested(self) -> bool:
        """Whether it holds lists or records."""
        return self.kind.startswith(NESTED)

    @property
    def overview(self) -> dict[str, Any]:
        """What the first query asks, by name."""
        from pyspark.sql import functions

        number = self.number
        asked = {
            "rows": functions.count(functions.lit(1)),
            "answered": functions.count(self.value),
        }
        if not self.nested:
            asked |= {
                "distinct": functions.approx_count_distinct(self.value),
                "numbers": functions.count(number),
                "codes": functions.count(functions.when(self.is_code, True)),
                "low": functions.min(number),
                "high": functions.max(number),
                "fractions": functions.count(functions.when(number != functions.rint(number), True)),
            }
        return asked


def first_row(frame: Any, asked: Mapping[str, Any]) -> pa.Table:
    """The one row of some aggregates; none are no query."""
    if not asked:
        return pa.table({})
    return frame.agg(*(value.alias(name) for name, value in asked.items())).toArrow()


def seen_by_spark(frame: Any, columns: Sequence[SparkColumn]) -> dict[str, Seen]:
    """What each column holds."""
    asked = {f"{each.alias}_{key}": value for each in columns for key, value in each.overview.items()}
    row = first_row(frame, asked)
    found = {each.name: {key: row[f"{each.alias}_{key}"][0].as_py() for key in each.overview} for each in columns}
    words = _words(frame, [each for each in columns if found[each.name].get("distinct", FEW + 1) <= FEW])
    different = _different(frame, [each for each in columns if _seem_different(found[each.name])], found)
    return {name: _column_seen(each, words.get(name), name in different) for name, each in found.items()}


def _column_seen(found: Found, words: set[str] | None, different: bool) -> Seen:
    rows, answered = found["rows"], found["answered"]
    if "distinct" not in found:
        return Seen(rows, rows - answered, set(), 0, nested=True)
    numbers = None
    if _is_numeric(found):
        running = different and _is_span(found)
        numbers = Numbers(found["low"], found["high"], not found["fractions"], running)
    many = answered if different else MAX_ANSWERS + 1
    return Seen(rows, rows - answered, words or set(), many if words is None else len(words), numbers)


def _is_numeric(found: Found) -> bool:
    return bool(found["answered"]) and found["numbers"] == found["answered"] and not found["codes"]


def _is_span(found: Found) -> bool:
    """Whether numbers that all differ by whole numbers would be a running number."""
    answered = found["answered"]
    return bool(answered > 2 and found["high"] - found["low"] == answered - 1)


def _seem_different(found: Found) -> bool:
    """Whether it matters, and may be, that no two people have the same."""
    if "distinct" not in found:
        return False
    if _is_numeric(found):
        return _is_span(found)
    return bool(found["distinct"] > FEW and found["distinct"] >= NEARLY * found["answered"])


def _words(frame: Any, columns: Sequence[SparkColumn]) -> dict[str, set[str]]:
    """The different words of columns that have few."""
    from pyspark.sql import functions

    row = first_row(frame, {each.alias: functions.collect_set(each.value) for each in columns})
    return {each.name: words_of(row[each.alias].combine_chunks().flatten()) for each in columns}


def _different(frame: Any, columns: Sequence[SparkColumn], found: Mapping[str, Found]) -> set[str]:
    """Columns in which no two people have the same; of numbers those that differ by whole numbers."""
    from pyspark.sql import functions

    asked = {}
    for each in columns:
        value = each.value
        if _is_numeric(found[each.name]):
            steps = each.number - found[each.name]["low"]
            value = functions.when(steps == functions.rint(steps), steps)
        asked[each.alias] = functions.count_distinct(value)
    row = first_row(frame, asked)
    return {each.name for each in columns if row[each.alias][0].as_py() == found[each.name]["answered"]}
