"""How often somebody may try: guesses at passwords and invitations are slowed down.

Who tries is remembered only as a keyed hash of the address, in memory, under a key that changes with every window of
time. The server's own machine is exempt.
"""

import time
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from ipaddress import ip_address
from secrets import token_bytes

MOST_ADDRESSES = 100_000


class Limit:
    """So many failures in so many seconds, for each address."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._failures: Counter[bytes] = Counter()
        self._key, self._since = token_bytes(16), clock()

    def wait(self, address: str | None) -> int:
        """Seconds to wait before trying again; 0 if it may be tried now."""
        self._turn()
        if is_local(address) or self._failures[self._name(address)] < self._most:
            return 0
        return int(self._since + self._seconds - self._clock()) + 1

    def failed(self, address: str | None) -> None:
        """Remember a failure."""
        self._turn()
        if not is_local(address):
            self._failures[self._name(address)] += 1

    def _turn(self) -> None:
        """Forget everything when a window of time is over, or too many have tried to remember them all."""
        if self._clock() - self._since >= self._seconds or len(self._failures) > MOST_ADDRESSES:
            self._failures, self._key, self._since = Counter(), token_bytes(16), self._clock()

    def _name(self, address: str | None) -> bytes:
        return blake2b((address or "").encode(), key=self._key, digest_size=16).digest()


def is_local(address: str | None) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ip_address(address or "").is_loopback
    except ValueError:
        return False
