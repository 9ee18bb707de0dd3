"""Copy of a SQLite database in a file without a name.

The system forgets such a file as soon as nobody has it open, so that nothing is left of the copy however the process
ends. SQLite wants a name to begin with. It is taken away when SQLite opens the journal, before a byte is written.
"""

import os
from functools import cache
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO
from urllib.parse import quote

import apsw

JOURNAL = "-journal"


class _Nameless(apsw.VFS):
    """Files that lose their names."""

    name = "nameless"

    def __init__(self) -> None:
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        file = super().xOpen(name, flags)
        if flags[0] & apsw.SQLITE_OPEN_MAIN_JOURNAL and isinstance(name, str):
            Path(name).unlink()
            Path(name.removesuffix(JOURNAL)).unlink()
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """It has been taken away already."""


_registered = cache(_Nameless)


def nameless_copy(connection: apsw.Connection) -> BinaryIO:
    """Everything in a database that was opened for URIs, row after row in the order of its keys."""
    vfs = _registered()
    descriptor, path = mkstemp(prefix="deniable-")
    copy = os.fdopen(descriptor, "rb")
    try:
        connection.execute("vacuum into ?", (f"file:{quote(path)}?vfs={vfs.name}",))
    except BaseException:
        copy.close()
        raise
    finally:
        Path(path).unlink(missing_ok=True)
    return copy
