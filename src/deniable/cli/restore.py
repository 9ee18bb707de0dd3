"""`deniable restore FILE --store URL`: a store from its backup, for operators."""

from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from deniable.cli.arguments import StoreUrl
from deniable.cli.show import say
from deniable.collect.places import DEFAULT, open_backup, open_store
from deniable.collect.store import Store
from deniable.errors import BadFile, BadRequest, StoreDown


def command(
    backup: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `deniable backup` wrote.")],
    store: StoreUrl = DEFAULT,
) -> None:
    """Fill an empty store from a backup.

    The store may be of another kind than the one that was backed up. One that has surveys is refused.
    """
    with TemporaryDirectory() as folder:  # so that a backup of an older version stays as it is
        copied = Path(folder) / "backup.sqlite"
        try:
            copyfile(backup, copied)
        except OSError as error:
            raise BadFile(backup, f"cannot be read ({error.strerror})", "check the path") from error
        with copied.open("rb") as file:
            if file.read(16) != b"SQLite format 3\0":
                raise BadFile(backup, "is no backup", "give a file that `deniable backup` wrote")
        with _whole(copied, backup) as held, open_store(store) as opened:
            if opened.surveys():
                expected = "one that has no surveys"
                raise BadRequest("--store", expected, f"one that has {len(opened.surveys())}", "name a new one")
            for survey in held.surveys():
                if day := opened.erased(survey):
                    found = f"one that erased survey {survey[:16]} of this backup on {day}"
                    raise BadRequest("--store", "one that erased nothing of this backup", found, "name a new one")
            surveys, replies = held.surveys(), held.copy_to(opened)
    say(f"restored {len(surveys):,} surveys and {replies:,} replies")


def _whole(copied: Path, backup: Path) -> Store:
    """The store in a copy of a backup, none of which is missing or has changed."""
    try:
        return open_backup(copied)
    except StoreDown as error:
        way_out = "restore another one (one that served as a store since is backed up first); nothing was written"
        raise BadFile(backup, "is damaged, or only part of a backup", way_out) from error
