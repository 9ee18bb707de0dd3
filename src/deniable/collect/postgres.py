"""PostgreSQL, for sites with many respondents.

Rows of a table rest in the order in which they came, and each row remembers the transaction that wrote it. So every
batch is shuffled before it is written, and `settle` writes whole tables anew: all rows in one transaction, then the
file in the order of their random ids. Whoever reads meanwhile, such as pg_dump, sees every row.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from deniable.collect.database import NotUsable, Row, several
from deniable.collect.write_ahead import write_over
from deniable.errors import BadRequest, StoreDown

CONNECT_SECONDS = 2
PORTS = re.compile(r"[0-9,]*")
STATEMENT_SECONDS = 60
MISTAKES = tuple(  # as libpq and the server tell them, without codes; each with the problem, and the way out
    (re.compile(sign), problem, way_out)
    for sign, problem, way_out in (
        ("invalid port number", "has a port that is none", "write one from 1 to 65535, or leave it out"),
        ("FATAL: +database .* does not exist", "is not there", "make it (createdb), or correct its name in the URL"),
        (
            "authentication failed|no password supplied|FATAL: +role .* does not exist",
            "does not let this user in",
            "correct the user and the password in the URL, or in ~/.pgpass",
        ),
    )
)
LOCK_SECONDS = 3  # longer than an autovacuum takes to step aside


class PostgreSQL:
    """A connection to one database."""

    dialect = {"bytes": "bytea", "double": "double precision", "keyed": ""}  # noqa: RUF012
    has_grouping_sets = True

    def __init__(self, url: str) -> None:
        self._name = _shown(url)
        self._keys: dict[str, str] = {}
        with self._trouble():
            self._connection = psycopg.connect(
                url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                keepalives_idle=2,  # a server that is gone without a word is noticed in seconds
                keepalives_interval=1,
                keepalives_count=3,
                tcp_user_timeout=5000,
                options=f"-c synchronous_commit=on -c statement_timeout={STATEMENT_SECONDS * 1000}"
                " -c client_min_messages=warning",
            )

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            told = " ".join(str(error).split())
            for sign, problem, way_out in MISTAKES:
                if sign.search(told):
                    raise NotUsable(self._name, problem, way_out) from error
            raise StoreDown(self._name, error) from error

    def run(self, statement: str, parameters: Row = ()) -> list[tuple[Any, ...]]:
        with self._trouble():
            cursor = self._connection.execute(_spelled(statement), parameters)
            return cursor.fetchall() if cursor.description else []

    def has_table(self, name: str) -> bool:
        return self.run("select to_regclass(?)", (name,)) != [(None,)]

    def stream(self, statement: str, parameters: Row = ()) -> Iterator[tuple[Any, ...]]:
        with self._trouble(), self._connection.transaction(), self._connection.cursor("stream") as cursor:
            cursor.itersize = 20_000
            yield from cursor.execute(_spelled(statement), parameters)

    def insert_each(self, statement: str, rows: Sequence[Row]) -> list[bool]:
        """Several rows in one statement, which gives back the keys of those that are new."""
        found: list[bool] = []
        key = self._key(statement.split()[2])
        for insert, some in several(statement, rows):
            values = [value for row in some for value in row]
            fresh = {new for (new,) in self.run(f"{insert} returning {key}", values)}
            for row in some:  # of twins, the first was the new one
                found.append(row[0] in fresh)
                fresh.discard(row[0])
        return found

    def _key(self, table: str) -> str:
        """The name of a table's first column, which is its key."""
        if table not in self._keys:
            statement = "select attname from pg_attribute where attrelid = ?::regclass and attnum = 1"
            self._keys[table] = self.run(statement, (table,))[0][0]
        return self._keys[table]

    def changed(self, statement: str, parameters: Row) -> int:
        with self._trouble():
            return self._connection.execute(_spelled(statement), parameters).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._trouble(), self._connection.transaction():
            yield

    def lock(self, name: str) -> None:
        self.run("select pg_advisory_xact_lock(hashtextextended(?, 0))", (name,))

    def settle(self, tables: Sequence[str]) -> None:
        """Write tables anew, one after the other, while others may read them."""
        with self._trouble():
            settled = [self._settled(table) for table in tables]
        if not all(settled):
            raise StoreDown(self._name, "somebody reads it, so it cannot settle")

    def _settled(self, table: str) -> bool:
        """Whether a table could be written anew, and nothing is left of its old rows.

        TRUNCATE would show an empty table to whoever began to read before. Deleted rows stay for them instead; CLUSTER
        then writes a file without those that nobody needs any more; VACUUM would leave traces of them in the old one.
        """
        try:
            with self._alone(f"lock table {table} in share row exclusive mode"):
                gone = f"with gone as (delete from {table} returning *)"
                self.run(f"{gone} insert into {table} select * from gone order by 1")
            with self._alone(f"cluster {table} using {table}_pkey"):
                written = f"select reltuples from pg_class where oid = '{table}_pkey'::regclass"  # old rows too
                return self.run(f"select count(*)::real >= ({written}) from {table}") == [(True,)]
        except psycopg.errors.LockNotAvailable:
            return False

    @contextmanager
    def _alone(self, begin: str) -> Iterator[None]:
        """A transaction that begins with a lock; writers who queue behind it do not wait long for nothing."""
        with self._connection.transaction():
            self.run("set local statement_timeout = 0")
            self.run(f"set local lock_timeout = {LOCK_SECONDS * 1000}")
            self._connection.execute(_spelled(begin))
            yield

    def forget_log(self) -> str | None:
        """Where this role has the right to."""
        return write_over(self.run)

    def columns(self, table: str) -> dict[str, str]:
        found = "select attname, format_type(atttypid, null) from pg_attribute where attrelid = to_regclass(?)"
        return dict(self.run(f"{found} and attnum > 0 and not attisdropped order by attnum", (table,)))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self.transaction():
            self.run("set transaction isolation level repeatable read, read only")
            yield

    def close(self) -> None:
        self._connection.close()


def _spelled(statement: str) -> Any:
    """A statement as psycopg wants it: our statements have no literal per cents or question marks."""
    return statement.replace("?", "%s")


def _shown(url: str) -> str:
    """What people may see of a URL: its host and database. One that may show its password there is refused."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        parts = {"port": "?"}
    host, port, database = (str(parts.get(key) or "") for key in ("host", "port", "dbname"))
    if "@" in host + database or not PORTS.fullmatch(port):
        way_out = "in the password write %40 for @, %2F for /, %3A for :, %3F for ?, %25 for %"
        expected = "a URL whose end reads USER:PASSWORD@HOST/DATABASE"
        raise BadRequest("the store", expected, "another one", way_out)
    return f"postgresql://{'' if host.startswith('/') else host}/{database}"
