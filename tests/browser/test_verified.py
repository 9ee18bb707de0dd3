"""The page can be verified by someone else, and shared devices keep nothing (check 26)."""

import json
import subprocess
import sys
from hashlib import sha256

import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.surveys import ask, showcase
from browser.visit import EVERYTHING_STORED, Ear, disguise, fill
from browsing import violations
from commands import deniable_says
from deniable.collect.places import open_store
from serving import serving

DESIGN = dn.Design(
    [
        dn.warner(0.8, dn.yes_no("late", "Are you often late?")),
        dn.k_ary(0.7, dn.Question("mood", [str(mood) for mood in range(12)])),
    ],
    title="Verified",
    retention="2999-12-31",
)  # fmt: skip


@pytest.fixture
def path(tmp_path):
    DESIGN.save(tmp_path / "design.toml")
    return tmp_path / "design.toml"


def test_anybody_makes_the_very_file_that_the_site_hands_out(path, tmp_path):
    url, out = f"sqlite:///{tmp_path}/s.sqlite", tmp_path / "page.html"
    deniable_says("invite", path, "--count", 1, "--store", url, "-o", tmp_path / "links")
    with open_store(url) as store:
        served = store.promised(DESIGN)
    with serving([path], url, tmp_path) as server:
        here = f"/survey/{served.fingerprint}"
        handed_out, shown = server.get(f"{here}/offline.html")[1], server.get(here)[1].decode()
        (tmp_path / "design.json").write_bytes(server.get(f"{here}/design.json")[1])
        headers = server.request("GET", here)[2]
        site = server.url
    command = [sys.executable, "-m", "deniable", "page", tmp_path / "design.json", "--url", f"{site}/", "-o", out]
    said = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd="/"
    ).stdout  # as another machine would
    assert out.read_bytes() == handed_out
    digest = sha256(handed_out).hexdigest()
    assert digest in said
    assert digest in shown
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "strict-transport-security" not in headers  # not without TLS
    assert 'erased after this day:</span> <time datetime="2999-12-31">' in handed_out.decode()


def test_a_design_file_makes_the_page_of_a_survey_without_keys(path, tmp_path):
    url = f"sqlite:///{tmp_path}/s.sqlite"
    with serving([path], url, tmp_path, "--url", "https://survey.example.org") as server:
        handed_out = server.get(f"/survey/{DESIGN.fingerprint}/offline.html")[1]
        headers = server.request("GET", "/health")[2]
    deniable_says("page", path, "--url", "https://survey.example.org", "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == handed_out
    assert headers["strict-transport-security"].startswith("max-age=31536000")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "page must be one of --url and --module, got 'neither'"),
        (["--url", "https://a.example", "--module"], "got 'both'"),
        (["--url", "here"], "--url must be the site's own address"),
    ],
)
def test_pages_that_cannot_be_made_are_told(path, tmp_path, words, line):
    assert line in deniable_says("page", path, *words, "-o", tmp_path / "x.html", code=2)
    (tmp_path / "x.json").write_text("[]")
    said = deniable_says("page", tmp_path / "x.json", "--url", "https://a.example", "-o", tmp_path / "x.html", code=2)
    assert "is no published design" in said


def test_answers_and_previews_are_not_translated(site, page):
    page.goto(site.address("own coin"))
    fill(page, "question-0", "yes")
    fill(page, "question-1", "yes")
    assert page.locator(".question .choices:not([translate=no])").count() == 0
    disguise(page)
    assert page.locator("#step tbody:not([translate=no]), pre.bytes:not([translate=no])").count() == 0
    assert page.locator("#step tbody[translate=no]").count() == 1


# ---------------------------------------------------------------- kiosk


@pytest.fixture(scope="module")
def kiosk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kiosk")
    designs = [showcase(), ask(), dn.Design([dn.warner(0.8, dn.yes_no("late", "Are you often late?"))])]
    paths = []
    for place, design in enumerate(designs):
        paths.append(folder / f"d{place}.toml")
        design.save(paths[-1])
    with serving(paths, f"sqlite:///{folder}/replies.db", folder, "--kiosk") as server:
        server.surveys = [f"{server.url}/survey/{design.fingerprint}" for design in designs]
        server.rows = lambda: open_rows(f"sqlite:///{folder}/replies.db", designs[-1])
        yield server


def open_rows(url, design):
    with open_store(url) as store:
        return store.count(design.fingerprint)


def test_a_shared_device_keeps_nothing_and_starts_afresh(kiosk, context, page, axe):
    ear, address = Ear(context), kiosk.surveys[-1]
    page.goto(address)
    assert json.loads(kiosk.get(f"{address.removeprefix(kiosk.url)}/status.json")[1])["kiosk"] is True
    for place in range(2):
        expect(page.locator("#promise")).to_contain_text("This device is shared, so nothing stays on it")
        empty = page.evaluate(EVERYTHING_STORED)
        fill(page, "question-0", "yes")
        disguise(page)
        assert "Nothing has been sent yet. If you close" not in page.locator("#step").inner_text()
        assert page.evaluate(EVERYTHING_STORED) == empty
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        expect(page.get_by_text("Nothing of it stays on this device")).to_be_visible()
        assert page.evaluate(EVERYTHING_STORED) == empty
        assert violations(page, axe, "light") == []
        page.get_by_role("button", name="Next person").click()
        expect(page.get_by_role("heading", name="The questions")).to_be_visible()
        assert page.locator("[id^='question-']:checked").count() == 0
        assert len(ear.sent()) == place + 1
    assert len({json.loads(body)["id"] for body in ear.sent()}) == 2
    assert kiosk.rows() == 2


def test_versions_are_drawn_for_each_person(kiosk, page):
    """Not for the device: the next person has one of their own."""
    page.goto(kiosk.surveys[1])
    seen = set()
    for _ in range(12):
        expect(page.get_by_role("heading", name="The questions")).to_be_visible()
        seen.add(page.locator("#promise .experts").text_content())  # which names the version
        page.reload()
    assert len(seen) > 1


def test_a_shared_device_is_offered_no_file_and_asks_before_it_starts_afresh(kiosk, page, axe):
    """A file would stay there and keep receipts; somebody who reads on has not walked away."""
    page.clock.install()
    page.goto(kiosk.surveys[-1])
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    expect(page.get_by_text("Download this page")).to_have_count(0)
    fill(page, "question-0", "yes")
    page.wait_for_timeout(500)  # what the click scrolled is told with the next frame, and is a touch, too
    page.clock.fast_forward("01:15")
    expect(page.get_by_role("alert")).to_contain_text("Are you still there?")
    assert violations(page, axe, "light") == []
    page.get_by_role("button", name="I am still here").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.locator("[id^='question-']:checked").count() == 1
    page.clock.fast_forward("01:00")
    page.evaluate("document.body.dispatchEvent(new Event('wheel', { bubbles: true }))")
    page.clock.fast_forward("01:00")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.clock.fast_forward("00:15")
    expect(page.get_by_role("alert")).to_be_visible()
    page.clock.fast_forward("00:25")
    expect(page.locator("[id^='question-']:checked")).to_have_count(0)
