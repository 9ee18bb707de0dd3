"""Disguised once: whatever happens between the lottery and the receipt, one reply and one row come of it."""

import random
import re
from contextlib import suppress

from playwright.sync_api import BrowserContext, Page, Route, expect
from playwright.sync_api import Error as PlaywrightError

from browser.visit import RECEIPT, Ear, Served, fill, send, stored
from serving import AUDIT

SEQUENCES = 100 if AUDIT else 7
FIELDS = ("question-0", "question-1")


class Trouble:
    """What may go wrong on the way."""

    def __init__(self, context: BrowserContext, page: Page, url: str) -> None:
        self.context, self.page, self.url = context, page, url

    def reload(self) -> None:
        self.page.reload()

    def leave_and_come_back(self) -> None:
        self.page.goto("about:blank")
        self.page.go_back()

    def another_tab(self) -> None:
        other = self.context.new_page()
        other.goto(self.url)
        other.locator("#step h2").wait_for()

    def another_tab_sends(self) -> None:
        other = self.context.new_page()
        other.goto(self.url)
        other.locator("#step h2").wait_for()
        if other.get_by_role("button", name="Send", exact=True).count():
            other.get_by_role("button", name="Send", exact=True).dblclick()

    def offline_send(self) -> None:
        self.context.set_offline(True)
        self._press()
        waiting, done = (
            self.page.get_by_text("cannot be reached now"),
            self.page.get_by_role("heading", name=RECEIPT),
        )
        expect(waiting.or_(done)).to_be_visible()  # another tab may have sent it before
        self.context.set_offline(False)

    def failing_server(self) -> None:
        self._once(lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "busy"}))

    def lost_answer(self) -> None:
        def lose(route: Route) -> None:
            route.fetch()
            with suppress(PlaywrightError):  # whoever left the page meanwhile has lost the answer already
                route.abort()

        self._once(lose)

    def _once(self, handler) -> None:
        self.context.route("**/replies", handler, times=1)
        self._press()

    def _press(self) -> None:
        press_twice(self.page)


def press_twice(page: Page) -> None:
    """Press the button twice at once, if it is there: it may go away any moment, when an earlier try has arrived."""
    page.evaluate(
        """() => {
          const button = [...document.querySelectorAll("button")].find((each) => each.textContent === "Send");
          button?.click();
          button?.click();
        }"""
    )


TROUBLES = [name for name in vars(Trouble) if not name.startswith("_")]


def test_one_reply_whatever_happens(site, browser, figure):
    most = 0
    for seed in range(SEQUENCES):
        context = browser.new_context(reduced_motion="reduce")
        most = max(most, distinct_replies(site, context, random.Random(seed)))
        context.close()
    figure(f"distinct replies out of one disguise, at most, in {SEQUENCES} sequences of trouble", most)
    assert most == 1


def distinct_replies(site: Served, context: BrowserContext, rng: random.Random) -> int:
    """Answer, get into three kinds of trouble, send; how many different replies went out."""
    ear, before, page = Ear(context), site.rows("own coin"), context.new_page()
    page.goto(site.address("own coin"))
    for field in FIELDS:
        fill(page, field, rng.choice(["no", "yes"]))
    page.get_by_role("button", name="Disguise my answers").dblclick()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    drawn = page.locator("pre.bytes").text_content()
    trouble = Trouble(context, page, site.address("own coin"))
    for name in rng.sample(TROUBLES, 3):
        if page.get_by_role("heading", name=RECEIPT).count():
            page.reload()
            page.locator("#step h2").wait_for()
        getattr(trouble, name)()
        page.locator("#step h2").wait_for()
    press_twice(page)
    expect(page.get_by_role("heading", name=RECEIPT)).to_be_visible(timeout=15_000)
    assert drawn in ear.sent()
    assert site.rows("own coin") == before + 1
    return len(set(ear.sent()))


def filled(tab: Page, site: Served) -> Page:
    """The survey in a tab, answered and not yet disguised."""
    tab.goto(site.address("own coin"))
    for field in FIELDS:
        fill(tab, field, "yes")
    return tab


def test_two_tabs_agree_on_one_draw(site, context):
    tabs = [filled(context.new_page(), site) for _ in range(2)]
    for tab in tabs:
        tab.evaluate("document.querySelector('button[type=submit]').click()")
    for tab in tabs:
        tab.locator("pre.bytes").wait_for(state="attached")
    assert len({tab.locator("pre.bytes").text_content() for tab in tabs}) == 1
    send(tabs[0])
    for tab in tabs:
        expect(tab.get_by_role("heading", name=RECEIPT)).to_be_visible()


def test_a_tab_that_does_not_see_the_reply_of_another_sends_the_same(site, context):
    """Browsers tell other tabs of stored items a moment later; this one sees only what it stored itself."""
    first = filled(context.new_page(), site)
    second = context.new_page()
    second.add_init_script(
        """const { getItem, setItem } = Storage.prototype;
        const own = new Set();
        Storage.prototype.setItem = function (name, text) {
          own.add(name);
          return setItem.call(this, name, text);
        };
        Storage.prototype.getItem = function (name) {
          return own.has(name) ? getItem.call(this, name) : null;
        };"""
    )
    for tab in (first, filled(second, site)):
        tab.evaluate("document.querySelector('button[type=submit]').click()")
        tab.locator("pre.bytes").wait_for(state="attached")
    assert first.locator("pre.bytes").text_content() == second.locator("pre.bytes").text_content()


def test_answers_do_not_come_back_from_the_cache_of_pages(site, page):
    page.goto(site.address("left out"))
    fill(page, "question-0", 123.456)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert page.locator("#step").inner_html() == ""
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.locator("#question-0")).to_have_value("")
    assert "123.456" not in stored(page)


def test_who_leaves_during_own_throws_leaves_no_answer_behind(site, page):
    page.goto(site.address("own coin"))
    for field in FIELDS:
        fill(page, field, "yes")
    page.get_by_text("Use your own coin or dice instead").click()
    page.get_by_label("I flip my own coin").check()
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Flip your coin")).to_be_visible()
    page.evaluate(
        """async () => {  // throws that come after the page was left decide about nothing
          const sides = () => [...document.querySelectorAll("button.side")];
          const late = sides();
          dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
          for (let times = 0; times < 8; times += 1) {
            [...late, ...sides()].forEach((side) => side.click());
            await new Promise((resolve) => setTimeout(resolve, 450));  // until sides take throws again
          }
        }"""
    )
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert page.locator("input:checked:not([name=thrower])").count() == 0
    assert "reply" not in page.evaluate("JSON.stringify(localStorage)")


def test_what_was_answered_is_gone_as_soon_as_it_is_sent(site, context, page):
    page.goto(site.address("left out"))
    fill(page, "question-0", 123.456)
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert "123.456" not in page.content()  # neither before sending
    context.set_offline(True)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text(re.compile(r"tried again in (1 second|([2-9]|\d\d+) seconds),"))).to_be_visible()
    assert "123.456" not in page.content()
    context.set_offline(False)
    expect(page.get_by_role("heading", name=RECEIPT)).to_be_visible()
