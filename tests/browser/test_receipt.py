"""What the receipt says of what was sent: that chance had a part in it, and in numbers as people give them."""

import re

from playwright.sync_api import expect

from browser.surveys import ANSWERS, PERSONAL
from browser.visit import answer, disguise, fill, send


def test_a_mixed_reply_says_where_chance_may_have_changed_it(site, page):
    page.goto(site.address("showcase"))
    answer(page, ANSWERS, site.designs["showcase"], PERSONAL)
    disguise(page)
    send(page)
    expect(
        page.get_by_text("Where it said “Disguised” or “Hardly disguised”, chance may have changed it.")
    ).to_be_visible()
    age = page.locator("tr", has_text="How old are you?").locator("td strong").inner_text()
    assert re.fullmatch(r"(about )?-?[0-9]+", age)  # ages are whole


def test_what_no_chance_changed_is_not_said_to_be(site, page):
    page.goto(site.address("interval"))
    fill(page, "question-0", "0 to 3000")
    disguise(page)
    send(page)
    expect(page.get_by_text("Your reply, as it was sent.")).to_be_visible()
    assert page.get_by_text("chance may have changed").count() == 0
