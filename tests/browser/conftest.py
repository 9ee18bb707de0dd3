"""A real browser and the real site."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from browser.surveys import surveys
from browser.visit import Served
from browsing import axe, chromium
from payloads import hostile_model
from serving import serving

__all__ = ["axe", "browser", "context", "page", "site"]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The real site with all surveys of these tests."""
    folder, designs, paths = tmp_path_factory.mktemp("site"), surveys(), []
    for place, design in enumerate(designs.values()):
        paths.append(folder / f"design{place}.toml")
        design.save(paths[-1])
    with serving(paths, f"sqlite:///{folder / 'replies.db'}", folder) as server:
        served = Served(server, folder, designs)
        with served.store() as store:
            store.schedule(designs["closed"].fingerprint, "2999-01-01", None)
            store.invite(designs["invited"].fingerprint, ["TOKEN-one", "TOKEN-two", "TOKEN-late", "TOKEN-file"])
            store.invite(designs["invited round"].fingerprint, ["TOKEN-round"])
            store.publish(designs["hostile"].fingerprint, hostile_model(designs["hostile"]))
        yield served


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of this folder: each respondent has a context of their own."""
    with chromium() as started:
        yield started


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One respondent's browser."""
    made = browser.new_context(reduced_motion="reduce")
    made.set_default_timeout(15_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A tab of it."""
    return context.new_page()
