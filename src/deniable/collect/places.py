"""Store URLs: sqlite:///relative/file, sqlite:////absolute/file, or postgresql://..."""

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from deniable.errors import BadFile, BadRequest, StoreDown
from deniable.extras import needed_for

if TYPE_CHECKING:
    from deniable.collect.store import Store

DEFAULT = "sqlite:///deniable.sqlite"
SCHEMES = ("sqlite", "postgresql", "postgres")
MISTYPED = re.compile(r"(sqlite|postgres\w*):|postgres\w*//|\w{2,}:.*@")
BEGINNING = re.compile(r"((?:[a-zA-Z]*[:/]+)?).*", re.DOTALL)  # of a URL, before whatever may be a password


def is_store(text: str) -> bool:
    """Whether a text is meant as the URL of a store rather than as a file."""
    return "://" in text or MISTYPED.match(text) is not None


def open_store(url: str, *, must_exist: bool = False) -> "Store":
    """The store at a URL; a SQLite file is made unless it `must_exist`. Its driver is loaded only here."""
    scheme, _, rest = url.partition("://")
    if scheme not in SCHEMES:
        shown = BEGINNING.sub(r"\1...", url, count=1) if is_store(url) else url  # nothing that may be a password
        raise BadRequest("the store", "sqlite:///FILE or postgresql://...", shown, "correct the URL")
    if scheme != "sqlite":
        return _postgres(url)
    if not rest.startswith("/") or len(rest) == 1:
        raise BadRequest(
            "the store", "sqlite:///FILE, with three slashes or, for an absolute path, four", url, "add it"
        )
    path = Path(unquote(urlsplit(url).path[1:]))
    if must_exist and not path.is_file():
        raise BadFile(path, "there is no such store", "check the URL; `deniable serve` makes it")
    if not path.parent.is_dir():
        raise BadFile(path, "its folder does not exist", "make the folder first")
    return _sqlite(path)


def open_backup(path: Path) -> "Store":
    """The store in a backup's file, brought up to date; StoreDown if anything of it is missing or damaged."""
    with needed_for("a backup", "site"):
        from deniable.collect.copying import is_sound
        from deniable.collect.sqlite import SQLite
        from deniable.collect.store import Store
    database = SQLite(path)
    try:
        if not is_sound(database):
            raise StoreDown("in a backup", "it is damaged")
    except BaseException:
        database.close()
        raise
    return Store(database)


def _postgres(url: str) -> "Store":
    with needed_for("a PostgreSQL store", "postgres"):
        from deniable.collect.postgres import PostgreSQL
        from deniable.collect.store import Store
    return Store(PostgreSQL(url))


def _sqlite(path: Path) -> "Store":
    with needed_for("a SQLite store", "site"):
        from deniable.collect.sqlite import SQLite
        from deniable.collect.store import Store
    return Store(SQLite(path))
