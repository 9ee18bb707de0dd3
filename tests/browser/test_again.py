"""Asked again is noticed: the same question is drawn once on a site, however it is dressed up (check 21)."""

import json
import re

import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.family import node
from browser.visit import Ear, disguise, fill, send, stored
from browsing import violations
from serving import held_by_0_1, serving

WORDING = "Do you smoke?"
DRESSED = ["Do you smoke?", "Do\u200b you smoke?", "do you smoke", "Do you\u2060 smoke ?", "Ｄｏ you SMOKE?"]
TRUE = 0.8
ANSWERS = [("no", "yes"), ("No", "YES"), ("yes", "no"), ("Yes.", "No.")]  # the same two, told apart by how they read


def smoking(wording, name, theta=TRUE, wave=1):
    question = dn.yes_no(name, wording)
    return dn.Design([dn.warner(theta, question)], title=f"{name} {wave}", wave=wave, check_text=False)


def stealing(answers, name):
    """The same lottery, which says yes more often than no, in whatever order and letters answers stand."""
    no, yes = (0.1, 0.3) if answers[0].lower().startswith("n") else (0.3, 0.1)
    return dn.Design([dn.forced(no, yes, dn.Question(name, answers, "Have you ever stolen?"))], title=name)


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    """One site that asks the same in many surveys."""
    folder = tmp_path_factory.mktemp("again")
    url = f"sqlite:///{folder}/replies.db"
    both = dn.Design([dn.warner(TRUE, dn.yes_no("a", WORDING)), dn.warner(0.7, dn.yes_no("b", "Do you drink?"))])
    designs = {
        **{f"dressed {place}": smoking(wording, f"q{place}") for place, wording in enumerate(DRESSED)},
        **{f"answers {place}": stealing(answers, f"s{place}") for place, answers in enumerate(ANSWERS)},
        "both": both,
        "otherwise": smoking(WORDING, "x", theta=0.7),
        "wave": smoking(WORDING, "q0", wave=2),
    }
    paths = []
    for place, design in enumerate(designs.values()):
        held_by_0_1(design, url)  # which let every text in
        paths.append(folder / f"d{place}.toml")
        design.save(paths[-1])
    with serving(paths, url, folder) as server:
        yield {name: f"{server.url}/survey/{design.fingerprint}" for name, design in designs.items()}


def reply(page, address, answer="yes"):
    """Answer one question and send; what was sent."""
    page.goto(address)
    page.locator("#step h2").get_by_text("The questions").wait_for()
    if page.locator("#question-0-0").count():
        fill(page, "question-0", answer)
    shown = json.loads(disguise(page))["answers"]
    send(page)
    return shown


def test_nine_dresses_draw_once(asking, context, page, figure):
    ear, sent = Ear(context), []
    for place in range(len(DRESSED)):
        (report,) = reply(page, asking[f"dressed {place}"]).values()
        sent.append(report)
    assert len(set(sent)) == 1
    assert len(ear.sent()) == len(DRESSED)
    figure(f"reports that differ, of {len(DRESSED)} surveys that ask the same in another dress", len(set(sent)) - 1)


def test_answers_in_another_order_or_other_letters_are_the_same_answers(asking, context, page):
    sent = [next(iter(reply(page, asking[f"answers {place}"], ANSWERS[place][0]).values())) for place in range(4)]
    assert len({each.lower().strip(".") for each in sent}) == 1
    assert all(each in answers for each, answers in zip(sent, ANSWERS, strict=True))


@pytest.mark.parametrize("scheme", [dn.k_ary, dn.draw], ids=["k_ary", "draw"])
def test_the_order_of_answers_makes_no_other_lottery(scheme):
    """Thresholds are rounded to 2^-32, so chances of three or seven answers depend on their order a little."""
    designs = []
    for size in range(3, 8):
        for epsilon in (0.5, 1, 1.5, 2, 3):
            answers = [f"answer {place}" for place in range(size)]
            for order in (answers, answers[::-1], [*answers[2:], *answers[:2]]):
                question = dn.Question("mood", order, "How are you?")
                designs.append(dn.Design([scheme(dn.epsilon(epsilon), question)]).to_json())
    entries = [found for (found,) in node("entries.mjs", given=designs)]
    for place in range(0, len(entries), 3):
        assert len(set(entries[place : place + 3])) == 1
    assert len(set(entries)) == len(entries) // 3


def test_what_was_sent_goes_again_or_nothing_and_the_page_says_so(asking, context, page):
    (first,) = reply(page, asking["dressed 0"]).values()
    kept = page.evaluate("JSON.stringify(localStorage)")
    assert re.findall(r"deniable/remembered/[0-9a-f]{64}/[0-9a-f]{64}/1", kept)
    ear = Ear(context)
    page.goto(asking["both"])
    expect(page.locator(".again")).to_contain_text("You have answered this on this site before")
    expect(page.locator(".again strong")).to_have_text(first)
    assert page.locator("fieldset.question").count() == 1  # the other one is asked
    assert ear.sent() == []
    fill(page, "question-0", "no")
    shown = json.loads(disguise(page))["answers"]
    assert shown["a"] == first
    send(page)
    assert json.loads(ear.sent()[0])["answers"] == shown


def test_axe_finds_nothing_where_it_is_asked_again(asking, page, axe):
    reply(page, asking["dressed 0"])
    found = violations(page, axe, "light")
    for name in ("both", "dressed 1", "wave", "otherwise"):
        page.goto(asking[name])
        page.locator("#step h2").get_by_text("The questions").wait_for()
        found += violations(page, axe, "light")
    assert found == []


def test_neither_the_truth_nor_the_draw_is_kept(asking, browser):
    """Both truths leave the same on the device where they send the same."""
    left = set()
    for answer, drawn in (("yes", 0), ("no", 2**32 - 1)):  # the truth of one, the opposite of the other
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(
            "const real = Crypto.prototype.getRandomValues;"
            "Crypto.prototype.getRandomValues = function (block) { return block instanceof Uint32Array "
            f"? block.fill({drawn}) : real.call(this, block); }};"
        )
        assert list(reply(page, asking["dressed 0"], answer).values()) == ["yes"]
        left.add(re.sub(r'"day\W+[0-9-]+', "", stored(page)))
        context.close()
    assert len(left) == 1


def test_another_lottery_is_drawn_and_told(asking, page):
    reply(page, asking["dressed 0"])
    page.goto(asking["otherwise"])
    expect(page.locator("#promise")).to_contain_text("before, under another lottery")
    assert page.locator("#question-0-0").count() == 1


def test_an_intended_wave_is_drawn_anew_and_says_so(asking, page):
    reply(page, asking["dressed 0"])
    page.goto(asking["wave"])
    expect(page.locator("#promise")).to_contain_text("This is wave 2 of the survey")
    expect(page.locator("#promise")).to_contain_text("drawn anew")
    assert page.locator("#question-0-0").count() == 1


def test_what_another_tab_has_sent_meanwhile_counts(asking, context, page):
    """Two tabs draw before either sends: the second sends what the first has sent, or nothing."""
    other = context.new_page()
    for tab, name in ((page, "dressed 0"), (other, "dressed 2")):
        tab.goto(asking[name])
        fill(tab, "question-0", "yes")
    first, second = (json.loads(disguise(tab))["answers"] for tab in (page, other))
    ear = Ear(context)
    send(page)
    other.get_by_role("button", name="Send", exact=True).click()
    if list(first.values()) != list(second.values()):
        expect(other.locator(".again")).to_be_visible()
        disguise(other)
        other.get_by_role("button", name="Send", exact=True).click()
    expect(other.get_by_role("heading", name="Thank you")).to_be_visible()
    assert {tuple(json.loads(body)["answers"].values()) for body in ear.sent()} == {tuple(first.values())}
