"""A site below a path of its web server: https://www.example.org/surveys.

Inside, the site knows itself as `/`. The web server in front may take the path off a request, or hand it on; what goes
out has it in front: links, forms and scripts of pages, redirects, and the path to which a browser returns the cookie.
"""

import re
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESSES = re.compile(rb'(\s(?:href|src|action|data-[a-z]+)=")/(?!/)')  # within tags: texts have no such quotes


def below_path(app: ASGIApp, url: str) -> ASGIApp:
    """An application as it is reached at this address."""
    path = urlsplit(url).path.rstrip("/")
    return SubPath(app, path) if path else app


class SubPath:
    """An application below a path."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the path taken off and put in front again."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if f"{scope['path']}/".startswith(f"{self._path}/"):
            scope = {**scope, "path": scope["path"][len(self._path) :] or "/"}
        answer = _Answer(self._path, send)
        await self._app(scope, receive, answer.send)


class _Answer:
    """One answer on its way out; that of a page is changed as a whole."""

    def __init__(self, path: str, send: Send) -> None:
        self._path, self._send = path.encode(), send
        self._start: Message | None = None
        self._page = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [(name, self._header(name, value)) for name, value in message["headers"]]
            if _is_page(dict(message["headers"])):
                self._start = message
                return
        elif self._start is not None:
            self._page += message.get("body", b"")
            if message.get("more_body", False):
                return
            message = await self._begun(self._start)
        await self._send(message)

    async def _begun(self, start: Message) -> Message:
        """Send the head of a changed page, whose length is another one; gives its body."""
        page = ADDRESSES.sub(rb"\g<1>" + self._path + b"/", bytes(self._page))
        others = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        await self._send({**start, "headers": [*others, (b"content-length", str(len(page)).encode())]})
        return {"type": "http.response.body", "body": page}

    def _header(self, name: bytes, value: bytes) -> bytes:
        if name.lower() == b"location" and value.startswith(b"/"):
            return self._path + value
        if name.lower() == b"set-cookie":
            return value.replace(b"Path=/", b"Path=" + self._path + b"/")
        return value


def _is_page(headers: dict[bytes, bytes]) -> bool:
    """Whether this is a page to look at, and not one to download, whose bytes everybody compares."""
    return headers.get(b"content-type", b"").startswith(b"text/html") and b"content-disposition" not in headers
