"""Copies of a whole store: a backup is a SQLite store, whatever database it comes from.

All tables are read in one snapshot, row after row in the order of their keys: a copy of a database's own pages would
reveal in which order replies came. A copy holds everything, the hash of the password and the secret keys too.

A backup is sealed: it says the digest of its contents, by which a bit that has flipped since is found.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

from deniable.collect.database import Database
from deniable.collect.schema import reply_table

KEYS = {  # of every table but those of replies
    "surveys": "fingerprint", "models": "digest", "invitations": "hash", "follow_ups": "id", "secrets": "name",
    "issuers": "survey", "trades": "hash", "waiting": "id", "closed": "survey", "erased": "survey",
}  # fmt: skip
ROWS = 5_000  # at a time
SEAL = "backup_seal"


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


def seal(backup: Database) -> None:
    """Write the digest of its contents into a backup, which is a SQLite file."""
    digest = _digest(backup)
    with backup.transaction():
        backup.run("pragma user_version = 1")  # a second sign, so that no single bit unseals it
        backup.run(f"create table {SEAL} (digest text not null)")
        backup.run(f"insert into {SEAL} values (?)", (digest,))


def is_sound(backup: Database) -> bool:
    """Whether all pages of a backup are there, fit together and hold what they held; older ones have no seal."""
    if backup.run("pragma integrity_check") != [("ok",)]:
        return False
    found = _digest(backup)  # which also reads everything once
    if not backup.has_table(SEAL):
        return backup.run("pragma user_version") == [(0,)]
    return backup.run(f"select digest from {SEAL}") == [(found,)]


def _digest(backup: Database) -> str:
    """SHA-256 of all tables, as they were made, and of their rows in the order of their keys."""
    found = sha256()
    tables = "select name, sql from sqlite_schema where type = 'table' and name <> ? order by name"
    for name, made in backup.run(tables, (SEAL,)):
        found.update(ascii((name, made)).encode())
        for row in backup.stream(f'select * from "{name}" order by 1'):
            found.update(ascii(row).encode())
    return found.hexdigest()


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
