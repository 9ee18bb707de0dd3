"""`deniable disguise DESIGN DATA -o REPLIES`: disguise a file of any size."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import progress, say
from deniable.device.memory import Memory
from deniable.device.stream import disguise_file
from deniable.errors import BadRequest
from deniable.frame.files import column_names, keep_apart


def command(
    path: DesignFile,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="True answers: csv, parquet or jsonl.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Where the disguised replies go.")],
    seed: Annotated[int | None, typer.Option(help="Reproducible draws, for simulations only.")] = None,
    remember: Annotated[
        Path | None, typer.Option(metavar="KEYFILE", help="The same person, the same disguise.")
    ] = None,
    id_column: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Who is who, for --remember.")] = None,
) -> None:
    """Disguise a file of true answers; columns that are no question are dropped."""
    if (remember is None) != (id_column is None):
        lacking = "--id" if id_column is None else "--remember"
        raise BadRequest(lacking, "given, since --remember and --id go together", None, f"add {lacking}")
    if remember is not None and seed is not None:
        raise BadRequest("--seed", "left out with --remember, which draws from its key", seed, "drop one of them")
    keep_apart(out, path, *([] if remember is None else [remember]))
    design = Design.load(path)
    column_names(data)  # nothing is made for data that cannot be read
    memory = None if remember is None or id_column is None else Memory.at(remember, id_column)
    with progress("disguising") as bar:
        rows = disguise_file(design, data, out, seed=seed, memory=memory, progress=bar)
    say(f"{out}: {rows:,} replies, disguised under design {design.fingerprint[:16]}")
    if seed is not None:
        say("These draws can be repeated by anybody who knows the seed: simulations only.")
