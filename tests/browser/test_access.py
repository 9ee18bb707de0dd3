"""Everybody can take part: by keyboard alone, with a screen reader, in light and dark, on a phone."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser.surveys import ANSWERS, PERSONAL
from browser.visit import Served, answer, disguise, send
from browsing import violations
from payloads import PAYLOADS
from serving import AUDIT
from sizes import in_short

PICTURES = Path("docs/pictures") if AUDIT or os.environ.get("DENIABLE_PICTURES") == "1" else None
PICTURED = {  # pictures by colours and step, and what stands at their top: light on a desk, dark on a phone
    "light": {"questions": {"questions": "#step h2"}, "lottery": {"preview": "#step h2"}},
    "dark": {
        "questions": {"promise-phone": "h1"},
        "lottery": {"lottery-phone": ".draws"},
        "die": {"die-phone": "h1"},
        "receipt": {"receipt-phone": "h1"},
    },
}
DESKTOP, PHONE = {"width": 900, "height": 980}, {"width": 390, "height": 844}


class Steps:
    """Walks through all steps of the page and looks at each."""

    def __init__(self, site: Served, context: BrowserContext, look: Callable[[Page, str], None]) -> None:
        self.site, self.context, self.look = site, context, look

    def survey(self) -> None:
        """From the promise to the receipt."""
        page, design = self.context.new_page(), self.site.designs["showcase"]
        page.goto(self.site.address("showcase"))
        page.get_by_role("button", name="Disguise my answers").wait_for()
        self.look(page, "questions")
        page.get_by_role("button", name="Disguise my answers").click()
        self.look(page, "faults")
        answer(page, ANSWERS, design, PERSONAL)
        disguise(page)
        page.get_by_text("What chance did").click()
        page.get_by_text("Figures for experts").click()
        self.look(page, "lottery")
        page.reload()
        page.get_by_role("heading", name="Ready to send").wait_for()
        self.look(page, "stored")
        self.context.set_offline(True)
        page.get_by_role("button", name="Send", exact=True).click()
        page.get_by_text("cannot be reached now").wait_for()
        self.look(page, "sending")
        self.context.route("**/replies", lambda route: route.fulfill(status=410, json={}), times=1)
        self.context.set_offline(False)
        page.get_by_text("The survey is not open.").wait_for()
        self.look(page, "refused")
        page.get_by_role("button", name="Try again").click()
        send(page)
        self.look(page, "receipt")
        page.close()

    def others(self) -> None:
        """Own coin, model, second round, closed, refused, versions to choose, lotteries drawn by hand."""
        page = self.context.new_page()
        page.goto(self.site.address("own coin"))
        answer(page, {"late": "yes", "pills": "no"}, self.site.designs["own coin"])
        page.get_by_text("Use your own coin or dice instead").click()
        page.get_by_label("I roll my own die").check()
        page.get_by_role("button", name="Disguise my answers").click()
        page.get_by_role("button", name="4").click()
        self.look(page, "die")
        page.goto(self.site.address("closed"))
        page.get_by_text("It opens on").wait_for()
        self.look(page, "closed")
        page.goto(self.site.address("hostile"))
        page.locator(f"#question-{len(PAYLOADS)}").wait_for()
        page.get_by_text("What would the model say about you?").click()
        self.look(page, "model")
        page.get_by_text("Second round: was the model right about you?").click()
        self.look(page, "second round")
        first = "input[type=radio][id^='follow-'][id$='-0']"
        page.eval_on_selector_all(first, "(all) => all.forEach((each) => each.click())")
        page.get_by_role("button", name="Draw the digit").click()
        page.get_by_role("heading", name="The second round").wait_for()
        self.look(page, "digit")
        page.route("**/design.json", lambda route: route.fulfill(body="{}"), times=1)
        page.goto(self.site.address("opposite"))
        page.locator(".refused").wait_for()
        self.look(page, "failure")
        page.goto(self.site.address("chosen"))
        page.get_by_role("heading", name="How shall your answers be protected?").wait_for()
        page.get_by_text("Figures for experts").first.click()
        self.look(page, "choice")
        page.get_by_text("Strong", exact=True).check()
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Choose another protection").wait_for()
        self.look(page, "chosen")
        page.goto(self.site.address("all by hand"))
        page.get_by_role("button", name="See what will be sent").wait_for()
        self.look(page, "by hand")
        page.close()


def take_pictures(page: Page, step: str, scheme: str) -> None:
    """Pictures for the docs."""
    if PICTURES is None or step not in PICTURED[scheme]:
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size(DESKTOP if scheme == "light" else PHONE)
    for name, top in PICTURED[scheme][step].items():
        page.locator(top).first.evaluate("(each) => scrollTo(0, each.getBoundingClientRect().top + scrollY - 24)")
        page.screenshot(path=PICTURES / f"{name}.png")
    page.set_viewport_size(DESKTOP)


@pytest.mark.parametrize("scheme", in_short(["light", "dark"], "light"))
def test_axe_finds_nothing_at_any_step(site, browser: Browser, axe, scheme, figure):
    found, steps = [], []

    def look(page: Page, step: str) -> None:
        found.extend(f"{step}: {each}" for each in violations(page, axe, scheme))
        steps.append(step)
        take_pictures(page, step, scheme)

    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", viewport=DESKTOP)
    walk = Steps(site, context, look)
    walk.survey()
    walk.others()
    context.close()
    assert found == []
    figure(f"axe violations on {len(steps)} steps, {scheme}", len(found))


def press_until(page: Page, wanted: str, key: str = "Tab", most: int = 60) -> None:
    """Press a key until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"the keyboard does not reach {wanted}")


def test_the_survey_can_be_completed_by_keyboard_alone(site, page):
    before = site.rows("showcase")
    page.goto(site.address("showcase"))
    page.get_by_role("button", name="Disguise my answers").wait_for()
    for place, question in enumerate(site.designs["showcase"].questions):
        if question.is_number:
            press_until(page, f"#question-{place}")
            page.keyboard.type("43")
        else:
            press_until(page, f"#question-{place}-0")
            page.keyboard.press("Space")
            page.keyboard.press("ArrowDown")
            assert page.locator(f"#question-{place}-1").is_checked()
        if question.name in PERSONAL:
            press_until(page, f"#personal-{place}-0")
            page.keyboard.press("Space")
    press_until(page, "button[type=submit]")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ready to send")).to_be_focused()
    press_until(page, "button.main")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_focused()
    assert site.rows("showcase") == before + 1


def test_nothing_is_too_small_for_a_finger_or_too_wide_for_a_phone(site, browser: Browser):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(site.address("showcase"))

    def check() -> None:
        page.wait_for_selector("#step h2")
        small = page.eval_on_selector_all(
            "button, .choice, input[type=text], select, summary",
            "all => all.filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 44)"
            ".map((each) => each.outerHTML)",
        )
        assert small == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    check()
    answer(page, ANSWERS, site.designs["showcase"], PERSONAL)
    disguise(page)
    check()
    send(page)
    check()
    context.close()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_needle_rests_at_the_number_drawn(site, browser: Browser, motion):
    context = browser.new_context(reduced_motion=motion)
    page = context.new_page()
    page.goto(site.address("own coin"))
    answer(page, {"late": "yes", "pills": "no"}, site.designs["own coin"])
    disguise(page)
    page.get_by_text("What chance did").click()
    page.locator(".needle").first.wait_for()
    moving = page.evaluate("document.getAnimations().length")
    assert (moving > 0) == (motion == "no-preference")
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    drawn = int(
        str(page.locator(".ticket .number").first.text_content()).split(":")[1].split(" of ")[0].replace(",", "")
    )
    bar, needle = (page.locator(name).first.bounding_box() for name in (".bar", ".needle"))
    assert bar is not None
    assert needle is not None
    assert (needle["x"] + needle["width"] / 2 - bar["x"]) / bar["width"] == pytest.approx(drawn / 2**32, abs=0.005)
    context.close()
