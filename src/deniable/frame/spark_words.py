"""Words of a csv or json file that Spark reads, which may be numbers all the same.

Spark reads every value there as a word (spark.py). Such columns say so, since words of a parquet file or of a frame are
words and nothing else. Whether all of them are numbers is found where they are, by the rule of our own reader.
"""

from typing import Any

from deniable.frame import formulas
from deniable.frame.spark import ORIGIN, column_named, is_spark

NUMBER = rf"\A{formulas.NUMBER.pattern}\z"  # Spark alone would take " 1" and "1d" for numbers too


def are_of_file(frame: Any, name: str) -> bool:
    """Whether a column holds the words of a file that knows nothing else."""
    return are_words(frame, name) and bool(frame.schema[name].metadata == ORIGIN)


def are_words(frame: Any, name: str) -> bool:
    """Whether a column of a Spark frame holds words."""
    return is_spark(frame) and frame.schema[name].dataType.simpleString() == "string"


def are_numbers(frame: Any, name: str) -> bool:
    """Whether the words of a column are finite numbers, at least one and all of them."""
    from pyspark.sql import functions

    words = column_named(name)
    size = functions.abs(words.try_cast("double"))
    finite = words.rlike(NUMBER) & (size < float("inf"))
    others = functions.when(functions.coalesce(finite, functions.lit(False)), None).otherwise(words)
    there, odd = frame.agg(functions.count(words), functions.count(others)).first()
    return bool(there and not odd)


def as_numbers(frame: Any, name: str) -> Any:
    """The frame, with such a column as numbers."""
    return frame.withColumn(name, column_named(name).try_cast("double"))
