"""A site whose survey has replies, a collector who is logged in, and a real browser."""

from collections.abc import Iterator

import pytest

from browsing import axe, browser
from web.desk import Running, fill, health_design, health_people, serving, set_password

REPLIES = 1_500
__all__ = ["axe", "browser", "running"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site with one survey, many replies and a password."""
    store, design = f"sqlite:///{tmp_path_factory.mktemp('site')}/store.sqlite", health_design()
    fill(store, design, health_people(REPLIES))
    set_password(store)
    with serving(store, design) as site:
        yield site
