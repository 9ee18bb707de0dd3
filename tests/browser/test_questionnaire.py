"""Whole questionnaires on the page: texts, sections, languages, skipped questions; a reply shows none of it."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.test_access import PHONE, press_until
from browser.visit import Ear, disguise, fill, send, stored
from browsing import violations
from sizes import in_short

OWN = {
    "en": ("Start", "Next", "Disguise my answers", "Ready to send", "Send", "Thank you"),
    "de": ("Beginnen", "Weiter", "Meine Antworten verschleiern", "Bereit zum Absenden", "Absenden", "Vielen Dank"),
    "fr": ("Commencer", "Suivant", "Brouiller mes réponses", "Prêt à envoyer", "Envoyer", "Merci"),
    "es": ("Empezar", "Siguiente", "Disimular mis respuestas", "Listo para enviar", "Enviar", "Gracias"),
    "ar": ("ابدأ", "التالي", "موِّه إجاباتي", "جاهز للإرسال", "إرسال", "شكرًا لك"),
}


def field(site, name: str) -> str:
    return f"question-{site.designs['questionnaire'].names.index(name)}"


def open_page(page: Page, site, language: str = "en") -> None:
    page.goto(f"{site.address('questionnaire')}#lang={language}")
    page.locator("#consent").check()
    page.get_by_role("button", name=OWN[language][0], exact=True).click()


def choose(page: Page, site, name: str, cell: int) -> None:
    page.locator(f"#{field(site, name)}-{cell}").check()


def answer_all(page: Page, site, language: str, smokes: int = 1, look=lambda step: None) -> None:
    """From the first section to the button that disguises."""
    go_on = page.get_by_role("button", name=OWN[language][1], exact=True)
    choose(page, site, "smokes", smokes)
    if smokes:
        choose(page, site, "often", 1)
        choose(page, site, "quit", 0)
    look("habits")
    go_on.click()
    page.locator(f"#{field(site, 'cannabis')}").check()
    look("drugs")
    go_on.click()
    choose(page, site, "sad", 2)
    choose(page, site, "tired", 0)
    page.locator(f"#{field(site, 'age')}").fill("43")
    look("mood")


def test_consent_comes_before_anything_is_asked(site, page):
    page.goto(site.address("questionnaire"))
    expect(page.get_by_text("We want to know how people are.")).to_be_visible()
    expect(page.get_by_text("Who asks: Ann Lee")).to_be_visible()
    assert page.locator("[id^=question-]").count() == 0
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#consent-fault")).to_contain_text("Please tick the box")
    expect(page.locator("#consent")).to_be_focused()
    page.locator("#consent").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Part 1 of 3: Habits")).to_be_visible()
    assert "consent" not in stored(page)


def test_one_section_after_the_other(site, page):
    open_page(page, site)
    expect(page.locator("#promise .opening")).to_be_hidden()  # it was read before agreeing, and folds out
    expect(page.get_by_role("button", name="Back")).to_be_hidden()
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".fault:visible:not(:empty)")).to_have_count(1)  # of this section only
    choose(page, site, "smokes", 0)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Part 2 of 3: Drugs")).to_be_visible()
    expect(page.locator("#step h2")).to_be_focused()
    assert page.locator("progress").evaluate("bar => [bar.value, bar.max]") == [2, 3]
    expect(page.locator("#promise .opening")).to_be_hidden()
    page.get_by_role("button", name="Back").click()
    assert page.locator(f"#{field(site, 'smokes')}-0").is_checked()


def test_questions_appear_by_answers_and_leave_no_trace(site, browser: Browser, figure):
    lengths, shapes = set(), set()
    for smokes in (0, 1):
        context = browser.new_context(reduced_motion="reduce")
        ear, page = Ear(context), context.new_page()
        open_page(page, site)
        often = page.locator(f"#{field(site, 'often')}-0")
        expect(often).to_be_hidden()
        choose(page, site, "smokes", 1)
        expect(often).to_be_visible()
        expect(page.get_by_label("does not apply")).to_have_count(0)  # nobody picks it
        choose(page, site, "smokes", smokes)
        expect(often).to_be_visible() if smokes else expect(often).to_be_hidden()
        answer_all(page, site, "en", smokes)
        before = len(ear.requests)
        shown = disguise(page)
        assert len(ear.requests) == before
        send(page)
        assert ear.sent() == [shown]
        lengths.add(len(shown.encode()))
        shapes.add(tuple(json.loads(shown)["answers"]))
        context.close()
    assert shapes == {tuple(site.designs["questionnaire"].names)}
    assert len(lengths) == 1
    figure("lengths of replies over all paths of a questionnaire", len(lengths))


@pytest.mark.parametrize("language", in_short(["de", "ar"], "ar"))
def test_a_whole_survey_by_keyboard_on_a_phone_in_another_language(site, browser: Browser, axe, language):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce")
    ear, page, found = Ear(context), context.new_page(), []
    begin, go_on, hide, ready, send_it, thanks = OWN[language]

    def look(step: str) -> None:
        found.extend(f"{step}: {each}" for each in violations(page, axe, "light"))
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], step

    def press(name: str) -> None:
        press_until(page, "button.main")
        assert page.evaluate("document.activeElement.textContent") == name
        page.keyboard.press("Enter")

    before = site.rows("questionnaire")
    page.goto(f"{site.address('questionnaire')}#lang={language}")
    page.locator("#consent").wait_for()
    look("consent")
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
    press_until(page, "#consent")
    page.keyboard.press("Space")
    press(begin)
    for name, down in (("smokes", 1), ("often", 1), ("quit", 0)):
        press_until(page, f"#{field(site, name)}-0")
        page.keyboard.press("Space")
        for _ in range(down):
            page.keyboard.press("ArrowDown")
    look("habits")
    press(go_on)
    press_until(page, f"#{field(site, 'cannabis')}")
    page.keyboard.press("Space")
    look("drugs")
    press(go_on)
    choose(page, site, "sad", 1)
    choose(page, site, "tired", 1)
    page.locator(f"#{field(site, 'age')}").fill("43")
    look("mood")
    press(hide)
    expect(page.get_by_role("heading", name=ready, level=2)).to_be_focused()
    look("ready")
    press(send_it)
    expect(page.get_by_role("heading", name=thanks, level=2)).to_be_focused()
    look("receipt")
    assert found == []
    assert site.rows("questionnaire") == before + 1
    own = site.designs["questionnaire"]
    for name, said in json.loads(ear.sent()[0])["answers"].items():
        assert own.question(name).is_number or said in own.question(name).answers  # the design's own words
    assert "lang" not in ear.heard().replace("accept-language", "")
    context.close()


ENGLISH = re.compile(r"\b(the|your|sent|answer|with|under)\b", re.IGNORECASE)


@pytest.mark.parametrize("language", ["de", "fr", "es", "ar"])
def test_figures_for_experts_are_in_the_language_that_is_read(site, page, axe, language):
    open_page(page, site, language)
    page.locator("#promise > details > summary").click()
    page.locator(".experts summary").first.click()
    figures = page.locator(".experts").first
    told = figures.inner_text()
    assert len(told) > 500
    assert ENGLISH.findall(told) == []
    assert figures.locator("> div").get_attribute("lang") == language
    assert figures.locator("> div").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    assert violations(page, axe, "light") == []


def test_on_a_german_page_decimals_have_commas(site, page):
    """By hand: noise that covers half of 62 years in 95 % of all cases reaches 15.5 of them to either side."""
    open_page(page, site, "de")
    page.locator("#promise > details > summary").click()
    page.locator(".experts summary").first.click()
    told = page.locator(".experts").first.inner_text()
    assert "höchstens 15,5 von Ihrer entfernt" in told
    assert re.findall(r"\d\.(?!\d{3})\d", told) == []  # a point is between thousands alone


def test_an_arabic_page_is_arabic_down_to_its_figures(site, page):
    page.goto(site.address("from the right"))
    page.locator(".offer").first.wait_for()
    expect(page.locator("legend")).to_have_text("إجاباتك عن «كم عمرك؟»، «الأول؟»، «الثاني؟»")
    figures = page.locator(".offer .experts > div")
    assert figures.evaluate_all("all => all.map(({ lang, dir }) => [lang, dir])") == [["ar", "rtl"]] * 2
    page.locator("#version-0-0").check()
    page.locator("#step button.main").click()
    fill(page, "question-0", 43.5)
    fill(page, "question-1", "yes")
    fill(page, "question-2", "no")
    page.locator("#step button.main").click()
    page.get_by_role("heading", name=OWN["ar"][3]).wait_for()
    page.get_by_text("ما فعلته الصدفة").click()
    added = page.locator(".draw .line strong")  # a sign before its number, as numbers run from the left
    assert re.match(r"[+−±]\d", added.inner_text())
    assert added.evaluate("each => [getComputedStyle(each).direction, getComputedStyle(each).unicodeBidi]") == [
        "ltr",
        "isolate",
    ]
    first, last = (page.locator(".bar .part").nth(place) for place in (0, 1))
    corner = "each => getComputedStyle(each).borderTopRightRadius"
    assert (first.evaluate(corner), last.evaluate(corner)) == ("8px", "0px")


def test_on_a_phone_the_answers_of_a_matrix_stand_below_each_other(site, browser: Browser):
    """Beside each other, long Spanish words would be broken."""
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    open_page(page, site, "es")
    answer_all(page, site, "es")
    choices = page.locator(".matrix .row").first.locator(".choice")
    lefts = choices.evaluate_all("all => all.map((each) => each.getBoundingClientRect().left)")
    assert len(lefts) == 3
    assert len(set(lefts)) == 1
    context.close()


@pytest.mark.parametrize("language", ["fr", "es"])
def test_the_page_has_words_of_its_own(site, page, axe, language):
    _, _, hide, ready, _, _ = OWN[language]
    open_page(page, site, language)
    answer_all(page, site, language)
    assert violations(page, axe, "light") == []
    page.get_by_role("button", name=hide, exact=True).click()
    expect(page.get_by_role("heading", name=ready)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", language)


def test_another_language_keeps_what_was_entered(site, page):
    open_page(page, site)
    choose(page, site, "smokes", 1)
    choose(page, site, "often", 0)
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("#step legend").get_by_text("Rauchen Sie?").first).to_be_visible()
    assert page.locator(f"#{field(site, 'often')}-0").is_checked()
    expect(page.get_by_role("heading", level=1)).to_have_text("Gesundheit bei der Arbeit")
    assert page.locator(f"label[for={field(site, 'smokes')}-1]").inner_text() == "ja"
    page.get_by_role("button", name="العربية").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")


def test_the_order_is_drawn_on_the_device(site, browser: Browser):
    """By hand: two orders of the matrix and the number in the last section; 20 visits miss one with chance 2^-19."""
    seen = set()
    for _ in range(20):
        context = browser.new_context()
        page = context.new_page()
        open_page(page, site)
        last = page.locator("#step .section").last.locator("> .question")
        seen.add(tuple(last.evaluate_all("all => all.map((each) => each.className)")))
        habits = page.locator(".section").first.locator("input").evaluate_all("all => all.map((each) => each.name)")
        names = [field(site, name) for name in ("smokes", "often", "quit")]
        assert list(dict.fromkeys(habits)) == names  # what decides stands before what it decides
        context.close()
        if len(seen) == 2:
            break
    assert len(seen) == 2


def test_ones_own_coin_draws_answers_too(site, page):
    page.goto(site.address("throws"))
    fill(page, "question-0", "low")
    fill(page, "question-1", "no")
    page.get_by_text("Use your own coin or dice instead").click()
    expect(page.locator(".own")).not_to_contain_text("still draws")
    page.get_by_label("I flip my own coin").check()
    page.get_by_role("button", name="Disguise my answers").click()
    page.get_by_role("button", name="Tails").click()  # another answer than the true one
    page.get_by_role("button", name="Heads").click()  # the first of the two others
    expect(page.get_by_text("This decides for: Do you take pills?")).to_be_visible()
    page.get_by_role("button", name="Tails").click()  # an answer by chance
    page.get_by_role("button", name="Tails").click()  # the second one
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert json.loads(str(page.locator("pre.bytes").text_content()))["answers"] == {"mood": "so so", "pills": "yes"}


def test_what_was_not_asked_is_not_said_to_be_answered(site, page):
    page.goto(site.address("skipped"))
    fill(page, "question-0", "no")
    page.get_by_role("button", name="Disguise my answers").click()
    row = page.get_by_role("row", name=re.compile("More than ten a day"))
    expect(row).to_contain_text("not asked")
    sent = "this device sends an answer to it by itself. So a sent answer does not show that you were asked."
    expect(page.get_by_text(sent)).to_be_visible()
    expect(page.get_by_text("Where chance changed nothing, nobody else is told so.")).to_be_visible()
    page.get_by_role("button", name="Deutsch").click()  # which shows it anew, with what chance did
    expect(page.get_by_role("row", name=re.compile("More than ten a day"))).to_contain_text("nicht gefragt")
    expect(page.locator(".draws")).to_have_count(1)


def test_another_language_starts_no_second_sending(site, page, context):
    page.goto(site.address("skipped"))
    fill(page, "question-0", "no")
    page.get_by_role("button", name="Disguise my answers").click()
    tries = []
    page.route("**/replies", lambda route: (tries.append(1), route.abort()))
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("The survey cannot be reached now.")).to_be_visible()
    for name in ("Deutsch", "English") * 4:
        page.get_by_role("button", name=name).click()
    page.wait_for_timeout(1500)
    assert len(tries) <= 3  # at once, and after 1 and 2 seconds
    page.unroute("**/replies")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible(timeout=15_000)


def test_options_of_one_choice_stand_together_and_the_promise_folds(site, page):
    page.goto(site.address("apart"))
    expect(page.get_by_text("You need not take part.")).to_be_visible()
    page.locator("#consent").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="The questions")).to_be_in_viewport()
    head = page.locator("#step h2").bounding_box()
    assert head["y"] < 60  # what is new is in sight
    promise = page.locator("#promise details.promise-box")
    expect(promise.locator(".opening")).to_be_hidden()
    promise.locator("> summary").click()
    expect(promise.locator(".opening")).to_contain_text("Please answer truthfully.")
    several = page.locator(".several")
    expect(several).to_have_count(1)
    assert several.locator(".choice").all_inner_texts() == ["One", "Two", "Other"]
    fill(page, "question-1", "no")
    page.get_by_role("button", name="Next").click()
    expect(promise).to_have_count(1)
    fill(page, "question-4", "no")
    disguise(page)
    shown = page.locator("#step")
    expect(shown).to_contain_text("this device sends an answer to it by itself.")
    expect(shown).not_to_contain_text("does not show that you were asked")  # the deciding answer is sent as it is


def test_nobody_is_told_of_chance_where_nothing_is_left_to_it(site, page):
    page.goto(site.address("weighed"))
    page.locator("#question-0").fill("1.5")
    disguise(page)
    expect(page.get_by_text("Will be sent").first).to_be_visible()
    expect(page.locator("#step")).not_to_contain_text("Where chance changed nothing")


def test_what_a_translation_lacks_is_read_out_in_the_design_s_own_language(site, page):
    page.goto(site.address("skipped") + "#lang=de")
    page.get_by_text("Rauchen Sie?").first.wait_for()
    lang = "each => each.getAttribute('lang')"
    assert page.locator("legend bdi", has_text="More than ten a day?").evaluate(lang) == "en"
    assert page.locator("legend bdi", has_text="Rauchen Sie?").evaluate(lang) is None
    page.get_by_role("button", name="English").click()
    assert [each.evaluate(lang) for each in page.locator("legend bdi").all()] == [None, None]
