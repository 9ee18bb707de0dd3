"""A real PostgreSQL server of the tests' own."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


class Postgres:
    """A server with one database, reached through a socket in its own folder."""

    def __init__(self, folder: Path) -> None:
        self._data, self._sockets = folder / "data", folder
        self._bin = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._as:
            shutil.chown(folder, "postgres")
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        self.url = f"postgresql://postgres@/postgres?host={self._sockets}"

    def _run(self, program: str, *arguments: str, check: bool = True) -> None:
        command = [*self._as, str(self._bin / program), *arguments]
        subprocess.run(command, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-k {self._sockets} -c listen_addresses='' -c max_connections=50 -c max_prepared_transactions=0"
        log = self._sockets / "log"
        self._run("pg_ctl", "-D", str(self._data), "-o", options, "-l", str(log), "-w", "-t", "300", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it; at once, as a power cut would, if the mode is immediate."""
        self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop", check=False)

    def database(self, name: str) -> str:
        """A fresh database's URL."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return f"postgresql://postgres@/{name}?host={self._sockets}"

    def dump(self, url: str) -> bytes:
        """A backup of a database, as an operator takes it."""
        return subprocess.run([str(self._bin / "pg_dump"), url], check=True, capture_output=True, cwd="/").stdout

    def restore(self, dumped: bytes, name: str) -> str:
        """The URL of a fresh database made from a backup."""
        url = self.database(name)
        command = [str(self._bin / "psql"), "--quiet", "--set=ON_ERROR_STOP=1", url]
        subprocess.run(command, input=dumped, check=True, stdout=subprocess.DEVNULL, cwd="/")
        return url

    def files(self) -> Path:
        """Where all of its bytes are."""
        return self._data


@contextmanager
def running() -> Iterator[Postgres]:
    """A server for as long as it is needed; its folder's path is short, as a socket's must be."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    folder.chmod(0o755)  # the server runs as another user than an administrator
    server = Postgres(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
