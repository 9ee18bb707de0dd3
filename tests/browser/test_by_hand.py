"""Lotteries that respondents draw by themselves: explained, not drawn; what is picked is what is sent."""

import json

import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.family import node
from browser.test_versions import all_stored, drawing
from browser.visit import Ear, disguise, fill, send, shown_bytes, stored

DRAWS = """window.draws = 0; const real = Crypto.prototype.getRandomValues;
Crypto.prototype.getRandomValues = function (block) { window.draws += 1; return real.call(this, block); };"""
AS_PICKED = "What you pick is sent as you pick it."
THINK = "Think of your true answer to the question below."
ANYTHING = "anything that has these chances (dice, cards, coins)"
NOBODY = "Nobody but you knows whether it is true."


def lines(page: Page, place: int) -> list[str]:
    """How one lottery is to be drawn, line by line."""
    box = page.locator(".by-hand").nth(place)
    box.wait_for()
    return [text.replace("\u00a0", " ") for text in box.locator("> p, > ul > li").all_inner_texts()]


def test_a_die_and_cards_are_explained_and_nothing_is_drawn_for_them(site, context, page):
    ear, design, before = Ear(context), site.designs["by hand"], site.rows("by hand")
    drawing(page, 0)
    page.goto(site.address("by hand"))
    assert lines(page, 0) == [
        f"{THINK} Draw with a die. Tell nobody what comes up:",
        "On 1 to 4: report your true answer.",
        "On 5: report “no”, whatever is true.",
        "On 6: report “yes”, whatever is true.",
        f"{AS_PICKED} {NOBODY}",
    ]
    assert lines(page, 1)[1:3] == [
        "If your true answer is “no”, report “red” on 1 to 2, “black” on 3 to 10.",
        "If your true answer is “yes”, report “red” on 1 to 7, “black” on 8 to 10.",
    ]
    assert page.locator("label[for^='question-1-']").all_inner_texts() == ["red", "black"]
    assert page.locator(".mark").all_inner_texts() == ["You draw: Disguised"] * 2 + ["Sent as it is"]
    expect(page.locator("#promise")).to_contain_text("you draw the lottery yourself, and pick what it tells you")
    expect(page.locator("#promise")).to_contain_text("if people follow it, and what can be denied rests on that")
    expect(page.locator("#promise")).not_to_contain_text("A lottery on this device")
    expect(page.get_by_text("Use your own coin or dice instead")).to_have_count(0)
    for place, word in enumerate(["yes", "black", "south"]):
        fill(page, f"question-{place}", word)
    page.get_by_role("button", name="See what will be sent").click()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    expect(page.get_by_text("Your reply, as it will be sent.")).to_be_visible()  # the device has drawn nothing
    shown = shown_bytes(page)
    said = {"arm": "own die", "smokes": "yes", "drugs": "black", "region": "south"}
    assert json.loads(shown)["answers"] == said
    assert list(said) == design.columns
    page.reload()
    expect(page.get_by_text("You have answered everything.")).to_be_visible()
    assert shown_bytes(page) == shown
    send(page)
    assert ear.sent() == [shown]
    assert site.rows("by hand") == before + 1
    assert said in all_stored(site, "by hand")


def test_the_other_arm_is_drawn_by_the_device(site, page):
    drawing(page, 2**32 - 1)
    page.goto(site.address("by hand"))
    expect(page.locator(".by-hand")).to_have_count(1)
    assert page.locator(".mark").all_inner_texts() == ["Disguised", "You draw: Disguised", "Sent as it is"]
    page.get_by_text("Use your own coin or dice instead").click()
    expect(page.locator(".own")).to_contain_text("With a coin or a die, your throws decide for “Do you smoke?”.")
    expect(page.locator(".own")).not_to_contain_text("still draws")
    expect(page.locator("#promise")).to_contain_text("A lottery on this device decides what is sent")
    for place, word in enumerate(["no", "red", "north"]):
        fill(page, f"question-{place}", word)
    said = json.loads(disguise(page))["answers"]
    assert said == {"arm": "device", "smokes": "yes", "drugs": "red", "region": "north"}  # the last side forces a yes


def test_no_random_number_is_taken_where_people_draw(site, page):
    page.add_init_script(DRAWS)
    page.goto(site.address("all by hand"))
    assert [lines(page, place)[0] for place in range(4)] == [
        "Think of your true answers to the questions below. Draw once for all of them, with a coin. Tell nobody what "
        "comes up:",
        f"{THINK} Draw with {ANYTHING}. Tell nobody what comes up:",
        f"{THINK} Draw with one of ten slips of paper with the numbers from 1 to 10. Tell nobody what comes up:",
        f"{THINK} Draw with {ANYTHING}. Tell nobody what comes up:",
    ]
    first = page.locator(".by-hand").first  # one explanation, then the reports of both questions of its draw
    assert first.locator(".wording").all_inner_texts() == ["Are you often late?", "How was your mood this week?"]
    assert lines(page, 2)[2] == "On 8 to 10: report your answer to “Were you born before July?”."
    assert page.locator("[id^=personal-]").count() == 0
    weak = lines(page, 3)[-1]
    assert weak == f"{AS_PICKED} This device is not told whether it is true."
    page.locator("button[type=submit]").click()
    expect(page.locator(".fault:not(:empty)")).to_have_count(5)
    expect(page.locator("#question-0-0")).to_be_focused()
    for place, word in enumerate(["yes", "no", "so so", "yes", "Leave this out (which will be seen)"]):
        fill(page, f"question-{place}", word)
    said = json.loads(disguise(page))["answers"]
    assert said == {"late": "yes", "drugs": "no", "mood": "so so", "smokes": "yes", "weight": None}
    assert page.evaluate("window.draws") == 1  # the reply's own id
    assert page.locator(".ticket").count() == 0
    send(page)
    assert "so so" not in stored(page)


def test_who_leaves_meanwhile_takes_the_reports_along(site, page):
    page.goto(site.address("all by hand"))
    for place, word in enumerate(["yes", "no", "so so", "yes", "30 to 60"]):
        fill(page, f"question-{place}", word)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    expect(page.locator("#step > *")).to_have_count(0)
    assert "so so" not in stored(page)


THINGS = {
    "a coin": dn.forced(0, 0.5, dn.yes_no("a"), drawn_by="respondent"),
    "a card from a full pack": dn.warner(0.75, dn.yes_no("a"), drawn_by="respondent"),
    "a die": dn.forced(1 / 6, 1 / 6, dn.yes_no("a"), drawn_by="respondent"),
    "one of ten": dn.k_ary(0.7, dn.yes_no("a"), drawn_by="respondent"),
    "one of twenty": dn.warner(0.85, dn.yes_no("a"), drawn_by="respondent"),
    "a number from 1 to 100": dn.warner(0.83, dn.yes_no("a"), drawn_by="respondent"),
    "anything that has these chances": dn.warner(1 / 7, dn.yes_no("a"), drawn_by="respondent"),
}


@pytest.mark.parametrize(("thing", "channel"), THINGS.items(), ids=THINGS)
def test_what_is_drawn_with_has_exactly_the_chances_of_the_promise(thing, channel):
    ((head, *_),) = node("by_hand.mjs", given=[dn.Design([channel]).to_json()])
    assert f"Draw with {thing}" in head


def test_a_choice_says_which_protection_is_drawn_by_oneself():
    kinds = {"die": dn.forced(0.1, 0.2, dn.yes_no("a"), drawn_by="respondent"), "none": dn.clear(dn.yes_no("a"))}
    design = dn.Design([dn.versions(kinds, column="kind", chosen=True)])
    (told,) = node("promise.mjs", given=[[design.to_json(), {"kind": "die"}]])
    assert told["promises"] == [
        "You draw yourself: with chance 70 % report your true answer; with chance 10 % report “no”, whatever is true; "
        "with chance 20 % report “yes”, whatever is true."
    ]
    assert told["epsilon"] == dn.privacy(dn.Design([kinds["die"]])).epsilon


LITERATURE = {
    "crosswise": dn.crosswise(0.25, dn.yes_no("a"), harmless="Born in winter?"),
    "triangular": dn.triangular(0.25, dn.Question("a", ["for", "against"]), harmless="Born in winter?"),
    "kuk": dn.kuk(0.8, 0.2, dn.yes_no("a"), draws=2, drawn_by="respondent"),
    "cheating_detection": dn.cheating_detection(1 / 6, 0.5, dn.yes_no("a")),
    "two_samples": dn.two_samples(5 / 6, 1 / 6, dn.yes_no("a"), unrelated="Born in July?"),
    "item_count": dn.item_count(dn.yes_no("a", "I steal"), harmless=["I own a dog", "I play chess"]),
}
FOLLOWED = {
    ("crosswise", None): "Report “yes” if both are the same: “yes” and “yes”, or “no” and “no”.",
    ("triangular", None): "Report “for” if they are “for” and “no”.",
    ("kuk", None): "If your true answer is “yes”, report how many of the cards from pack A were red.",
    ("cheating_detection", "1"): "On 1 to 5: report your true answer.",
    ("cheating_detection", "2"): "On heads: report your true answer.",
    ("two_samples", "1"): "On 6: report your answer to “Born in July?”.",
    ("item_count", "1"): "I own a dog",
    ("item_count", "2"): "I steal",
}


@pytest.mark.parametrize(("name", "version"), FOLLOWED)
def test_the_literature_s_schemes_are_told_in_words_that_can_be_followed(name, version):
    design = dn.Design([LITERATURE[name]]).to_json()
    (lines,) = node("by_hand.mjs", given=[design if version is None else [design, {"version": version}]])
    assert FOLLOWED[name, version] in lines
    assert ("I steal" in lines) is (name == "item_count" and version == "2")


def test_a_list_of_statements_never_shows_what_its_version_does_not_ask():
    design = dn.Design([LITERATURE["item_count"]]).to_json()
    one, two = node("promise.mjs", given=[[design, {"version": "1"}], [design, {"version": "2"}]])
    assert "I steal" not in str(one)
    assert (one["epsilon"], two["epsilon"]) == (0, "infinity")
