"""The demo's page on a phone, a tablet and a desk, and on paper."""

import numpy as np
import pytest

from browsing import browser
from deniable.cli.demo import sent
from deniable.demo.chapters import page
from deniable.demo.samples import made_up
from deniable.demo.story import Story

__all__ = ["browser"]
WIDTHS = (390, 800, 1280)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    sample = made_up(np.random.default_rng(2003))
    path = folder / "index.html"
    path.write_text(page(Story(sample, sent(sample, folder, seed=1), seed=1), lambda _: None), encoding="utf-8")
    return path


def test_the_page_fits_every_screen_and_says_what_it_shows(told, browser):
    for width in WIDTHS:
        shown = browser.new_page(viewport={"width": width, "height": 900})
        shown.goto(told.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(
            "[...document.querySelectorAll('svg[role=img]')].every(e => e.getAttribute('aria-label'))"
        )
        bars = shown.evaluate(
            "[...document.querySelectorAll('td.picture svg')].map(e => e.getBoundingClientRect().width)"
        )
        assert min(bars, default=0) > 100
        shown.close()


def test_headings_tell_the_story_in_order(told, browser):
    shown = browser.new_page()
    shown.goto(told.as_uri())
    heads = shown.evaluate("[...document.querySelectorAll('h1, h2')].map(e => e.textContent)")
    assert heads[1] == "In short"
    assert heads[-1] == "What to try next"
    assert shown.evaluate("document.documentElement.lang") == "en"
    shown.close()


def test_on_a_phone_people_are_shown_whole(told, browser):
    shown = browser.new_page(viewport={"width": 390, "height": 900})
    shown.goto(told.as_uri())
    cells = shown.locator("[aria-label='The first few people'] td")
    assert cells.count() > 20
    assert max(cells.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().right)")) <= 390
    shown.close()


def test_on_paper_no_heading_stands_alone(told, browser):
    shown = browser.new_page()
    shown.goto(told.as_uri())
    shown.emulate_media(media="print")
    after = "(all) => all.map((each) => getComputedStyle(each).breakAfter)"
    assert set(shown.eval_on_selector_all("h2", after)) == {"avoid"}
    assert shown.eval_on_selector(".together", "(each) => getComputedStyle(each).breakInside") == "avoid"
    shown.close()
