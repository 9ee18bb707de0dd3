"""`deniable predict MODEL DATA -o OUT`: apply a model to true answers, where they are."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.engine import Engine, Master, check_engine
from deniable.cli.people import spark_people
from deniable.cli.show import progress, say
from deniable.frame import files
from deniable.frame.mark import refuse_marked
from deniable.frame.spark_errors import refused_by_spark
from deniable.frame.spark_written import check_free, write_once
from deniable.learn.base import Learner
from deniable.learn.load import load_model
from deniable.learn.predictions import predicted_by_spark, predictions


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="True answers: csv, parquet or jsonl; of Spark any path.")
    ],
    out: Annotated[
        str,
        typer.Option("-o", "--out", help="Where the predictions go; of Spark a new folder, beside the data's columns."),
    ],
    engine: Engine = None,
    master: Master = None,
) -> None:
    """Predict the target from true answers, and the chance of each of its answers."""
    check_engine(engine, master)
    fitted = load_model(model)
    by_spark = engine == "spark"
    rows = _by_spark(fitted, data, out, master) if by_spark else _here(fitted, model, Path(data), Path(out))
    say(f"{out}: {rows:,} predictions of {fitted.target_}")


def _here(fitted: Learner, model: Path, data: Path, out: Path) -> int:
    files.keep_apart(out, model, data)
    refuse_marked(data)
    rows = 0
    with progress("predicting") as bar, files.writer(out) as append:
        for piece in files.read(data, list(fitted.columns_.names), bar):
            append(predictions(fitted, piece))
            rows += piece.num_rows
    return rows


def _by_spark(fitted: Learner, data: str, out: str, master: str | None) -> int:
    people = spark_people(master, data, out)
    check_free(people.sparkSession, out)
    with refused_by_spark(data):
        return write_once(predicted_by_spark(fitted, people), out)
