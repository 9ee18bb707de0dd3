"""Sending replies as respondents' devices do: the same bytes again and again, until they are acknowledged."""

import json
import queue
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from secrets import token_hex
from urllib.parse import urlsplit

import pyarrow as pa

from deniable.channel.blind import RANDOM_BYTES, blind, finalized, prepared
from deniable.channel.design import Design
from deniable.channel.issuer import Issuer
from deniable.channel.length import ID_DIGITS, reply_length, reply_text
from deniable.errors import BadRequest, NotAcknowledged

AT_ONCE = 32  # connections
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0  # seconds between attempts, unless the site says how long
PATIENCE = 60.0  # seconds for one reply
TIMEOUT = 10.0
ACKNOWLEDGED = (200, 201)
TRY_AGAIN = (408, 425, 429)
MAX_ANSWER = 8 * 1024 * 1024  # bytes; designs of thousands of versions are long


@dataclass(frozen=True)
class Letter:
    """The bytes of a reply, and the invitation that goes with them."""

    body: bytes
    invitation: str | None = None


def letters(design: Design, replies: pa.Table, invitations: Sequence[str] | None = None) -> Iterator[Letter]:
    """Each row of a table of replies as the bytes that a device sends, all of one length."""
    names, length = design.columns, reply_length(design)
    numbers = {name for name in names if design.reported(name).is_number}
    columns = (replies.column(name).to_pylist() for name in names)
    rows = zip(*(list(map(_number, each)) if name in numbers else each
                 for name, each in zip(names, columns, strict=True)), strict=True)  # fmt: skip
    for index, row in enumerate(rows):
        values = [json.dumps(value, ensure_ascii=False, allow_nan=False) for value in row]
        text = reply_text(token_hex(ID_DIGITS // 2), design.fingerprint, dict(zip(names, values, strict=True)))
        yield Letter(text.encode().ljust(length), None if invitations is None else invitations[index])


def _number(value: str | float | None) -> float | None:
    """A number as such, also where a file has it as a word."""
    found = float(value) if isinstance(value, str) else value
    return int(found) if found is not None and found.is_integer() else found


@dataclass
class Postbox:
    """Where letters to one survey go, over a few lasting connections."""

    url: str
    patience: float = PATIENCE
    issuer: Issuer | None = None  # of invitations, which are traded for signatures
    answered: float = field(default_factory=time.monotonic)  # when the site last said anything; at first, the start
    _idle: "queue.SimpleQueue[HTTPConnection]" = field(default_factory=queue.SimpleQueue)
    _stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        try:
            self._site = urlsplit(self.url)
        except ValueError:
            self._site = urlsplit("")
        if self._site.scheme not in ("http", "https") or not self._site.hostname:
            raise BadRequest("--url", "the address of a site, such as http://127.0.0.1:8000", self.url, "correct it")

    def send_all(self, fingerprint: str, letters: Sequence[Letter]) -> Iterator[float]:
        """Send letters until each is acknowledged; yields the share that is."""
        path = f"/survey/{fingerprint}"
        with ThreadPoolExecutor(AT_ONCE) as pool:
            sent: list[Future[None]] = [pool.submit(self._send, path, letter) for letter in letters]
            try:
                for done, each in enumerate(as_completed(sent), start=1):
                    each.result()
                    yield done / len(sent)
            except BaseException:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
            finally:
                self._hang_up()

    def published(self, fingerprint: str) -> str:
        """The design that the site publishes under this fingerprint, as the very text."""
        try:
            return self._answered("GET", f"/survey/{fingerprint}/design.json", None, {})
        finally:
            self._hang_up()

    def _send(self, path: str, letter: Letter) -> None:
        """Send one letter; where invitations are traded, for a signature first."""
        headers = {"Content-Type": "application/json"}
        if self.issuer is not None and letter.invitation is not None:
            headers["Signature"] = self._traded(path, self.issuer, letter)
        elif letter.invitation is not None:
            headers["Invitation"] = letter.invitation
        self._answered("POST", f"{path}/replies", letter.body, headers)

    def _traded(self, path: str, issuer: Issuer, letter: Letter) -> str:
        """The signature on a letter's id, behind the random bytes that belong to it."""
        n, name = issuer.modulus("reply"), bytes.fromhex(json.loads(letter.body)["id"])
        hidden = blind(n, prepared(name))
        asked = {"invitation": letter.invitation, "round": "reply", "blinded": hidden.blinded.hex()}
        headers = {"Content-Type": "application/json"}
        told = json.loads(self._answered("POST", f"{path}/signatures", json.dumps(asked).encode(), headers))
        found = finalized(n, hidden, bytes.fromhex(told["signature"]))
        if found is None:
            raise NotAcknowledged(self.url, "the signature it gave does not fit the published key")
        return urlsafe_b64encode(hidden.prepared[:RANDOM_BYTES] + found).decode().rstrip("=")

    def _answered(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> str:
        """Ask the same until it is answered, or refused for good; the answer."""
        end, pause = time.monotonic() + self.patience, FIRST_PAUSE
        while True:
            status, line, wait = self._attempt(method, path, body, headers)
            if status in ACKNOWLEDGED:
                return line
            if status is not None and status < 500 and status not in TRY_AGAIN:
                raise NotAcknowledged(self.url, f"it was refused ({status}: {_reason(line)})", status)
            left = end - time.monotonic()
            if left <= 0 or self._stop.is_set():
                raise NotAcknowledged(self.url, f"no answer in {self.patience:g} seconds ({line})")
            self._stop.wait(min(pause, LONGEST_PAUSE, left) if wait is None else wait)
            pause *= 2

    def _attempt(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int | None, str, float | None]:
        """One attempt: the status (None if nobody answered), the site's words, and how long it says to wait."""
        connection = self._connection()
        try:
            connection.request(method, self._site.path.rstrip("/") + path, body, headers)
            answer = connection.getresponse()
            text = answer.read(MAX_ANSWER).decode(errors="replace")
            answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            self._hang_up()  # a site that went away has left the others, too
            return None, getattr(error, "strerror", None) or str(error) or type(error).__name__, None
        self._idle.put(connection)
        self.answered = time.monotonic()
        wait = answer.getheader("Retry-After", "")
        return answer.status, text, float(wait) if wait.isdigit() else None

    def _hang_up(self) -> None:
        """Let go of all connections that nobody uses."""
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    def _connection(self) -> HTTPConnection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            kind = HTTPSConnection if self._site.scheme == "https" else HTTPConnection
            return kind(str(self._site.hostname), self._site.port, timeout=TIMEOUT)


def _reason(line: str) -> str:
    """What the site says of a refusal, in its own words."""
    try:
        return str(json.loads(line)["error"])
    except (ValueError, TypeError, KeyError):
        return line
