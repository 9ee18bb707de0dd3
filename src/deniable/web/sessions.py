"""Sessions of the collector: in memory, forgotten after a while without a click, or when the password changes."""

import asyncio
import hmac
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_bytes, token_urlsafe

IDLE_SECONDS = 30 * 60
LONGEST_SECONDS = 12 * 60 * 60
MAX_SESSIONS = 1_000
MAX_HASHING = 2  # passwords at a time: each takes 64 MB
ID_BYTES = 32
SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass
class _Session:
    password: str  # the hash that was kept when it began
    began: float
    seen: float


class Sessions:
    """The sessions of a site's collectors, by their random ids."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key = token_bytes(ID_BYTES)
        self._sessions: dict[str, _Session] = {}
        self.hashing = asyncio.Semaphore(MAX_HASHING)

    def begin(self, password: str) -> str:
        """A new session under this password's hash; its id."""
        self._forget()
        while len(self._sessions) >= MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        session_id = new_id()
        self._sessions[session_id] = _Session(password, self._clock(), self._clock())
        return session_id

    def holds(self, session_id: str | None, password: str | None, active: bool = True) -> bool:
        """Whether this is the id of a session under the password that is kept now; `active` use prolongs it."""
        self._forget()
        session = self._sessions.get(session_id or "")
        if session is None or session_id is None:
            return False
        if password is None or not hmac.compare_digest(session.password, password):
            self.end(session_id)
            return False
        if active:
            session.seen = self._clock()
        return True

    def end(self, session_id: str | None) -> None:
        """Forget a session."""
        self._sessions.pop(session_id or "", None)

    def token(self, session_id: str) -> str:
        """What a form must bring along to show that it came from a page of this session."""
        return hmac.new(self._key, session_id.encode(), sha256).hexdigest()

    def is_token(self, session_id: str | None, token: str) -> bool:
        """Whether a form brought the token of this session."""
        return session_id is not None and hmac.compare_digest(self.token(session_id).encode(), token.encode())

    def _forget(self) -> None:
        now = self._clock()
        over = [
            session_id
            for session_id, session in self._sessions.items()
            if now - session.seen >= IDLE_SECONDS or now - session.began >= LONGEST_SECONDS
        ]
        for session_id in over:
            del self._sessions[session_id]


def new_id() -> str:
    """256 random bits, as a cookie holds them."""
    return token_urlsafe(ID_BYTES)


def is_id(text: str) -> bool:
    """Whether a text could be such an id."""
    return SHAPE.fullmatch(text) is not None
