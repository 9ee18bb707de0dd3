"""Database interface: the few things in which SQLite and PostgreSQL differ.

Everything that is stored is said once, in plain SQL with `?` for parameters (store.py). A database knows how to run
that, what it calls a column of bytes, and how to insert rows unless their key is there already.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from deniable.errors import DeniableError, StoreDown

Row = Sequence[Any]
AT_ONCE = (64, 16, 4, 1)  # rows in one statement: few sizes, so that databases know each statement already
MAX_MARKS = 30_000  # of one statement, in every database we use


class NotUsable(StoreDown):
    """A store that cannot be opened, and that waiting does not mend; devices keep their replies all the same."""

    def __init__(self, store: str, problem: str, way_out: str) -> None:
        DeniableError.__init__(self, f"the store {store} {problem}", way_out)


class Database(Protocol):
    """A connection to where things are stored."""

    dialect: dict[str, str]  # {bytes}, {double}, {keyed}: what this database calls them
    has_grouping_sets: bool

    def run(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        """Run one statement; its rows."""
        ...

    def has_table(self, name: str) -> bool:
        """Whether there is such a table."""
        ...

    def stream(self, statement: str, parameters: Row = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement; its rows one by one."""
        ...

    def insert_each(self, statement: str, rows: Sequence[Row]) -> list[bool]:
        """Run an `insert ... on conflict do nothing` for each row; whether the row was new."""
        ...

    def changed(self, statement: str, parameters: Row) -> int:
        """Run an update or delete; how many rows it met."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, and on disk when the block ends."""
        ...

    def lock(self, name: str) -> None:
        """Let nobody else into a transaction that locks this name, until this one ends."""
        ...

    def settle(self, tables: Sequence[str]) -> None:
        """Wipe out traces of the order in which rows came."""
        ...

    def forget_log(self) -> str | None:
        """Write over what the database's own log still holds of erased rows; what is left and why, in words."""
        ...

    def columns(self, table: str) -> dict[str, str]:
        """The columns of a table, and of which kind they are."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """All that is read in here is read as of one moment."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


def several(statement: str, rows: Sequence[Row]) -> Iterator[tuple[str, Sequence[Row]]]:
    """An insert of one row as inserts of several rows each, and their rows."""
    head, values, tail = statement.partition("values ")
    marks, _, rest = tail.partition(")")
    start = 0
    while start < len(rows):
        most = min(len(rows) - start, MAX_MARKS // len(rows[0]))
        size = next((each for each in AT_ONCE if each <= most), 1)
        yield f"{head}{values}{', '.join([marks + ')'] * size)}{rest}", rows[start : start + size]
        start += size
