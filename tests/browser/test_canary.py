"""Canaries: answers so peculiar that they would be found anywhere, and are found nowhere but in the own tab.

The survey can never report the truth: numbers get noise on a grid that the canaries do not lie on, and choices are
reported in other words. The choices' words are part of the design, so on the server they must be as frequent as those
that nobody chose.
"""

import random
import struct

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.surveys import SECRETS
from browser.visit import Ear, Served, fill, stored
from serving import AUDIT

SESSIONS = 240 if AUDIT else 8
UNTOUCHED = SECRETS[-1]  # nobody chooses this one


class Session:
    """One respondent with canaries for answers, and everything that could be overheard."""

    def __init__(self, browser: Browser, site: Served, rng: random.Random) -> None:
        self.context = browser.new_context(reduced_motion="reduce")
        self.page = self.context.new_page()
        self.site, self.ear, self.rng = site, Ear(self.context), rng
        self.overheard: list[str] = []
        self.page.on("console", lambda message: self.overheard.append(message.text))
        wire = self.context.new_cdp_session(self.page)
        wire.send("Network.enable")
        for event in ("Network.requestWillBeSent", "Network.requestWillBeSentExtraInfo", "Network.webSocketCreated"):
            wire.on(event, lambda told: self.overheard.append(str(told)))
        self.free = f"{rng.randrange(1, 9000)}.{rng.randrange(10**7, 10**8) | 1}7"
        self.share = f"0.{rng.randrange(10**9, 10**10) | 1}7"
        self.wrong = f"{rng.randrange(10_000, 99_999)}.{rng.randrange(10**7, 10**8) | 1}3"
        self.secret = rng.choice(SECRETS[:-1])

    @property
    def numbers(self) -> list[str]:
        """The numbers that nobody else could have answered."""
        return [self.free.partition(".")[2], self.share.partition(".")[2], self.wrong.partition(".")[2]]

    def note(self) -> None:
        """Look into everything that the browser keeps."""
        self.overheard.append(stored(self.page))

    def take_part(self) -> None:
        """Answer, with a mistake first, and send; in between reload, or leave and come back."""
        page = self.page
        page.goto(self.site.address("canary"))
        self.answer(page, self.wrong)
        page.get_by_role("button", name="Disguise my answers").click()
        expect(page.locator(".fault:not(:empty)")).to_have_count(1)
        self.note()
        self.wander(page)
        self.answer(page, self.free)
        page.get_by_role("button", name="Disguise my answers").click()
        expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
        self.note()
        self.wander(page)
        self.context.set_offline(self.rng.random() < 0.3)
        page.get_by_role("button", name="Send", exact=True).click()
        self.note()
        self.context.set_offline(False)
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        self.note()
        self.overheard.append(page.content())
        self.context.close()

    def wander(self, page: Page) -> None:
        """Perhaps reload, perhaps leave and come back."""
        step = self.rng.choice(["stay", "reload", "leave"])
        if step == "reload":
            page.reload()
        if step == "leave":
            page.goto(f"{self.site.server.url}/health")
            page.go_back()
        if step != "stay":
            page.locator("#step h2").wait_for()
            self.note()
            typed = page.eval_on_selector_all(
                "input:not([name=thrower]), select",
                "all => all.map((each) => each.type === 'radio' ? each.checked : each.value)",
            )
            assert not any(typed), "an answer came back"

    def answer(self, page: Page, free: str) -> None:
        """Give the canaries as answers."""
        fill(page, "question-0", Typed(free))
        fill(page, "question-1", self.secret)
        fill(page, "question-2", Typed(self.share))


class Typed:
    """A number typed as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


@pytest.fixture(scope="module")
def sessions(browser, site) -> list[Session]:
    made = []
    for seed in range(SESSIONS):
        made.append(Session(browser, site, random.Random(seed)))
        made[-1].take_part()
    return made


def canaries(session: Session) -> int:
    """How many canaries flew out of the tab."""
    heard = session.ear.heard() + "\n".join(session.overheard)
    assert f"POST {session.site.address('canary')}/replies" in heard
    return sum(heard.count(number) for number in session.numbers) + heard.count(session.secret)


def test_no_canary_is_in_any_request_storage_or_message(sessions, figure):
    found = sum(map(canaries, sessions))
    figure(f"canaries in requests, storage and messages of {len(sessions)} browser sessions", found)
    assert found == 0


LEAKS = {
    "storage": "addEventListener('input', (event) => localStorage.setItem('draft', event.target.value))",
    "request": "addEventListener('change', (event) => fetch('/health?' + event.target.value))",
    "message": "addEventListener('input', (event) => console.log(event.target.value))",
    "history": "addEventListener('input', (event) => history.replaceState(event.target.value, ''))",
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(browser, site, leak):
    leaking = Session(browser, site, random.Random(leak))
    leaking.context.add_init_script(LEAKS[leak])
    leaking.take_part()
    assert canaries(leaking) > 0


def test_no_canary_is_on_the_server(sessions, site, figure):
    everything = site.everything()
    found = 0
    for each in sessions:
        found += sum(everything.count(number.encode()) for number in each.numbers)
        for number in (float(each.free), float(each.share)):
            found += everything.count(struct.pack("<d", number)) + everything.count(struct.pack(">d", number))
        found += everything.count(each.secret.encode() + b'"') - everything.count(UNTOUCHED.encode() + b'"')
    figure(f"canaries in the database and log after {len(sessions)} browser sessions", found)
    assert found == 0
    assert site.rows("canary") >= len(sessions)
