"""A collector's word never reaches beyond itself, not even one that turns the writing round."""

from hashlib import sha256

import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.visit import answer, send
from payloads import hostile
from serving import held_by_0_1, serving

TURN = "Qz\u202eבא"  # a right-to-left override, as version 0.1 let it in
LOOSE = """() => {
  const loose = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.includes("Qz") && !parentElement.closest("bdi, option, script")) loose.push(data);
  }
  return loose;
}"""


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A survey that version 0.1 took in: its words turn the writing round in every place there is."""
    folder = tmp_path_factory.mktemp("old")
    url = f"sqlite:///{folder / 'store.sqlite'}"
    towns = dn.Question(f"{TURN} town", [f"{TURN} {place}" for place in range(12)], f"{TURN} where?")
    forced = dn.Question(f"{TURN} forced", (f"{TURN} n", f"{TURN} y"), f"{TURN} forced?")
    pair = [dn.yes_no(f"{TURN} {each}", f"{TURN} {each}?") for each in ("one", "two")]
    weight = dn.number(f"{TURN} kilos", 0, 10, f"{TURN} weight?")
    channels = [
        *hostile(*[TURN] * 3, check_text=False).channels[:-1],
        dn.warner(0.8, *pair),
        dn.forced(0.2, 0.2, forced),
    ]
    channels += [dn.k_ary(0.8, towns), dn.gaussian(weight, sd=1)]
    design = dn.Design(channels, title=f"{TURN} title", check_text=False)
    held_by_0_1(design, url)
    design.save(folder / "old.toml")
    with serving([folder / "old.toml"], url, folder) as server:
        yield design, server


def loose(page: Page) -> list[str]:
    """Collector's words that stand in no <bdi> of their own."""
    return page.evaluate(LOOSE)


def test_a_survey_of_version_0_1_is_served_as_it_was(old):
    design, server = old
    status, body = server.get(f"/survey/{design.fingerprint}/design.json")
    assert (status, sha256(body).hexdigest()) == (200, design.fingerprint)


def test_collectors_words_stand_by_themselves_at_every_step(old, page):
    design, server = old
    page.goto(f"{server.url}/survey/{design.fingerprint}")
    page.locator("#question-0-0").wait_for()
    assert page.locator("bdi").count() > 3 * len(design.questions)
    assert loose(page) == []
    answers = {question.name: 5 if question.is_number else question.answers[0] for question in design.questions}
    personal = {
        name: design.question(name).answers[0]
        for channel in design.channels
        for name in channel.recipe.settings.get("personal", {})
    }
    answer(page, answers, design, personal)
    page.get_by_text("Use your own coin or dice instead").click()
    assert loose(page) == []
    page.get_by_label("I flip my own coin").check()
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Flip your coin")).to_be_visible()
    assert loose(page) == []
    heads, ready = page.get_by_role("button", name="Heads"), page.get_by_role("heading", name="Ready to send")
    while not ready.is_visible():
        heads.evaluate_all("(sides) => sides.forEach((side) => side.click())")  # the lower half: mostly the truth
        heads.or_(ready).wait_for()
        assert loose(page) == []
    page.get_by_text("Figures for experts").click()
    assert loose(page) == []
    page.reload()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert loose(page) == []
    send(page)
    assert loose(page) == []
