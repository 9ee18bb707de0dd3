"""Predictions as columns: the class of each person, and the chance of each class.

On Spark every task predicts for its own rows. They keep their own columns beside the prediction, since Spark keeps no
order by which predictions could be put beside people later.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from deniable.errors import BadRequest, MissingColumns
from deniable.frame.newer_pandas import newer_pandas
from deniable.frame.spark import refusing
from deniable.learn.base import Learner
from deniable.learn.majority import majorities

PREDICTION = "prediction"


def predictions(model: Learner, people: Any) -> pa.Table:
    """The prediction for each person of a frame of true answers, and the chances from which it comes."""
    chances = model.predict_proba(people)
    columns = {PREDICTION: pa.array(model.classes_[majorities(chances)].tolist())}
    columns |= {_chance(answer): pa.array(column) for answer, column in zip(model.classes_, chances.T, strict=True)}
    return pa.table(columns)


def predicted_by_spark(model: Learner, people: Any) -> Any:
    """A Spark frame of people with their predictions beside them, not computed yet."""
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    if lacking := [name for name in model.columns_.names if name not in people.columns]:
        raise MissingColumns(lacking, people.columns)
    added = [(PREDICTION, pa.string()), *((_chance(answer), pa.float64()) for answer in model.classes_)]
    _refuse_taken([name for name, _ in added], people.columns)
    schema = pa.schema([*to_arrow_schema(people.schema), *(pa.field(*each) for each in added)])
    with newer_pandas():
        return people.mapInArrow(_Task(model, schema), from_arrow_schema(schema))


def _chance(answer: object) -> str:
    return f"p_{answer}"


def _refuse_taken(added: Iterable[str], names: Iterable[str]) -> None:
    """Refuse people who have a column of predictions already; to Spark, upper and lower case are the same."""
    taken = {name.casefold() for name in names}
    for name in added:
        if name.casefold() in taken:
            raise BadRequest("a column of the data", "named otherwise than predictions are", name, "rename or drop it")


@dataclass(frozen=True)
class _Task:
    """What a task does with its rows."""

    model: Learner
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                people = pa.Table.from_batches([batch])
                with refusing():
                    made = predictions(self.model, people)
                columns = [*people.columns, *made.columns]
                yield from pa.table(dict(zip(self.schema.names, columns, strict=True)), schema=self.schema).to_batches()
