"""A site whose survey has replies, a collector who is logged in, and a real browser."""

import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from web.desk import Running, fill, health_design, health_people, serving, set_password

REPLIES = 1_500
AXE = Path(os.environ.get("AXE", ".venv/axe-core.tgz"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A site with one survey, many replies and a password."""
    store, design = f"sqlite:///{tmp_path_factory.mktemp('site')}/store.sqlite", health_design()
    fill(store, design, health_people(REPLIES))
    set_password(store)
    with serving(store, design) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a module."""
    path = shutil.which("chromium")
    assert path is not None, "chromium is not installed; the dashboard cannot be tried"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def axe() -> str:
    """The accessibility checker."""
    assert AXE.exists(), f"{AXE} is missing; `make axe` fetches it"
    with tarfile.open(AXE) as packed:
        found = packed.extractfile("package/axe.min.js")
        assert found is not None
        return found.read().decode()
