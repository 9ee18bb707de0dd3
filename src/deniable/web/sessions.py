"""Sessions of the collector: kept in the store as hashes, so that they survive a restart and serve several processes.

A session ends after a while without a click, after half a day, when the collector logs out, and when the password
changes. Whoever reads the store finds only hashes of ids, and cannot log in with them.
"""

import asyncio
import hmac
import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from secrets import token_urlsafe

from deniable.collect.store import Store

IDLE_SECONDS = 30 * 60
LONGEST_SECONDS = 12 * 60 * 60
SEEN_SECONDS = 60  # a click is written down at most so often
MAX_SESSIONS = 1_000
MAX_HASHING = 2  # passwords at a time: each takes 64 MB
ID_BYTES = 32
SHAPE = re.compile(r"[A-Za-z0-9_-]{43}")
KEPT = "session "  # names in the store begin so


@dataclass(frozen=True)
class _Session:
    password: str  # digest of the hash that was kept when it began
    began: float  # seconds since 1970
    seen: float

    def is_over(self, now: float) -> bool:
        return not (0 <= now - self.seen < IDLE_SECONDS and 0 <= now - self.began < LONGEST_SECONDS)


class Sessions:
    """The sessions of a site's collectors, by their random ids."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.hashing = asyncio.Semaphore(MAX_HASHING)

    def begin(self, store: Store, password: str) -> str:
        """A new session under this password's hash; its id."""
        now = self._clock()
        found = {name: _read(text) for name, text in store.secrets(KEPT).items()}
        over = [name for name, session in found.items() if session is None or session.is_over(now)]
        left = sorted((session.seen, name) for name, session in found.items() if session and name not in over)
        for name in [*over, *(name for _, name in left[: max(0, len(left) + 1 - MAX_SESSIONS)])]:
            store.forget_secret(name)
        session_id = new_id()
        store.set_secret(_name(session_id), _written(_Session(_digest(password), now, now)))
        return session_id

    def holds(self, store: Store, session_id: str, password: str | None, active: bool = True) -> bool:
        """Whether this is the id of a session under the password that is kept now; `active` use prolongs it."""
        text, now = store.secret(_name(session_id)), self._clock()
        session = None if text is None else _read(text)
        if session is None:
            return False
        if password is None or session.is_over(now) or not hmac.compare_digest(session.password, _digest(password)):
            self.end(store, session_id)
            return False
        if active and now - session.seen >= SEEN_SECONDS:
            store.set_secret(_name(session_id), _written(replace(session, seen=now)))
        return True

    def end(self, store: Store, session_id: str) -> None:
        """Forget a session."""
        store.forget_secret(_name(session_id))

    def token(self, session_id: str) -> str:
        """What a form must bring along to show that it came from a page of this session."""
        return hmac.new(session_id.encode(), b"form", sha256).hexdigest()

    def is_token(self, session_id: str | None, token: str) -> bool:
        """Whether a form brought the token of this session."""
        return session_id is not None and hmac.compare_digest(self.token(session_id).encode(), token.encode())


def _name(session_id: str) -> str:
    return KEPT + _digest(session_id)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _written(session: _Session) -> str:
    return json.dumps(asdict(session))


def _read(text: str) -> _Session | None:
    try:
        return _Session(**json.loads(text))
    except (ValueError, TypeError):
        return None


def new_id() -> str:
    """256 random bits, as a cookie holds them."""
    return token_urlsafe(ID_BYTES)


def is_id(text: str) -> bool:
    """Whether a text could be such an id."""
    return SHAPE.fullmatch(text) is not None
