"""A real browser and an accessibility checker, for tests of the page and of the dashboard."""

import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from serving import AUDIT

PACKED = Path(os.environ.get("AXE", ".venv/axe-core.tgz"))


@contextmanager
def chromium(*options: str) -> Iterator[Browser]:
    """A real browser for as long as it is needed: in audits the one that people have, else the same without windows."""
    name = "chromium" if AUDIT else "chromium-headless-shell"
    path = shutil.which(name)
    assert path is not None, f"{name} is not installed; no page can be tried"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", *options]
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a module."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def axe() -> str:
    """The accessibility checker."""
    assert PACKED.exists(), f"{PACKED} is missing; `make axe` fetches it"
    with tarfile.open(PACKED) as packed:
        found = packed.extractfile("package/axe.min.js")
        assert found is not None
        return found.read().decode()


def violations(page: Page, axe: str, scheme: str) -> list[str]:
    """What the accessibility checker has against a page, in a light or dark scheme."""
    rules = {"runOnly": ["color-contrast"]} if scheme == "dark" and not AUDIT else {}  # all else is light's
    page.evaluate(f"() => {{ {axe} }}")
    told = page.evaluate("(rules) => axe.run(document, { resultTypes: ['violations'], ...rules })", rules)["violations"]
    return [f"{page.url}: {each['id']}: {each['nodes'][0]['html'][:120]}" for each in told]
