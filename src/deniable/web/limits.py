"""Rate limits: guesses at passwords are counted by address, guesses at invitations by survey.

Addresses are remembered only as keyed hashes, in memory, under a key that changes with every window of
time. Whoever has one IPv6 address usually has all 2^64 of its network, so those count as one. The server's own machine
is exempt while the site is for that machine only; a site for others stands behind a web server, and if that does not
say for whom it asks, everybody seems to be the machine itself.
"""

import time
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_address
from secrets import token_bytes
from urllib.parse import urlsplit

MAX_ADDRESSES = 100_000
NETWORK_BYTES = 8  # of an IPv6 address: its /64


class Limit:
    """So many failures in so many seconds, for each address or survey; `spares_local` exempts the machine itself."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic, *, spares_local: bool = True
    ) -> None:
        self._most, self._seconds, self._clock, self._spares_local = most, seconds, clock, spares_local
        self._failures: Counter[bytes] = Counter()
        self._key, self._since = token_bytes(16), clock()

    def wait(self, address: str | None) -> int:
        """Seconds to wait before trying again; 0 if it may be tried now."""
        self._turn()
        if not self._failures or self._failures[self._name(address)] < self._most:
            return 0
        return int(self._since + self._seconds - self._clock()) + 1

    def failed(self, address: str | None) -> None:
        """Remember a failure; or a try that takes a while, until it is forgiven."""
        self._turn()
        if not (self._spares_local and is_local(address)):
            self._failures[self._name(address)] += 1

    def forgive(self, address: str | None) -> None:
        """Take one failure back: the try was none after all."""
        self._turn()
        name = self._name(address)
        if self._failures[name]:
            self._failures[name] -= 1

    def _turn(self) -> None:
        """Forget everything when a window of time is over, or too many have tried to remember them all."""
        if self._clock() - self._since >= self._seconds or len(self._failures) > MAX_ADDRESSES:
            self._failures, self._key, self._since = Counter(), token_bytes(16), self._clock()

    def _name(self, address: str | None) -> bytes:
        return blake2b(_who(address), key=self._key, digest_size=16).digest()


def _who(address: str | None) -> bytes:
    """What identifies a visitor: the address; for IPv6, its network."""
    found = _parsed(address)
    if found is None:
        return (address or "").encode()
    return found.packed[:NETWORK_BYTES] if found.version == 6 else found.packed


def is_local(address: str | None) -> bool:
    """Whether an address is this machine's own."""
    found = _parsed(address)
    return found is not None and found.is_loopback


def is_local_url(url: str) -> bool:
    """Whether a site can be reached from this machine only."""
    host = urlsplit(url).hostname
    return host == "localhost" or is_local(host)


def _parsed(address: str | None) -> IPv4Address | IPv6Address | None:
    """An address, if it is one; one of IPv4 that is written as one of IPv6 is what it is."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
