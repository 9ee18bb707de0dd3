"""Serving a site: which connections are borne, and for how long.

Requests here are small. Somebody who sends an endless head, or sends it drop by drop, is cut off; so is a crowd beyond
what the machine can hold. Nothing is logged but trouble.
"""

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from deniable.web.app import create_app
from deniable.web.site import Site

MOST_HEAD = 32 * 1024  # bytes of a request before its body
HEAD_SECONDS = 20.0
MOST_CONNECTIONS = 4096


class CarefulProtocol(HttpToolsProtocol):
    """HTTP with an end to patience."""

    _head = 0
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come; let them speak."""
        super().connection_made(transport)
        self._end = self.loop.call_later(HEAD_SECONDS, self._cut_off)

    def data_received(self, data: bytes) -> None:
        """Take in bytes; count those of a head that does not end."""
        if self._head == 0 and self._end is None:
            self._end = self.loop.call_later(HEAD_SECONDS, self._cut_off)
        self._head += len(data)
        super().data_received(data)
        if self._head > MOST_HEAD:
            self._cut_off()

    def on_headers_complete(self) -> None:
        """The head has ended."""
        self._whole()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body; the door counts those itself."""
        self._whole()
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side has gone."""
        self._whole()
        super().connection_lost(exc)

    def _whole(self) -> None:
        self._head = 0
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def _cut_off(self) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.close()


def serve(site: Site, listening: socket.socket, access_log: bool = False) -> None:
    """Serve a site until somebody stops it."""
    settings: dict[str, Any] = {
        "access_log": access_log,
        "log_level": "warning",
        "server_header": False,
        "http": CarefulProtocol,
        "ws": "none",
        "limit_concurrency": MOST_CONNECTIONS,
        "timeout_graceful_shutdown": 5,
    }
    uvicorn.Server(uvicorn.Config(create_app(site), **settings)).run(sockets=[listening])
