"""The page speaks plainly: short sentences, no jargon in sight, round numbers that add up, in five languages."""

import math
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.family import STATIC, designs, node
from browser.surveys import surveys
from browser.visit import disguise, fill

JARGON = (
    "epsilon", "lottery", "retention", "instruction", "theta", "channel", "probabilit", "randomi", "ratio", "likel",
    "bytes", "confidence", "parameter", "differential", "scheme", "threshold", "encrypt", "null",
)  # fmt: skip
IN_SIGHT = """() => {
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement: parent } = texts.currentNode;
    if (!data.trim() || parent.closest("bdi, .experts, .unseen, noscript") || !parent.checkVisibility()) continue;
    const line = parent.closest("li, p, figcaption, small, h2, h3, legend, label, button, summary, th, td");
    found.push([(line ?? parent).outerHTML, data]);
  }
  const lines = new Map();
  for (const [line, data] of found) lines.set(line, (lines.get(line) ?? "") + " X " + data);
  return [...lines.values()];
}"""
MAX_WORDS, MEAN_WORDS = 22, 13  # of a sentence; newspapers have some 20 on average
EASY = 65  # Flesch's reading ease: plain English, as in popular newspapers


def sentences(lines: list[str]) -> list[str]:
    """Sentences, where a collector's word counts as one."""
    found = [each for line in lines for each in re.split(r"(?<=[.!?:])\s", re.sub(r"[“”()]|X\s*$|^\s*X", " ", line))]
    return [each.strip() for each in found if len(each.split()) > 3]


def syllables(word: str) -> int:
    """Vowels that stand together are one; a silent e is none."""
    return max(1, len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", word.lower()))))


def ease(texts: list[str]) -> float:
    """Flesch 1948: 206.835 - 1.015 words per sentence - 84.6 syllables per word."""
    words = [word for text in texts for word in re.findall(r"[A-Za-z]+", text)]
    return 206.835 - 1.015 * len(words) / len(texts) - 84.6 * sum(map(syllables, words)) / len(words)


def in_sight(page: Page) -> list[str]:
    page.locator("#step h2").wait_for()
    return page.evaluate(IN_SIGHT)


@pytest.mark.parametrize(
    "name", ["showcase", "sure", "badges", "ask", "arms", "by hand", "all by hand", "computed", "left out"]
)
def test_what_is_in_sight_is_short_and_without_jargon(name, site, page, figure):
    page.goto(site.address(name))
    lines = in_sight(page)
    for details in page.locator("details:not(.experts) > summary").all():
        details.click()
    found = sentences(lines + in_sight(page))
    assert [each for each in found if any(word in each.lower() for word in JARGON)] == []
    lengths = [len(each.split()) for each in found]
    assert [each for each in found if len(each.split()) > MAX_WORDS] == []
    assert sum(lengths) / len(lengths) < MEAN_WORDS
    assert ease(found) > EASY
    figure(f"reading ease of {name!r}, {max(lengths)} words at most", round(ease(found)))


def test_nothing_of_what_was_drawn_is_in_sight_before_it_is_sent(site, page):
    """By hand: the draw says the opposite; the page says it only once it has arrived."""
    page.add_init_script("Crypto.prototype.getRandomValues = (block) => block.fill(2 ** 32 - 1);")
    page.goto(site.address("weak"))
    fill(page, "question-0", "yes")
    assert '"late":"no"' in disguise(page)
    assert page.locator("td strong").count() == 0
    expect(page.get_by_text("If you close this page, your reply waits on this device")).to_be_visible()
    assert page.locator("pre.bytes").is_hidden()
    assert [each for each in sentences(in_sight(page)) if any(word in each.lower() for word in JARGON)] == []
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_text("This is what was sent. Chance may have changed it or left it").wait_for()
    assert page.locator("td strong").all_inner_texts() == ["no"]
    page.reload()
    page.get_by_text("It keeps this receipt. It also keeps what was sent").wait_for()
    assert page.locator("td").count() == 0


HUNDRED = {  # by hand: theta / (theta + (1 - theta) / (k - 1)) of k answers, rounded up
    "warner": (
        dn.warner(0.8, dn.yes_no("a")),
        80,
        "In about 20 of 100 cases, chance sends the other answer. So “yes” may come from chance",
    ),
    "k-ary": (
        dn.k_ary(0.7, dn.Question("a", ["x", "y", "z"])),
        70,
        "In about 30 of 100 cases, chance sends a different answer. So whatever is sent may come from chance",
    ),
    "forced": (
        dn.forced(0.1, 0.2, dn.yes_no("a")),
        89,
        "In about 30 of 100 cases, chance picks the answer: 10 times “no”, 20 times “yes”. So “yes” may come",
    ),
    "two thirds": (dn.warner(2 / 3, dn.yes_no("a")), 67, "In about 33 of 100 cases"),
    "number": (dn.gaussian(dn.number("a", 0, 100), privacy=0.365), None, "takes something off, mostly up to about 18."),
}


@pytest.mark.parametrize(("channel", "some", "words"), HUNDRED.values(), ids=HUNDRED)
def test_a_hundred_people_are_as_many_as_the_lottery_says(channel, some, words):
    (told,) = node("plain.mjs", given=[dn.Design([channel]).to_json()])
    assert words in told["plain"][0]
    assert told["some"] == some


COUNTED = re.compile(r"In about (\d+) of 100 cases, (.*?)[.:]")


def test_what_is_said_of_chance_is_what_the_lottery_does(figure):
    """Against the library's own matrices, for every scheme: how often another answer goes out than one's own."""
    family = {name: each for name, each in designs().items() if not each.versioned}
    told = node("plain.mjs", given=[each.to_json() for each in family.values()])
    compared = mostly = 0
    for (name, design), found in zip(family.items(), told, strict=True):
        for question, words in zip(design.names, found["plain"], strict=True):
            if (counted := COUNTED.match(words)) is None:
                continue
            matrix = np.asarray(design.channel(question).matrix([question]))
            other = "other answer" in counted[2] or "a different answer" in counted[2]
            changed = 1 - np.diag(matrix) if other else [matrix.min(axis=1).sum()]  # chance picks whatever is true
            assert np.ptp(changed) < 1e-8, (name, question)
            own, exact = 1 - changed[0], 100 * changed[0]
            down = own >= 0.5 or not other  # what chance picks protects; what it always turns round tells
            assert int(counted[1]) == (math.floor(exact + 1e-5) if down else math.ceil(exact - 1e-5)), (name, words)
            compared += 1
        if "this device changes" in found["opening"][0]:
            mostly += 1
            drawn = [each for each in design.channels if not each.has_noise and len(each.lottery) > 1]
            assert min(np.diag(np.asarray(each.matrix())).min() for each in drawn) > 0.5, name
    assert compared > 20
    assert mostly > 5
    figure("sentences on what chance does that are what the lottery does", compared)


def test_whoever_knows_answers_of_one_draw_guesses_better_and_is_said_to():
    """By hand: of three yes-no questions drawn together at .4, R = (.4 + .6 / 8) / (.6 / 8) = 6.33, so 86.4 of 100."""
    three = [dn.yes_no(name) for name in "abc"]
    drawn, alone = dn.Design([dn.draw(0.4, *three)]), dn.Design([dn.warner(0.8, each) for each in three])
    first, second = node("plain.mjs", given=[drawn.to_json(), alone.to_json()])
    assert "would guess wrong in about 13 or more of 100 cases" in first["known"]
    assert "this device sends all your answers unchanged or replaces them all with random ones" in first["opening"][0]
    assert second["known"] is None


def test_what_cannot_give_an_answer_away_is_counted_with_all_that_is_sent_about_its_draw():
    """That a number of bands is left out is seen; 'a' is drawn with it, so the whole draw counts; 'b' has R = 4."""
    amount = dn.number("amount", 0, 4, cells=4, omit=True)
    drawn = [dn.draw(0.4, amount, dn.yes_no("a")), dn.warner(0.8, dn.yes_no("b"))]
    (found,) = node("plain.mjs", given=[dn.Design(drawn).to_json()])
    assert found["exposed"] == ["amount"]
    whole = dn.privacy(dn.Design([dn.draw(0.4, dn.Question("amount", [*"0123"]), dn.yes_no("a"))])).epsilon
    assert found["rest"] >= whole + math.log(4) - 1e-6


def test_what_is_left_beside_exposed_answers_is_no_better_than_the_truth(figure):
    """For every scheme beside a question in the clear, and one in the clear beside every scheme."""
    open_, family = dn.clear(dn.yes_no("open")), [each for each in designs().values() if not each.versioned]
    told = node(
        "plain.mjs", given=[dn.Design([*each.blocks, open_], unsent=each.survey.unsent).to_json() for each in family]
    )
    compared = 0
    for design, found in zip(family, told, strict=True):
        own = {each.name: each.epsilon for each in dn.privacy(design).questions}
        hidden = [own[name] for name in design.names if name not in found["exposed"]]
        assert all(each < math.inf for each in hidden), design
        assert found["rest"] >= max(hidden, default=0) - 1e-6, design
        if dn.privacy(design).epsilon < math.inf:
            assert found["rest"] == pytest.approx(dn.privacy(design).epsilon, abs=2e-6), design
            compared += 1
    assert compared > 15
    figure("epsilons of all other questions that are those of the library", compared)


def test_what_everybody_sends_about_a_follow_up_is_said_at_both_questions_and_at_the_picture():
    who = dn.Question("who", ["a firm", "a person"], "Who paid?", ask_if="cash == 'yes'", otherwise="a person")
    design = dn.Design([dn.warner(0.8, dn.yes_no("cash", "Cash?")), dn.warner(0.8, who)])
    (found,) = node("plain.mjs", given=[design.to_json()])
    cash, paid = found["plain"]
    assert "Some people are also asked “Who paid?”. Every device sends something there." in cash
    assert "If you are not asked, yours answers “a person”, and chance may change that, too." in paid
    assert "What is sent about “Cash?” hints at it, too, but proves nothing." in paid
    assert (
        "Take 100 people for whom this answer and what is sent about “Who paid?” point the same way."
        in found["caption"]
    )


@pytest.mark.parametrize("noise", [dn.uniform, dn.gaussian])
def test_an_answer_that_a_linked_number_gives_away_is_marked(noise):
    """Who spends something on it takes it: noise that may show this makes the answer's odds infinite."""
    spends = dn.number("spends", 0, 100, ask_if="takes == 'yes'", otherwise=0)
    design = dn.Design([dn.warner(0.7, dn.yes_no("takes")), noise(spends, privacy=0.5)])
    (found,) = node("plain.mjs", given=[design.to_json()])
    assert found["marks"] == ["Hardly disguised", "Hardly disguised"]
    assert found["some"] is None
    assert not any("NaN" in line or "deny it" in line for line in [*found["denials"], *found["plain"]])
    answer = next(each for each in dn.privacy(design).questions if each.name == "takes")
    assert "so you can deny it" not in answer.sentence
    assert "linked" in answer.sentence


def test_no_picture_is_better_than_the_truth(figure):
    """Against the library's own belief after a whole reply, for every scheme of answers that hides something."""
    family = {name: each for name, each in designs().items() if not each.versioned}
    told = node("plain.mjs", given=[each.to_json() for each in family.values()])
    compared = 0
    for (name, design), found in zip(family.items(), told, strict=True):
        beliefs = {each.name: each for each in dn.privacy(design).questions}
        for question, some in found["truly"].items():
            if some is not None and (mine := beliefs[question]).posterior is not None:
                surest = max(mine.posterior, mine.posterior_other or 0)
                assert some >= 100 * surest - 1e-3, (name, question)
                compared += 1
    assert compared > 20
    figure("pictures that are no better than the truth", compared)


def test_chances_that_are_shown_add_up():
    given = [[1 / 3] * 3, [2 / 3, 1 / 6, 1 / 6], [0.8, 0.2], [1 / 7] * 7, [0.99999, 0.00001]]
    for shown in node("percents.mjs", given=given):
        assert sum(float(each.removesuffix("\u00a0%")) for each in shown) == pytest.approx(100)


LITERAL = re.compile(r'\bsay\(\s*((?:"(?:[^"\\]|\\.)*"\s*\+?\s*)+)')


def own_words() -> set[str]:
    """Every sentence that the page says itself."""
    found = set()
    for path in STATIC.glob("*.js"):
        for parts in LITERAL.findall(path.read_text(encoding="utf-8")):
            found.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', parts)))
    page = (STATIC.parent / "page.py").read_text(encoding="utf-8")
    return found | set(re.findall(r"""_said\(\s*['"](.+?)['"]\s*[,)]""", page))


def test_every_sentence_is_there_in_every_language(figure):
    words = own_words()
    for language in ("german", "french", "spanish", "arabic"):
        book = node("book.mjs", f"{language}.js")
        assert set(book) == words, language
        for english, other in book.items():
            assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", other)), (language, english)
            assert other.strip(), (language, english)
    figure("sentences of the page in five languages", len(words))


def said(language: str) -> list[str]:
    """What the page says of every scheme, with X for each of the collector's words."""
    family = [each.to_json() for each in designs().values() if not each.versioned]
    by_hand = dn.forced(1 / 6, 1 / 6, dn.yes_no("a"), dn.yes_no("b"), drawn_by="respondent")
    lines: list[str] = node("said.mjs", language, given=[*family, dn.Design([by_hand]).to_json()])
    assert len(lines) > 100
    return lines


NUMBER = re.compile(r"\d+(?:[.,\u202f]\d+)*")


def numbers(line: str, thousands: str, decimals: str) -> list[float]:
    """The numbers in a line, by the signs that stand between their digits."""
    assert set("".join(NUMBER.findall(line))) <= {*"0123456789", thousands, decimals}, line
    return sorted(float(each.replace(thousands, "").replace(decimals, ".")) for each in NUMBER.findall(line))


@pytest.mark.parametrize(
    ("language", "thousands", "decimals"),
    [("de", ".", ","), ("fr", "\u202f", ","), ("es", ".", ","), ("ar", ",", ".")],
)
def test_numbers_are_written_as_the_language_writes_them(language, thousands, decimals):
    compared = 0
    for english, other in zip(said("en"), said(language), strict=True):
        assert numbers(other, thousands, decimals) == numbers(english, ",", "."), other
        assert not re.search(r"\d %", other)  # a space at which no line breaks
        compared += any(each % 1 for each in numbers(english, ",", "."))
    assert compared > 20


def test_in_arabic_lists_have_arabic_commas():
    lines = said("ar")
    assert [each for each in lines if re.search(r",(?!\d)|;", each)] == []
    assert any("«X»، «X»" in each for each in lines)
    assert any("؛" in each for each in lines)
    assert "ثانيتان" not in lines  # a noun that would have to change with its sentence


SPLIT = re.compile(r" [:;?!»%]|« ")  # where French has spaces at which no line breaks


def test_no_line_of_french_begins_with_a_colon():
    book = node("book.mjs", "french.js")
    assert [each for each in book.values() if SPLIT.search(each)] == []
    assert book["Who asks:"].endswith("\u00a0:")
    assert book["“{word}”"] == "«\u00a0{word}\u00a0»"
    assert [each for each in said("fr") if SPLIT.search(each)] == []


@pytest.mark.parametrize(
    ("language", "word"), [("german", "Rückmeldung"), ("french", "envoi"), ("spanish", "envío"), ("arabic", "رد")]
)
def test_a_reply_has_one_name_in_each_language(language, word):
    for english, other in node("book.mjs", f"{language}.js").items():
        if re.search(r"\brepl(y|ies)\b", english):
            assert word in other, english


def test_every_survey_of_these_tests_can_be_told(site):
    told = node("plain.mjs", given=[each.to_json() for each in surveys().values() if not each.versioned])
    assert all(len(each["opening"]) == 3 for each in told)
