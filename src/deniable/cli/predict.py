"""`deniable predict MODEL DATA -o OUT`: apply a model to true answers, where they are.

On Spark every task predicts for its own rows. They keep their own columns beside the prediction, since Spark keeps no
order by which predictions could be put beside people later.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from deniable.cli.engine import DataEngine, Master
from deniable.cli.people import check_paths, spark_people
from deniable.cli.show import progress, say
from deniable.errors import BadRequest, MissingColumns
from deniable.frame import files
from deniable.frame.mark import refuse_marked
from deniable.frame.spark_errors import refused_by_spark
from deniable.frame.spark_tasks import Batches, mapped
from deniable.frame.spark_written import write_once
from deniable.learn.base import Learner
from deniable.learn.load import load_model
from deniable.learn.predictions import prediction_schema, predictions


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="True answers: csv, parquet or jsonl; of Spark any path.")
    ],
    out: Annotated[
        str,
        typer.Option(
            "-o", "--out", help="Where the predictions go; with Spark a new folder, with the data's own columns too."
        ),
    ],
    engine: DataEngine = None,
    master: Master = None,
) -> None:
    """Predict the target from true answers, and the chance of each of its answers."""
    check_paths(engine, master, data, out)
    fitted = load_model(model)
    by_spark = engine == "spark"
    rows = _by_spark(fitted, data, out, master) if by_spark else _here(fitted, model, Path(data), Path(out))
    say(f"{out}: {rows:,} predictions of {fitted.target_}")


def _here(fitted: Learner, model: Path, data: Path, out: Path) -> int:
    files.keep_apart(out, model, data)
    refuse_marked(data, files.column_names(data))
    rows = 0
    with progress("predicting") as bar, files.writer(out) as append:
        for piece in files.read(data, list(fitted.columns_.names), bar):
            append(predictions(fitted, piece))
            rows += piece.num_rows
    return rows


def _by_spark(fitted: Learner, data: str, out: str, master: str | None) -> int:
    people = spark_people(master, data)
    with refused_by_spark(data):
        return write_once(people.sparkSession, out, lambda: _with_predictions(fitted, people))


def _with_predictions(model: Learner, people: Any) -> Any:
    """A Spark frame of people with their predictions beside them, not computed yet."""
    from pyspark.sql.pandas.types import to_arrow_schema

    if lacking := [name for name in model.columns_.names if name not in people.columns]:
        raise MissingColumns(lacking, people.columns)
    added = prediction_schema(model)
    _refuse_taken(added.names, people.columns)
    schema = pa.schema([*to_arrow_schema(people.schema), *added])

    def work(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            made = predictions(model, pa.Table.from_batches([batch]))
            yield from pa.table([*batch.columns, *made.columns], schema=schema).to_batches()

    return mapped(people, schema, work)


def _refuse_taken(added: list[str], columns: list[str]) -> None:
    """Refuse people who have a column of predictions already; to Spark, upper and lower case are the same."""
    predicted = {name.casefold() for name in added}
    for name in columns:
        if name.casefold() in predicted:
            raise BadRequest("a column of the data", "named otherwise than predictions are", name, "rename or drop it")
