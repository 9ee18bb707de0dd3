"""HTTP server: how many connections it bears, and for how long.

Requests here are small. Somebody who sends an endless head, or sends or takes bytes drop by drop, is cut off. When
more come than the machine can hold, whoever has kept us waiting longest makes room. Nothing is logged but trouble.
"""

import asyncio
import gc
import socket
from functools import partial
from typing import Any
from weakref import WeakSet

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from deniable.web.app import create_app
from deniable.web.bodies import BODY_SECONDS
from deniable.web.site import Site

MAX_HEAD = 32 * 1024  # bytes of a request before its body
HEAD_SECONDS = 20.0
REST_SECONDS = BODY_SECONDS + 5.0  # of a body that is not wanted any more; others get their answer before
TAKE_SECONDS = 60.0  # until somebody takes some of what is sent
MAX_CONNECTIONS = 4096
RESERVED_FILES = 256  # for the store, all who read it at once, and the program itself


class Connections:
    """All connections, and those we wait for, the longest waiting first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.all: set[CarefulProtocol] = set()
        self.waiting: dict[CarefulProtocol, None] = {}

    def enter(self, one: "CarefulProtocol") -> None:
        """Let one more in; if they are too many, the one who has kept us waiting longest makes room."""
        self.all.add(one)
        self.wait_for(one)
        if len(self.all) > self.most:
            next(iter(self.waiting)).cut_off()

    def leave(self, one: "CarefulProtocol") -> None:
        """This one has gone."""
        self.all.discard(one)
        self.waiting.pop(one, None)

    def wait_for(self, one: "CarefulProtocol") -> None:
        """From now on we wait for this one."""
        self.waiting.pop(one, None)
        self.waiting[one] = None

    def serve(self, one: "CarefulProtocol") -> None:
        """This one waits for us."""
        self.waiting.pop(one, None)


class CarefulProtocol(HttpToolsProtocol):
    """HTTP with an end to patience."""

    def __init__(self, connections: Connections, **settings: Any) -> None:
        super().__init__(**settings)
        self._connections, self._head = connections, 0
        self._cycles: WeakSet[RequestResponseCycle] = WeakSet()
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come; let them speak."""
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)
        self._connections.enter(self)

    def data_received(self, data: bytes) -> None:
        """Take in bytes; count those of a head that does not end."""
        self._head += len(data)
        super().data_received(data)
        if self._head > MAX_HEAD:
            self.cut_off()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._wait(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head has ended; the body has its time too, even if it was answered already."""
        self._head = 0
        self._wait(REST_SECONDS)
        super().on_headers_complete()
        self._cycles.add(self.cycle)

    def on_body(self, body: bytes) -> None:
        """A piece of the body; the door counts those itself."""
        self._head = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of the request is there; either it waits for its answer, or the next one may come."""
        self._head = 0
        super().on_message_complete()
        self._go_on()

    def on_response_complete(self) -> None:
        """The answer is given; the next request may come when all of this one is there."""
        super().on_response_complete()
        if self.cycle.response_complete and not self.cycle.more_body:
            self._wait(TAKE_SECONDS if self.flow.write_paused else HEAD_SECONDS)

    def pause_writing(self) -> None:
        """We wait until some of what was sent is taken."""
        super().pause_writing()
        self._wait(TAKE_SECONDS)

    def resume_writing(self) -> None:
        """Some of it was taken."""
        super().resume_writing()
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side has gone."""
        self._stop_clock()
        self._connections.leave(self)
        for cycle in self._cycles:  # uvicorn tells the last one only, and earlier ones would fail loudly
            cycle.disconnected = True
        super().connection_lost(exc)

    def cut_off(self) -> None:
        """End it at once, whatever is still on its way."""
        self._stop_clock()
        self._connections.leave(self)
        if self.transport is not None:
            self.transport.abort()

    def _go_on(self) -> None:
        if self.cycle.response_complete or self.cycle.more_body:
            self._wait(HEAD_SECONDS)
        else:
            self._serve()

    def _wait(self, seconds: float) -> None:
        self._stop_clock()
        self._end = self.loop.call_later(seconds, self.cut_off)
        self._connections.wait_for(self)

    def _serve(self) -> None:
        self._stop_clock()
        self._connections.serve(self)

    def _stop_clock(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


def most_connections() -> int:
    """How many connections leave enough of the files that this process may open."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return MAX_CONNECTIONS
    allowed, ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    wanted = MAX_CONNECTIONS + RESERVED_FILES
    files = max(allowed, wanted if ceiling == resource.RLIM_INFINITY else min(wanted, ceiling))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, ceiling))
    return min(MAX_CONNECTIONS, max(files - RESERVED_FILES, files // 3))


def server_of(site: Site, access_log: bool = False) -> uvicorn.Server:
    """What serves a site."""
    settings: dict[str, Any] = {
        "access_log": access_log,
        "log_level": "warning",
        "server_header": False,
        "http": partial(CarefulProtocol, Connections(most_connections())),
        "ws": "none",
        "timeout_graceful_shutdown": 5,
    }
    return uvicorn.Server(uvicorn.Config(create_app(site), **settings))


def serve(site: Site, listening: socket.socket, access_log: bool = False) -> None:
    """Serve a site until somebody stops it."""
    gc.collect()
    gc.freeze()  # what the program is made of stays; to look through it again and again would hold up everybody
    server_of(site, access_log).run(sockets=[listening])
