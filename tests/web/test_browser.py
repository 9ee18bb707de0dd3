"""The dashboard in a real browser: nothing in a design runs, and figures move while replies arrive."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import deniable as dn
from browsing import violations
from payloads import PAYLOADS, hostile
from serving import AUDIT
from sizes import in_short
from web.desk import PASSWORD, Running, fill, health_design, health_people, serving, set_password

DESKTOP, PHONE = {"width": 1180, "height": 860}, {"width": 390, "height": 844}
STRANGE = """() => [
  window.hit === undefined ? null : "it ran",
  ...[...document.querySelectorAll("*")].flatMap((each) => [...each.attributes]
    .filter((attribute) => /^on|^style$|^srcdoc$/i.test(attribute.name) || /^\\s*javascript:/i.test(attribute.value)
      && ["href", "src", "action", "data"].includes(attribute.name)).map((found) => found.name)),
  ...[...document.querySelectorAll("script:not([src='/static/dashboard.js']), iframe, object, embed, img, base, "
    + "style, meta[http-equiv], template, marquee, animate, use, video, math")].map((each) => each.outerHTML),
].filter((each) => each !== null)"""
CUT_OFF = """() => [...document.querySelectorAll("th, td, .row > *, svg text")]
  .filter((each) => each.checkVisibility() && each.textContent.trim() && !each.closest(".unseen")
    && each.getBoundingClientRect().right > innerWidth + .5).map((each) => each.textContent.trim())"""
EXPLAINED = "/models?outcome=leave&predictor=smokes&predictor=drinks&predictor=age&first=smokes&second=drinks"


def log_in(context: BrowserContext, running: Running) -> Page:
    """A page whose collector has logged in."""
    page = context.new_page()
    page.goto(f"{running.url}/admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="All surveys").wait_for()
    return page


def address(running: Running, part: str = "") -> str:
    fingerprint = next(iter(running.surveys))
    return f"{running.url}/admin/survey/{fingerprint}{part}"


# ---------------------------------------------------------------- hostile designs


def hostile_people(design: dn.Design, count: int) -> pa.Table:
    columns = {}
    for place, question in enumerate(design.questions):
        answers = (
            [float(each % 11) for each in range(2 * count)] if question.is_number else list(question.answers) * count
        )
        columns[question.name] = answers[place : place + count]
    return pa.table(columns)


def hostile_pages(running: Running, design: dn.Design) -> list[str]:
    """Every page that shows a survey."""
    here, names = f"{running.url}/admin/survey/{design.fingerprint}", [quote(name) for name in design.names]
    pairs = [f"{here}/tables?first={first}&second={second}" for first, second in pairwise(names)][::2]
    models = [f"{here}/models?kind={kind}&target={names[0]}" for kind in ("tree", "bayes")]
    chosen = models if AUDIT else models[len(design.title) % 2 :][:1]  # a tree takes long
    chosen.append(f"{here}/models?outcome={names[0]}&predictor={names[1]}")
    return [here, *pairs, *chosen, f"{here}/promise", f"{here}/manage"]


def repeating_pages(running: Running, design: dn.Design, payload: str) -> list[str]:
    """Pages that repeat what they were asked."""
    here, said = f"{running.url}/admin/survey/{design.fingerprint}", quote(payload)
    found = [f"{here}/tables?first={said}&second={said}&percent={said}", f"{here}/models?kind={said}&target={said}"]
    found += [f"{here}?margin={said}", f"{here}/models?outcome={said}&predictor={said}&first={said}"]
    return found if AUDIT else found[len(payload) % 2 :: 2][:1]


@pytest.mark.studies
def test_no_text_of_a_design_ever_runs(browser: Browser, tmp_path: Path, figure: Callable[[str, object], None]) -> None:
    """The policy that forbids scripts is switched off here: escaping alone must do."""
    assert len(set(PAYLOADS)) >= 50
    alone = {payload: hostile(payload, payload, payload) for payload in PAYLOADS[:: 1 if AUDIT else 15]}
    together = [hostile(*PAYLOADS[place : place + 10]) for place in range(0, len(PAYLOADS), 10)]
    store = f"sqlite:///{tmp_path}/s.sqlite"
    for design in [*alone.values(), *together]:
        fill(store, design, hostile_people(design, 120))
    set_password(store)
    said: list[str] = []
    with serving(store, *alone.values(), *together) as running:
        context = browser.new_context(bypass_csp=True)
        page = log_in(context, running)
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        looked = [running.url, f"{running.url}/admin"]
        for design in alone.values():
            looked += hostile_pages(running, design)[: None if AUDIT else 1]
        for payload in PAYLOADS[:: 1 if AUDIT else 9]:
            looked += repeating_pages(running, together[0], payload)
        for design in together:
            looked += hostile_pages(running, design)
        for each in looked:
            page.goto(each)
            assert page.evaluate(STRANGE) == [], each
        context.close()
    assert said == []
    figure("hostile texts run on dashboard pages", f"0 of {len(PAYLOADS)} texts on {len(looked)} pages")


@pytest.mark.studies
def test_the_policy_is_kept_to(browser: Browser, running: Running) -> None:
    """No page needs what its policy forbids, and nothing is asked of anybody else."""
    context, complaints, asked = browser.new_context(), [], []
    page = log_in(context, running)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    for part in (
        "",
        "/tables",
        "/models?kind=tree&target=leave",
        "/models?kind=bayes&target=leave",
        EXPLAINED,
        "/promise",
        "/manage",
    ):
        page.goto(address(running, part))
    context.close()
    assert complaints == []
    assert all(each.startswith(running.url) for each in asked)


# ---------------------------------------------------------------- a day at the dashboard


@pytest.mark.studies
def test_figures_move_while_replies_arrive(browser: Browser, tmp_path: Path) -> None:
    design, store = dn.Design([dn.warner(0.8, dn.yes_no("smokes"))], title="Smoking"), f"sqlite:///{tmp_path}/s.sqlite"
    set_password(store)
    with serving(store, design) as running:
        context = browser.new_context()
        page = log_in(context, running)
        page.get_by_role("link", name="Smoking").click()
        expect(page.get_by_role("heading", name="No replies yet")).to_be_visible()
        page.evaluate("window.same = true")
        fill(store, design, pa.table({"smokes": ["no"] * 300 + ["yes"] * 100}))
        expect(page.locator(".replies")).to_have_text("400 replies", timeout=15_000)
        expect(page.get_by_role("heading", name="smokes")).to_be_visible()
        before = page.locator(".row .value").first.inner_text()
        page.get_by_label("Every share within").fill("1.5")
        fill(store, design, pa.table({"smokes": ["yes"] * 400}))
        expect(page.locator(".replies")).to_have_text("800 replies", timeout=15_000)
        expect(page.locator(".row .value").first).not_to_have_text(before, timeout=15_000)
        assert page.get_by_label("Every share within").input_value() == "1.5"  # what is being typed stays
        assert page.evaluate("window.same") is True  # the page was never loaded again
        set_password(store, "another password altogether")
        expect(page.get_by_label("Password")).to_be_visible(timeout=15_000)
        context.close()


def test_a_collector_runs_a_survey_with_a_mouse(browser: Browser, tmp_path: Path) -> None:
    """Forms as a browser really sends them, with their origin and token."""
    design, store = health_design(), f"sqlite:///{tmp_path}/s.sqlite"
    fill(store, design, health_people(400))
    set_password(store)
    with serving(store, design) as running:
        context = browser.new_context()
        page = log_in(context, running)
        page.goto(address(running, "/manage"))
        page.get_by_label("Last day").fill("2030-12-31")
        page.get_by_role("button", name="Set").click()
        expect(page.locator(".pill").first).to_have_text("open until 2030-12-31")
        with page.expect_download() as downloaded:
            page.get_by_role("button", name="Make and download").click()
        assert len(downloaded.value.path().read_text().splitlines()) == 100
        with page.expect_download() as downloaded:
            page.get_by_role("link", name="Replies as CSV").click()
        assert len(downloaded.value.path().read_text().splitlines()) == 401
        page.get_by_role("link", name="Models").click()
        page.get_by_label("Learn").select_option("bayes")
        page.get_by_role("button", name="Fit").click()
        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_text("Respondents have the model")).to_be_visible()
        page.get_by_role("button", name="Take the model back").click()
        expect(page.get_by_text("None is published")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Password")).to_be_visible()
        context.close()


def test_without_scripts_and_on_a_phone(browser: Browser, running: Running) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = log_in(context, running)
    for part in ("", "/tables", "/models?kind=tree&target=leave", "/promise", "/manage"):
        page.goto(address(running, part))
        expect(page.get_by_role("heading", name="Health at work")).to_be_visible()
    context.close()
    context = browser.new_context(viewport=PHONE)
    page = log_in(context, running)
    models = [f"/models?kind={kind}&target=leave" for kind in ("tree", "bayes")]
    for part in ("", "/tables?first=drinks&second=region", *models, EXPLAINED, "/promise", "/manage"):
        page.goto(address(running, part))
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], part
        assert page.evaluate(CUT_OFF) == [], part
    context.close()


def test_axes_of_distributions_say_what_a_column_is(browser: Browser, running: Running) -> None:
    context = browser.new_context(viewport=PHONE)
    page = log_in(context, running)
    page.goto(address(running))
    assert page.locator(".axis").all_inner_texts() == ["% of people for each 7 of age", "age"]
    context.close()


@pytest.mark.parametrize("scheme", in_short(["light", "dark"], "light"))
def test_axe_finds_nothing(
    browser: Browser, running: Running, axe: str, scheme: str, figure: Callable[[str, object], None]
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport=DESKTOP)  # type: ignore[arg-type]
    page, found = context.new_page(), []
    parts = ("", "/tables", "/models?kind=tree&target=leave", EXPLAINED, "/promise", "/manage")
    looked = [running.url, f"{running.url}/admin"]
    for each in looked:
        page.goto(each)
        found += violations(page, axe, scheme)
    page.close()
    page = log_in(context, running)
    for each in [f"{running.url}/admin", *(address(running, part) for part in parts)]:
        looked.append(each)
        page.goto(each)
        found += violations(page, axe, scheme)
    context.close()
    figure(f"axe violations on {len(looked)} pages of the dashboard, {scheme}", len(found))
    assert found == []
