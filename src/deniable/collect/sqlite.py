"""SQLite, in one file beside the server.

The library brings its own SQLite, because the one of the system may have the WAL-reset fault (mended in 3.51.3).
A commit returns after the write-ahead log is on disk (synchronous = FULL). What is deleted is overwritten. Tables are
sorted by their random ids, but within a page of the file rows lie as they came, until the file is written anew.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from deniable.collect.database import NotUsable, Row, several
from deniable.errors import StoreDown

BUSY_SECONDS = 2
FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI


class SQLite:
    """A connection to one file."""

    dialect = {"bytes": "blob", "double": "real", "keyed": "without rowid"}  # noqa: RUF012
    has_grouping_sets = False

    def __init__(self, path: Path) -> None:
        self._name = f"sqlite:///{path}"
        with self._trouble():
            path.touch(mode=0o600)  # a store is for its collector's eyes
            self._connection = apsw.Connection(str(path.absolute()), FLAGS)
            self._connection.set_busy_timeout(BUSY_SECONDS * 1000)
            for pragma in ("journal_mode = wal", "synchronous = full", "secure_delete = on", "trusted_schema = off"):
                self._connection.execute(f"pragma {pragma}")

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except apsw.NotADBError as error:
            way_out = "name a file that deniable made, or a new one"
            raise NotUsable(self._name, "is no SQLite database", way_out) from error
        except (apsw.Error, OSError, UnicodeDecodeError) as error:  # where bits have flipped, a text may be none
            raise StoreDown(self._name, error) from error

    def run(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        with self._trouble():
            return list(self._connection.execute(statement, tuple(parameters)))

    def has_table(self, name: str) -> bool:
        return bool(self.run("select 1 from sqlite_schema where name = ?", (name,)))

    def stream(self, statement: str, parameters: Row = ()) -> Iterator[tuple[Any, ...]]:
        with self._trouble():
            yield from self._connection.execute(statement, tuple(parameters))

    def insert_each(self, statement: str, rows: Sequence[Row]) -> list[bool]:
        """Several rows in one statement; where one of them was there already, once more, row by row."""
        found: list[bool] = []
        for insert, some in several(statement, rows):
            if len(some) > 1:
                self.run("savepoint some")
                if self.changed(insert, [value for row in some for value in row]) == len(some):
                    self.run("release some")
                    found += [True] * len(some)
                    continue
                self.run("rollback to some")
                self.run("release some")
            found += [self.changed(statement, row) == 1 for row in some]
        return found

    def changed(self, statement: str, parameters: Row) -> int:
        with self._trouble():
            self._connection.execute(statement, tuple(parameters))
            return self._connection.changes()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.run("begin immediate")
        try:
            yield
            self.run("commit")
        except BaseException:
            if self._connection.in_transaction:
                self.run("rollback")
            raise

    def lock(self, name: str) -> None:
        """A transaction is alone here."""

    def settle(self, tables: Sequence[str]) -> None:
        """Write the file anew, row after row in the order of their ids, and cut off the log of arrivals."""
        self.run("vacuum")
        ((busy, _, _),) = self.run("pragma wal_checkpoint(truncate)")
        if busy:
            raise StoreDown(self._name, "somebody reads it, so it cannot settle")

    def forget_log(self) -> str | None:
        """It is cut off whenever the file settles."""
        return None

    def columns(self, table: str) -> dict[str, str]:
        return {row[1]: row[2].lower() for row in self.run(f"pragma table_info({table})")}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        self.run("begin")
        try:
            yield
        finally:
            self.run("commit")

    def close(self) -> None:
        with self._trouble():
            self._connection.close()
