"""`deniable restore FILE --store URL`: a store from its backup, for operators."""

from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from deniable.cli.arguments import StoreUrl
from deniable.cli.show import say
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import BadFile, BadRequest


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
        with open_store(f"sqlite:///{copied}") as held, open_store(store) as opened:
            if opened.surveys():
                expected = "one that has no surveys"
                raise BadRequest("--store", expected, f"one that has {len(opened.surveys())}", "name a new one")
            for survey in held.surveys():
                if day := opened.erased(survey):
                    found = f"one that erased survey {survey[:16]} of this backup on {day}"
                    raise BadRequest("--store", "one that erased nothing of this backup", found, "name a new one")
            surveys, replies = held.surveys(), held.copy_to(opened)
    say(f"restored {len(surveys):,} surveys and {replies:,} replies")
