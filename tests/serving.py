"""The real survey site, in a process of its own.

A process that has imported the command once forks for every site: importing takes longer than most tests.
"""

import os
import resource
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import deniable as dn
from deniable.cli.main import run
from deniable.collect.places import open_store
from deniable.collect.schema import reply_columns

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(["serving", "deniable.cli.serve"])
AUDIT = os.environ.get("DENIABLE_AUDIT") == "1"  # the long form of a check


class Server:
    """`deniable serve`, started, killed and started again on one port."""

    def __init__(
        self, designs: Sequence[Path], store: str, folder: Path, *options: str, files: int | None = None
    ) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        self._folder = folder
        self._files = files  # as many as the site may open
        self._command = ["serve", *map(str, designs), "--store", store, "--port", str(self.port), *options]
        self._process: ForkServerProcess | None = None

    @property
    def pid(self) -> int:
        """The process that serves."""
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        given = (self._command, self.log, self._folder, dict(os.environ), self._files)
        self._process = FORKS.Process(target=_run, args=given)
        self._process.start()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self._process.exitcode is not None:
                raise RuntimeError(self.log.read_text())
            try:
                if self.get("/health")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the site does not answer: {self.log.read_text()}")

    def kill(self) -> None:
        """As a power cut would end it."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """As an operator would end it; its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        if self._process is None:
            return 0
        pid, process, self._process = self.pid, self._process, None
        if process.exitcode is None:
            os.kill(pid, how)
        process.join(timeout=30)
        assert process.exitcode is not None, "the site does not end"
        return process.exitcode

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask for a page."""
        return self.request("GET", path)[:2]

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        """Ask for anything, over a new connection: status, body, headers."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()


def _run(command: Sequence[str], log: Path, folder: Path, environment: dict[str, str], files: int | None) -> None:
    """Be the command, as a shell would start it."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with log.open("ab") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    run(command)


@contextmanager
def serving(designs: Sequence[Path], store: str, folder: Path, *options: str) -> Iterator[Server]:
    """A site for as long as it is needed."""
    server = Server(designs, store, folder, *options)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def held_by_0_1(design: dn.Design, url: str) -> None:
    """A store as version 0.1 left it, which let every text in."""
    with open_store(url) as store, store._database.transaction():
        store._database.run(
            "insert into surveys (fingerprint, title, design) values (?, ?, ?)",
            (design.fingerprint, design.title, design.to_json()),
        )
        store._database.run(reply_columns(design).format(**store._database.dialect))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
