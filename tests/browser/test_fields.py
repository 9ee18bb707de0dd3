"""What lay people stumbled over in the form: complaints that stay, and a key that cannot be taken back."""

import json

import pytest
from playwright.sync_api import expect

from browser.family import node
from browser.visit import disguise, fill

LACKING = "Some questions still need an answer."


def test_a_complaint_goes_as_soon_as_its_question_is_answered(site, page):
    page.goto(site.address("own coin"))
    page.get_by_role("button", name="Disguise my answers").click()
    faults = page.locator(".fault:not(:empty)")
    expect(faults).to_have_count(2)
    expect(page.locator("#live")).to_have_text(LACKING)
    fill(page, "question-0", "yes")
    expect(faults).to_have_count(1)
    expect(page.locator("#live")).to_have_text("")
    fill(page, "question-1", "no")
    expect(faults).to_have_count(0)


def test_a_number_that_is_mended_is_not_marked_any_more(site, page):
    page.goto(site.address("left out"))
    field = page.locator("#question-0")
    field.fill("7")
    page.get_by_role("button", name="Disguise my answers").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("70")
    expect(field).to_have_attribute("aria-invalid", "false")
    expect(page.locator(".fault:not(:empty)")).to_have_count(0)
    expect(page.locator("#live")).to_have_text("")


def test_so_do_those_about_consent_and_about_the_choice_of_a_version(site, page):
    for survey, button, box in (("questionnaire", "Start", "#consent"), ("chosen", "Go on", "#version-0-0")):
        page.goto(site.address(survey))
        page.get_by_role("button", name=button).click()
        expect(page.locator(".fault:not(:empty)")).to_have_count(1)
        page.locator(box).check()
        expect(page.locator(".fault:not(:empty)")).to_have_count(0)
        expect(page.locator("#live")).to_have_text("")


def test_enter_in_a_field_goes_to_the_button_and_draws_nothing(site, page):
    page.goto(site.address("left out"))
    page.locator("#question-0").fill("70")
    page.keyboard.press("Enter")
    button = page.get_by_role("button", name="Disguise my answers")
    expect(button).to_be_focused()
    assert page.evaluate("localStorage.length") == 0
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()


WEIGHT, YEARS, MONEY = {"high": 20.5}, {"high": 80, "integer": True}, {"high": 9000.0}
TYPED = [
    ("1.5", WEIGHT, 1.5), ("1,5", WEIGHT, 1.5), ("١٫٥", WEIGHT, 1.5), (" 7 ", WEIGHT, 7),
    (".5", WEIGHT, 0.5), ("0,125", MONEY, 0.125), ("-3", WEIGHT, -3), ("−3", WEIGHT, -3),
    ("1.234", WEIGHT, 1.234), ("1.234", MONEY, None), ("1,234", MONEY, None), ("1.2345", MONEY, 1.2345),
    ("42", YEARS, 42), ("٤٢", YEARS, 42), ("42,0", YEARS, None), ("1e3", MONEY, None),
    ("0x10", MONEY, None), ("1.2.3", MONEY, None), ("about 7", MONEY, None), ("", MONEY, None),
    ("--1", MONEY, None), ("NaN", MONEY, None), ("Infinity", MONEY, None),
]  # fmt: skip


def test_numbers_are_read_as_people_write_them():
    assert node("typed.mjs", given=[[text, question] for text, question, _ in TYPED]) == [value for *_, value in TYPED]


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_a_comma_is_no_thousand_whatever_the_browser_speaks(locale, browser, site):
    """In a browser's own field for numbers 1,5 was 15 where the browser speaks English."""
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(site.address("weighed"))
    page.locator("#question-0").fill("1,5")
    assert json.loads(disguise(page))["answers"] == {"weight": 1.5}
    context.close()
