"""What was acknowledged lasts: through kill -9, a full disk and a database that is down (checks 6 and 13)."""

import asyncio
import os
import re
import resource
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException

import pytest

from deniable.collect.places import open_store
from deniable.collect.reply import ReplyReader
from deniable.collect.store import Arrival, Outcome
from deniable.collect.writer import Writer
from postgres import Postgres, running
from serving import AUDIT, Server, serving

KILLS = 100 if AUDIT else 3


def wait_until(what, seconds=60):
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


class Senders:
    """Respondents who never stop sending; every acknowledged reply is remembered."""

    def __init__(self, server, design, make, count=4):
        self.acknowledged: list[bytes] = []
        self.statuses: list[tuple[float, int]] = []  # when an answer came, and what it was
        self.slowest = 0.0
        self._server, self._design, self._make = server, design, make
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._send) for _ in range(count)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *trouble):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def got(self, status, since):
        """Whether such an answer came since then."""
        return any(each == status for when, each in list(self.statuses) if when > since)

    def _send(self):
        body, connection = self._make(), None
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                connection = connection or HTTPConnection("127.0.0.1", self._server.port, timeout=10)
                connection.request("POST", f"/survey/{self._design.fingerprint}/replies", body)
                answer = connection.getresponse()
                answer.read()
            except (OSError, HTTPException):
                if connection is not None:
                    connection.close()
                connection = None
                time.sleep(0.01)
                continue
            self.statuses.append((time.monotonic(), answer.status))
            self.slowest = max(self.slowest, time.monotonic() - began)
            if answer.status in (200, 201):
                self.acknowledged.append(body)
                body = self._make()
            else:
                time.sleep(0.05)
        if connection is not None:
            connection.close()


def check_all_are_there(store_url, design, acknowledged):
    """Each acknowledged reply is in the store once, as it was sent; how many are lost or changed."""
    read = ReplyReader(design).read
    with open_store(store_url) as store:
        columns = ", ".join(f"q{place}" for place in range(len(design.questions)))
        statement = f"select id, digest, {columns} from replies_{design.fingerprint[:16]}"
        rows = [(bytes(row[0]), bytes(row[1]), tuple(row[2:])) for row in store._database.run(statement)]
    found = {name: (digest, values) for name, digest, values in rows}
    assert len(found) == len(rows)
    sent = [read(body) for body in acknowledged]
    return sum(found.get(reply.id) != (reply.digest, reply.values) for reply in sent)


def test_kill_9_loses_nothing_that_was_acknowledged(health, health_file, store_url, tmp_path, reply_of, figure):
    server = Server([health_file], store_url, tmp_path)
    server.start()
    try:
        with Senders(server, health, reply_of) as senders:
            for _ in range(KILLS):
                seen = len(senders.acknowledged)
                wait_until(lambda seen=seen: len(senders.acknowledged) >= seen + 20)
                server.kill()
                server.start()
    finally:
        server.stop()
    lost = check_all_are_there(store_url, health, senders.acknowledged)
    kind = store_url.partition(":")[0]
    figure(f"durability, {kind}: lost, doubled or changed of {len(senders.acknowledged)} after {KILLS} kills", lost)
    assert lost == 0


def test_two_processes_on_one_database_lose_and_double_nothing(
    health, health_file, tmp_path, reply_of, figure, postgres
):
    """Each is killed in turn, while respondents of both go on; at last every reply is sent to both."""
    kills, url = 50 if AUDIT else 3, postgres.database("shared")
    servers = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        servers.append(Server([health_file], url, tmp_path / name))
        servers[-1].start()
    twice = []

    def both():
        """A reply that is sent to both processes."""
        twice.append(reply_of())
        servers[0].request("POST", f"/survey/{health.fingerprint}/replies", twice[-1])
        return twice[-1]

    try:
        with Senders(servers[0], health, reply_of, 3) as first, Senders(servers[1], health, reply_of, 3) as second:
            for index in range(kills):
                server, senders = (servers[index % 2], (first, second)[index % 2])
                seen = len(senders.acknowledged)
                wait_until(lambda seen=seen, senders=senders: len(senders.acknowledged) >= seen + 20)
                server.kill()
                server.start()
        with Senders(servers[1], health, both, 2) as repeated:
            wait_until(lambda: len(repeated.acknowledged) >= 20)
    finally:
        codes = [server.stop() for server in servers]
    acknowledged = [*first.acknowledged, *second.acknowledged, *repeated.acknowledged]
    lost = check_all_are_there(url, health, acknowledged)
    with open_store(url) as store:
        extra = store.count(health.fingerprint) - len(set(acknowledged) | set(twice))
    figure(f"two processes on one database: lost or changed of {len(acknowledged)} after {kills} kills", lost)
    assert lost == 0
    assert extra <= 3 * kills + 6  # stored, but killed before the answer was given
    assert set(codes) <= {0, -15}


@pytest.fixture
def cut_off() -> Iterator[Postgres]:
    """A PostgreSQL server whose power is cut: its recovery would take long if it had the databases of all tests."""
    with running() as server:
        yield server


@pytest.mark.engines
def test_power_cuts_of_the_database_lose_nothing(health, health_file, tmp_path, reply_of, figure, cut_off):
    cuts = 20 if AUDIT else 2
    url = cut_off.database("cuts")
    with serving([health_file], url, tmp_path) as server, Senders(server, health, reply_of) as senders:
        recoveries = []
        for _ in range(cuts):
            seen = len(senders.acknowledged)
            wait_until(lambda seen=seen: len(senders.acknowledged) >= seen + 20)
            cut_off.stop("immediate")
            down = time.monotonic()
            wait_until(lambda down=down: senders.got(503, down))
            time.sleep(0.5)
            cut_off.start()
            back = time.monotonic()
            wait_until(lambda back=back: senders.got(201, back))
            recoveries.append(time.monotonic() - back)
    lost = check_all_are_there(url, health, senders.acknowledged)
    figure(f"database down, {cuts} times: lost", lost)
    figure(f"database down, {cuts} times: slowest answer (s)", round(senders.slowest, 2))
    figure(f"database down, {cuts} times: slowest recovery (s)", round(max(recoveries), 2))
    assert lost == 0
    if AUDIT:
        assert senders.slowest <= 3
        assert max(recoveries) <= 10


@contextmanager
def tiny_disk(folder):
    """A real disk of one megabyte, filled and freed at will; mounting one takes an administrator."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", folder], check=True)
    try:
        filler = folder / "filler"
        yield lambda pid: filler.write_bytes(bytes(450_000)), lambda pid: filler.unlink()
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def no_room(folder):
    """A limit to the size of the site's files: the system refuses to write beyond it."""
    unlimited = resource.RLIM_INFINITY
    yield (
        lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (200_000, unlimited)),
        lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (unlimited, unlimited)),
    )


@pytest.mark.parametrize("disk", [no_room, tiny_disk] if AUDIT else [no_room])
def test_a_full_disk_is_told_and_overcome(health, health_file, tmp_path, reply_of, figure, disk):
    folder = tmp_path / "disk"
    folder.mkdir()
    with disk(folder) as (fill, free):
        url = f"sqlite:///{folder}/store.sqlite"
        with serving([health_file], url, tmp_path) as server, Senders(server, health, reply_of, 8) as senders:
            fill(server.pid)
            wait_until(lambda: senders.got(503, 0))
            time.sleep(1)
            free(server.pid)
            freed = time.monotonic()
            wait_until(lambda: senders.got(201, freed))
            recovery = time.monotonic() - freed
        lost = check_all_are_there(url, health, senders.acknowledged)
    figure(f"full disk ({disk.__name__}): lost of {len(senders.acknowledged)} acknowledged", lost)
    figure(f"full disk ({disk.__name__}): slowest answer (s)", round(senders.slowest, 2))
    figure(f"full disk ({disk.__name__}): recovery (s)", round(recovery, 2))
    assert lost == 0
    assert {201, 503} <= {status for _, status in senders.statuses} <= {200, 201, 503}
    if AUDIT:
        assert senders.slowest <= 3
        assert recovery <= 10


def test_the_sync_comes_before_the_answer(health, health_file, tmp_path, reply_of, figure):
    """Between the writing of a reply and its acknowledgement there is a completed sync, always."""
    url = f"sqlite:///{tmp_path}/store.sqlite"
    trace = tmp_path / "trace"
    with serving([health_file], url, tmp_path) as server:
        door = f"/survey/{health.fingerprint}/replies"
        server.request("POST", door, reply_of())
        calls = "fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg"
        tracer = subprocess.Popen(
            ["strace", "-f", "-qq", "-ttt", "-e", f"trace={calls}", "-o", trace, "-p", str(server.pid)],
            stderr=subprocess.DEVNULL,
        )
        time.sleep(1)
        count = 100 if AUDIT else 20
        for _ in range(count):
            assert server.request("POST", door, reply_of())[0] == 201
        tracer.terminate()
        tracer.wait()
    dirty, answers, early, syncs = False, 0, 0, 0
    for line in trace.read_text(errors="replace").splitlines():
        if "pwrite64(" in line:
            dirty = True
        elif re.search(r"(fsync|fdatasync).*= 0$", line):
            syncs += dirty
            dirty = False
        elif "HTTP/1.1 201" in line:
            answers += 1
            early += dirty
    figure(f"answers before the sync, of {answers} traced", early)
    assert answers == count
    assert syncs >= count
    assert early == 0


def test_sigterm_ends_it_cleanly(health, health_file, store_url, tmp_path, reply_of):
    server = Server([health_file], store_url, tmp_path)
    server.start()
    with Senders(server, health, reply_of) as senders:
        wait_until(lambda: len(senders.acknowledged) >= 50)
        code = server.stop()
    assert code in (0, -15)
    assert "Traceback" not in server.log.read_text()
    assert check_all_are_there(store_url, health, senders.acknowledged) == 0
    if store_url.startswith("sqlite"):
        assert not [name for name in os.listdir(tmp_path) if name.endswith("-wal")]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_writer_is_replaced(health, tmp_path, reply_of):
    """Even an error that nobody foresaw in the writer's thread leaves a site that takes replies."""
    url = f"sqlite:///{tmp_path}/store.sqlite"
    with open_store(url) as store:
        store.enrol(health)
    fail = [SystemExit("a thread may die"), MemoryError(), None]

    def opening():
        if (trouble := fail.pop(0)) is not None:
            raise trouble
        return open_store(url)

    async def send():
        writer = Writer(opening)
        arrival = Arrival(health.fingerprint, ReplyReader(health).read(reply_of()))
        outcomes = []
        for _ in range(3):
            try:
                outcomes.append(await writer.keep(arrival))
            except Exception as error:
                outcomes.append(type(error).__name__)
        writer.stop()
        return outcomes

    assert asyncio.run(send()) == ["StoreDown", "MemoryError", Outcome.STORED]
