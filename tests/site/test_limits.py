"""Guessing is slowed down, and nobody is remembered longer than that takes."""

import pytest

from deniable.web.limits import Limit, is_local

STRANGER = "203.0.113.9"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_so_many_failures_and_no_more():
    clock = Clock()
    limit = Limit(3, 60, clock)
    for _ in range(3):
        assert limit.wait(STRANGER) == 0
        limit.failed(STRANGER)
    assert 0 < limit.wait(STRANGER) <= 61
    assert limit.wait("203.0.113.10") == 0
    clock.now = 60
    assert limit.wait(STRANGER) == 0


def test_no_address_is_kept():
    limit = Limit(3, 60)
    limit.failed(STRANGER)
    assert STRANGER not in repr(vars(limit))
    assert STRANGER.encode() not in b"".join(limit._failures)


def test_a_flood_of_addresses_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("deniable.web.limits.MOST_ADDRESSES", 10)
    limit = Limit(3, 60)
    for place in range(100):
        limit.failed(f"203.0.113.{place}")
    assert len(limit._failures) <= 11


@pytest.mark.parametrize(
    ("address", "local"), [("127.0.0.1", True), ("::1", True), (STRANGER, False), (None, False), ("unix", False)]
)
def test_the_machine_itself_is_exempt(address, local):
    assert is_local(address) is local
    limit = Limit(1, 60)
    limit.failed(address)
    assert (limit.wait(address) == 0) is local
