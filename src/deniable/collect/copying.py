"""Copies of a whole store: a backup is a SQLite store, whatever database it comes from.

All tables are read in one snapshot, row after row in the order of their keys: a copy of a database's own pages would
reveal in which order replies came. A copy holds everything, the hash of the password and the secret keys too.
"""

from collections.abc import Iterator
from itertools import islice

from deniable.collect.database import Database
from deniable.collect.schema import reply_table

KEYS = {  # of every table but those of replies
    "surveys": "fingerprint", "models": "digest", "invitations": "hash", "follow_ups": "id", "secrets": "name",
    "issuers": "survey", "trades": "hash", "waiting": "id", "closed": "survey", "erased": "survey",
}  # fmt: skip
ROWS = 5_000  # at a time


def copy_all(source: Database, target: Database) -> int:
    """Copy all rows, as of one moment, into a store that has none; how many replies there were."""
    replies = 0
    with source.snapshot(), target.transaction():
        surveys = [row[0] for row in source.run("select fingerprint from surveys order by fingerprint")]
        tables = {reply_table(survey): "id" for survey in surveys}
        for table in tables:
            target.run(_made_like(source, table).format(**target.dialect))
        for table, key in (KEYS | tables).items():
            copied = _copy(source, target, table, key)
            replies += copied if table in tables else 0
    return replies


def is_sound(backup: Database) -> bool:
    """Whether all pages of a backup, which is a SQLite file, are there and fit together."""
    return backup.run("pragma integrity_check") == [("ok",)]


def _made_like(source: Database, table: str) -> str:
    """The statement that makes a table of replies; what is a number there is a number here."""
    own = source.dialect["double"]
    kinds = {name: "{double}" if kind == own else "smallint not null" for name, kind in source.columns(table).items()}
    columns = ", ".join(f"{name} {kind}" for name, kind in list(kinds.items())[2:])
    return f"create table {table} (id {{bytes}} primary key, digest {{bytes}} not null, {columns}) {{keyed}}"


def _copy(source: Database, target: Database, table: str, key: str) -> int:
    names = list(source.columns(table))
    rows: Iterator[tuple[object, ...]] = source.stream(f"select {', '.join(names)} from {table} order by {key}")
    marks = ", ".join("?" * len(names))
    statement = f"insert into {table} ({', '.join(names)}) values ({marks}) on conflict do nothing"
    copied = 0
    while some := list(islice(rows, ROWS)):
        target.insert_each(statement, some)
        copied += len(some)
    return copied
