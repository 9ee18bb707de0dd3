"""`deniable backup --store URL -o FILE`: a copy of a whole store, for operators."""

import os
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.arguments import StoreUrl
from deniable.cli.show import say
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import BadFile


def command(
    store: StoreUrl = DEFAULT,
    out: Annotated[Path, typer.Option("-o", "--out", help="A new file, which only you can read.")] = Path(
        "backup.sqlite"
    ),
) -> None:
    """Copy a whole store into one file, also while the site runs.

    The file is a SQLite store. It holds every reply, those that the dashboard does not show yet too, the hash of the
    password and the secret keys: keep it as you keep the store. Backups do not forget what is erased later.
    """
    if out.exists():
        raise BadFile(out, "is there already", "choose another file")
    if not out.parent.is_dir():
        raise BadFile(out, "its folder does not exist", "make the folder first")
    unfinished = out.with_name(f"{out.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        with open_store(store, must_exist=True) as opened:
            replies = opened.backup(unfinished)
        os.replace(unfinished, out)
    finally:
        for left in (unfinished, *(unfinished.with_name(unfinished.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)
    say(f"{out}: {replies:,} replies, and everything else in the store")
