"""A real browser and the real site."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

import deniable as dn
from browser.visit import Served
from serving import serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a module."""
    path = shutil.which("chromium")
    assert path is not None, "chromium is not installed; the page cannot be tried"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    """Serve designs: serve(design, ...)."""
    open_sites = []

    def start(*designs: dn.Design, options: tuple[str, ...] = ()) -> Served:
        folder = tmp_path_factory.mktemp("site")
        paths = []
        for place, design in enumerate(designs):
            paths.append(folder / f"design{place}.toml")
            design.save(paths[-1])
        site = serving(paths, f"sqlite:///{folder / 'replies.db'}", folder, *options)
        open_sites.append(site)
        return Served(site.__enter__(), folder, designs)

    yield start
    for site in reversed(open_sites):
        site.__exit__(None, None, None)
