"""A survey to serve, and replies to it."""

import json
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

import deniable as dn

Reply = Callable[[], bytes]


@pytest.fixture(scope="session")
def health() -> dn.Design:
    """A survey with a group, a number under noise and a choice."""
    return dn.Design(
        [
            dn.warner(0.8, dn.yes_no("smokes"), dn.yes_no("leave")),
            dn.gaussian(dn.number("age", 18, 80, integer=True), privacy=0.5),
            dn.k_ary(0.7, dn.Question("drinks", ["never", "sometimes", "daily"], optional=True)),
        ],
        target="leave",
        title="Health at work",
    )


@pytest.fixture
def health_file(health: dn.Design, tmp_path: Path) -> Path:
    """The survey as a file."""
    health.save(tmp_path / "health.toml")
    return tmp_path / "health.toml"


@pytest.fixture(scope="session")
def reply_of(health: dn.Design) -> Reply:
    """Bytes of a reply that nobody has sent yet."""

    def make() -> bytes:
        answers = {
            "smokes": secrets.choice(["no", "yes"]),
            "leave": secrets.choice(["no", "yes"]),
            "age": 18 + secrets.randbelow(1025) * 62 / 1024,
            "drinks": secrets.choice(["never", "sometimes", "daily", "prefer not to say"]),
        }
        reply = {"id": secrets.token_hex(16), "design": health.fingerprint, "answers": answers}
        return json.dumps(reply, separators=(",", ":")).encode()

    return make
