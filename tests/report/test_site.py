"""The documentation as a reader opens it from disk, without a server or a network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from browsing import browser

__all__ = ["browser"]
ROOT = Path(__file__).parents[2]
CUT = "(all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerHTML)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    return folder


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
def test_search_works_from_disk(site, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "howto" / "plan.html").as_uri())
    page.keyboard.press("/")
    page.keyboard.type("epsilon", delay=30)
    page.locator(".md-search-result__link").first.wait_for()
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url("**/*?h=epsilon*")
    assert all(each.startswith(("file:", "data:", "about:")) for each in asked)
    page.close()


@pytest.mark.docs
@pytest.mark.xdist_group("pages")
def test_what_is_printed_wraps_but_for_tables(site, browser):
    for width in (390, 1280):
        page = browser.new_page(viewport={"width": width, "height": 900})
        for name in ("index", "tutorial"):
            page.goto((site / f"{name}.html").as_uri())
            cut = page.eval_on_selector_all("pre > code", CUT)
            assert all('class="row"' in each for each in cut)
            assert width == 390 or not cut
        page.close()
