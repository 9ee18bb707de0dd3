"""`deniable predict MODEL DATA -o OUT`: apply a model to true answers, where they are."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from deniable.cli.show import progress, say
from deniable.frame import files
from deniable.frame.mark import refuse_marked
from deniable.learn.load import load_model


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file.")],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="True answers: csv, parquet or jsonl.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where the predictions go.")],
) -> None:
    """Predict the target from true answers, and the chance of each of its answers."""
    files.keep_apart(out, model, data)
    fitted = load_model(model)
    refuse_marked(data)
    rows = 0
    with progress("predicting") as bar, files.writer(out) as append:
        for piece in files.read(data, list(fitted.columns_.names), bar):
            chances = fitted.predict_proba(piece)
            columns = {"prediction": pa.array(fitted.classes_[chances.argmax(axis=1)].tolist())}
            columns |= {
                f"p_{answer}": pa.array(column) for answer, column in zip(fitted.classes_, chances.T, strict=True)
            }
            append(pa.table(columns))
            rows += piece.num_rows
    say(f"{out}: {rows:,} predictions of {fitted.target_}")
