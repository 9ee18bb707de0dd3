"""Slow and many connections cut off no replies, and a killed backup leaves no half of one (check 24)."""

import asyncio
import resource
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from secrets import token_bytes

import uvicorn

from deniable.collect.places import open_store
from deniable.collect.reply import Reply
from deniable.collect.store import Arrival
from deniable.web import bodies, server
from deniable.web.site import Site
from serving import Server


@contextmanager
def serving(health, tmp_path):
    """The site, in a thread of this process, so that its patience can be short; its port and path of replies."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    port = listening.getsockname()[1]
    site = Site([health], f"sqlite:///{tmp_path}/store.sqlite", f"http://127.0.0.1:{port}")
    with run(server.server_of(site), listening):
        yield port, f"/survey/{health.fingerprint}/replies"


@contextmanager
def run(running, listening):
    """A server, in a thread of this process."""
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


def post(port, path, body, seconds=5):
    """Send a reply as a browser would; the status of its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        line.sendall(head.encode() + body)
        return line.recv(64).split(b" ")[1]


def lasts(line, drop, most):
    """How many seconds somebody can send drop after drop, or nothing."""
    began = time.monotonic()
    line.settimeout(0.1)
    while time.monotonic() - began < most:
        try:
            if drop:
                line.sendall(drop)
            if line.recv(4096) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


BODY = "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 15000\r\n\r\n"
SLOW = {
    "nothing": ("", b""),
    "a head": ("GET / HTTP/1.1\r\nX: ", b"x"),
    "line ends": ("", b"\r\n"),
    "a body": (BODY, b" "),
    "a body that was answered": (BODY.replace("{path}", "/survey/none/replies"), b" "),
    "a body that was refused": (BODY.replace("POST", "PUT"), b" "),
    "line ends after an answer": ("GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n"),
    "nothing after an answered body": (BODY.replace("{path}", "/none").replace("15000", "3") + "abc", b""),
}


def test_whoever_sends_drop_by_drop_is_cut_off(health, tmp_path, monkeypatch, figure):
    for name in ("HEAD_SECONDS", "REST_SECONDS"):
        monkeypatch.setattr(server, name, 0.6)
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0.4)
    lasted = {}
    with serving(health, tmp_path) as (port, path), ExitStack() as lines:
        opened = {}
        for what, (start, _) in SLOW.items():
            opened[what] = lines.enter_context(socket.create_connection(("127.0.0.1", port)))
            opened[what].sendall(start.format(path=path).encode())

        def last(what):
            lasted[what] = lasts(opened[what], SLOW[what][1], 8)

        threads = [threading.Thread(target=last, args=(what,)) for what in SLOW]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    figure("slow connections: the longest lasted (s, patience 0.6)", round(max(lasted.values()), 1))
    assert {what for what, seconds in lasted.items() if seconds > 6} == set()


def test_a_crowd_of_slow_connections_does_not_keep_replies_out(health, tmp_path, monkeypatch, reply_of):
    """More than are borne: whoever has kept the site waiting longest makes room for a reply."""
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 40)
    with serving(health, tmp_path) as (port, path), ExitStack() as lines:
        for start, _ in list(SLOW.values()) * 10:
            line = lines.enter_context(socket.create_connection(("127.0.0.1", port)))
            line.sendall(start.format(path=path).encode())
        taker = lines.enter_context(socket.socket())
        taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        taker.connect(("127.0.0.1", port))
        taker.sendall(f"GET {path.removesuffix('replies')}offline.html HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 200)
        for _ in range(20):
            assert post(port, path, reply_of()) == b"201"


def test_answers_to_somebody_who_asked_for_several_and_was_cut_off_are_no_trouble(caplog):
    connections = server.Connections(10)

    async def answer_late(scope, receive, send):
        for connection in list(connections.all):
            connection.cut_off()
        await asyncio.sleep(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"late"})

    listening = socket.create_server(("127.0.0.1", 0))
    protocol = partial(server.CarefulProtocol, connections)
    late = uvicorn.Server(uvicorn.Config(answer_late, http=protocol, lifespan="off", log_config=None))
    with run(late, listening), socket.create_connection(listening.getsockname()) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        assert lasts(line, b"", 5) < 5
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


def test_more_connections_than_files_keep_no_reply_out(health, health_file, tmp_path, reply_of):
    """The site may open 200 files; 500 connections come and stay."""
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 700  # ours
    site = Server([health_file], f"sqlite:///{tmp_path}/store.sqlite", tmp_path, files=200)
    site.start()
    try:
        with ExitStack() as lines:
            for _ in range(500):
                lines.enter_context(socket.create_connection(("127.0.0.1", site.port), timeout=5))
            statuses = [post(site.port, f"/survey/{health.fingerprint}/replies", reply_of()) for _ in range(10)]
    finally:
        site.stop()
    assert statuses == [b"201"] * 10
    assert "Traceback" not in site.log.read_text()


def test_kill_9_leaves_no_half_of_a_backup(health, tmp_path, monkeypatch):
    """A file has the name that was asked for when it is whole, and only then; nothing is left in temporary folders."""
    store, folder = f"sqlite:///{tmp_path}/store.sqlite", tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    with open_store(store) as opened:
        opened.enrol(health)
        opened.keep(
            [Arrival(health.fingerprint, Reply(token_bytes(16), bytes(32), (0, 1, 18.0, 2))) for _ in range(20_000)]
        )
    copy, part = tmp_path / "copy.sqlite", tmp_path / "copy.sqlite.part"
    command = [sys.executable, "-m", "deniable", "backup", "--store", store, "-o", str(copy)]
    with subprocess.Popen(command) as backup:
        while not part.exists() and backup.poll() is None:
            time.sleep(0.001)
        backup.kill()
    assert not copy.exists()
    assert list(folder.rglob("*")) == []
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # which takes away what the other has left
    assert {each.name for each in tmp_path.iterdir()} >= {"copy.sqlite"}
    assert not part.exists()
    with open_store(f"sqlite:///{copy}") as opened:
        assert opened.count(health.fingerprint) == 20_000
