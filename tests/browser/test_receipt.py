"""What the receipt says of what was sent: that chance had a part in it, and in numbers as people give them."""

import re

from playwright.sync_api import expect

import deniable as dn
from browser.surveys import ANSWERS, PERSONAL
from browser.visit import answer, disguise, fill, send
from serving import serving


def test_a_mixed_reply_says_where_chance_may_have_changed_it(site, page):
    page.goto(site.address("showcase"))
    answer(page, ANSWERS, site.designs["showcase"], PERSONAL)
    disguise(page)
    send(page)
    expect(
        page.get_by_text("Where it said “Hardly disguised” or “Disguised”, chance may have changed it or left it")
    ).to_be_visible()
    age = page.locator("tr", has_text="How old are you?").locator("td strong").inner_text()
    assert re.fullmatch(r"(about )?-?[0-9]+ \(yours, plus or minus chance\)", age)  # ages are whole


def test_what_no_chance_changed_is_not_said_to_be(site, page):
    page.goto(site.address("interval"))
    fill(page, "question-0", "0 to 3000")
    disguise(page)
    send(page)
    expect(page.get_by_text("Your reply, as it was sent.")).to_be_visible()
    assert page.get_by_text("chance may have changed").count() == 0


def test_thanks_that_say_the_same_are_said_once_and_days_as_people_write_them(tmp_path, page):
    design = dn.Design([dn.warner(0.8, dn.yes_no("late"))], text={"thanks": "Thank you!"}, retention="2999-12-31",
                       translation={"de": {"title": "Umfrage"}})  # fmt: skip
    design.save(tmp_path / "d.toml")
    with serving([tmp_path / "d.toml"], f"sqlite:///{tmp_path}/s.sqlite", tmp_path) as server:
        page.goto(f"{server.url}/survey/{design.fingerprint}#lang=en")
        expect(page.locator("footer time")).to_have_text("31 December 2999")
        fill(page, "question-0", "yes")
        disguise(page)
        send(page)
        assert page.get_by_text("Thank you").count() == 1
        assert re.search(r"received on \d+ [A-Z][a-z]+ \d{4}\.", page.locator(".receipt").inner_text())
        page.get_by_role("button", name="Deutsch").click()
        expect(page.locator("footer time")).to_have_text("31. Dezember 2999")
        expect(page.locator(".receipt")).to_contain_text(re.compile(r"angekommen\."))
