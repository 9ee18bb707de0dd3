"""`deniable disguise DESIGN DATA -o REPLIES`: disguise a file of any size."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.engine import DataEngine, Master
from deniable.cli.people import check_paths, spark_people
from deniable.cli.show import progress, say
from deniable.device.memory import Memory
from deniable.device.spark import write_disguised
from deniable.device.stream import disguise_file
from deniable.errors import BadRequest
from deniable.frame.files import column_names, keep_apart
from deniable.frame.spark_errors import refused_by_spark


def command(
    path: DesignFile,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="True answers: csv, parquet or jsonl; of Spark any path.")
    ],
    out: Annotated[str, typer.Option("-o", "--out", help="Where the disguised replies go; of Spark a new folder.")],
    seed: Annotated[int | None, typer.Option(help="Reproducible draws, for simulations only.")] = None,
    remember: Annotated[
        Path | None, typer.Option(metavar="KEYFILE", help="The same person, the same disguise.")
    ] = None,
    id_column: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Who is who, for --remember.")] = None,
    engine: DataEngine = None,
    master: Master = None,
) -> None:
    """Disguise a file of true answers; columns that are no question are dropped."""
    if (remember is None) != (id_column is None):
        lacking = "--id" if id_column is None else "--remember"
        raise BadRequest(lacking, "given, since --remember and --id go together", None, f"add {lacking}")
    if remember is not None and seed is not None:
        raise BadRequest("--seed", "left out with --remember, which draws from its key", seed, "drop one of them")
    check_paths(engine, master, data, out)
    design = Design.load(path)
    if engine == "spark":
        rows = _by_spark(design, data, out, master, seed, remember, id_column)
    else:
        rows = _here(design, path, Path(data), Path(out), seed, remember, id_column)
    say(f"{out}: {rows:,} replies, disguised under design {design.fingerprint[:16]}")
    if seed is not None:
        say("These draws can be repeated by anybody who knows the seed: simulations only.")


def _here(
    design: Design, path: Path, data: Path, out: Path, seed: int | None, remember: Path | None, id_column: str | None
) -> int:
    keep_apart(out, path, *([] if remember is None else [remember]))
    column_names(data)  # nothing is made for data that cannot be read
    memory = None if remember is None or id_column is None else Memory.at(remember, id_column)
    with progress("disguising") as bar:
        return disguise_file(design, data, out, seed=seed, memory=memory, progress=bar)


def _by_spark(
    design: Design,
    data: str,
    out: str,
    master: str | None,
    seed: int | None,
    remember: Path | None,
    id_column: str | None,
) -> int:
    people = spark_people(master, data)
    memory = None if remember is None or id_column is None else Memory.at(remember, id_column)
    with refused_by_spark(data):
        return write_disguised(design, people, out, seed, memory)
