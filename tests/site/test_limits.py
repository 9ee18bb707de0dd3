"""Guessing is slowed down, and nobody is remembered longer than that takes."""

import pytest

from deniable.web.limits import Limit, is_local, is_local_url

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
    monkeypatch.setattr("deniable.web.limits.MAX_ADDRESSES", 10)
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


def test_nobody_is_exempt_where_all_may_seem_local():
    """Behind a web server that does not say for whom it asks, everybody comes from 127.0.0.1."""
    limit = Limit(1, 60, spares_local=False)
    limit.failed("127.0.0.1")
    assert limit.wait("127.0.0.1") > 0


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost:8000", True),
        ("http://[::1]:8000", True),
        ("http://[::ffff:127.0.0.1]:8000", True),
        ("https://survey.example.org", False),
        ("http://0.0.0.0:8000", False),
        ("http://localhost.example.org", False),
    ],
)
def test_a_site_for_this_machine_only(url, local):
    assert is_local_url(url) is local


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:203.0.113.9", STRANGER, True),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.10", False),
        ("203.0.113.10", STRANGER, False),
        ("unix", "other", False),
    ],
)
def test_a_network_counts_as_one(one, other, same):
    limit = Limit(1, 60)
    limit.failed(one)
    assert (limit.wait(other) > 0) is same


def test_a_try_that_was_none_is_forgiven():
    limit = Limit(2, 60)
    for _ in range(5):
        limit.failed(STRANGER)
        limit.forgive(STRANGER)
    limit.forgive(STRANGER)
    limit.failed(STRANGER)
    assert limit.wait(STRANGER) == 0
    limit.failed(STRANGER)
    assert limit.wait(STRANGER) > 0
