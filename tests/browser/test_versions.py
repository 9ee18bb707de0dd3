"""Versions on the page: drawn once and in the open, or chosen; nothing else is asked, shown, said or sent."""

import json
from itertools import product

import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.family import node, versioned
from browser.visit import Ear, Served, disguise, fill, send, shown_bytes, stored
from deniable.channel.length import reply_length
from deniable.count.stored import stored_replies
from payloads import PAYLOADS

LATE, SMOKES, DRUGS = "Are you often late?", "Do you smoke?", "Have you ever taken drugs at work?"
MOOD, AGE, REGION = "How was your mood this week?", "How old are you?", "Where do you live?"
ASKED = {  # by version
    "smokes+drugs": [LATE, SMOKES, DRUGS, REGION],
    "smokes+mood": [LATE, SMOKES, MOOD, REGION],
    "drugs+mood": [LATE, DRUGS, MOOD, REGION],
}
VERSIONS = "JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith('/versions'))))"


def drawing(page: Page, number: int) -> None:
    """Let all random numbers be this one."""
    page.add_init_script(f"Crypto.prototype.getRandomValues = (block) => block.fill({number});")


def asked(page: Page) -> list[str]:
    """The wordings of all questions in sight: those of a published model are folded away below them."""
    page.get_by_role("heading", name="The questions").wait_for()
    return page.locator("#step .wording:visible").all_inner_texts()


def fill_in(page: Page, cells: list[str | int]) -> None:
    """Answer the questions on the page in order."""
    for index, value in enumerate(cells):
        fill(page, f"question-{index}", value)


def all_stored(site: Served, survey: str) -> list[dict[str, object]]:
    """The replies to a survey."""
    return stored_replies(site.designs[survey], f"sqlite:///{site.folder / 'replies.db'}").to_pylist()


# ---------------------------------------------------------------- what is said


def plain(design: dn.Design, versions: dict[str, str]) -> dn.Design:
    """What respondents with these versions answer, as a design without versions."""
    channels = []
    for block in design.blocks:
        name = versions.get(str(block.column), "")
        (version,) = [each for each in block.versions if each.name == name]
        channels += version.channels
    names = [name for channel in channels for name in channel.names]
    return dn.Design(channels, order=[name for name in design.names if name in names])


def test_figures_are_those_of_the_respondent_s_own_version(figure):
    given, expected = [], []
    for design in versioned().values():
        columns = [str(block.column) for block in design.versioned]
        for names in product(*(block.version_names for block in design.versioned)):
            versions = dict(zip(columns, names, strict=True))
            given.append([design.to_json(), versions])
            expected.append(dn.privacy(plain(design, versions)).to_json())
    for found, theirs, (_, versions) in zip(node("promise.mjs", given=given), expected, given, strict=True):
        assert found["epsilon"] == theirs["epsilon"], versions
        keys = ("name", "epsilon")
        assert [[each[key] for key in keys] for each in found["questions"]] == [
            [each[key] for key in keys] for each in theirs["questions"]
        ]
        assert all(name in found["lines"] for name in versions.values())
    assert len({str(each["epsilon"]) for each in expected}) >= 3
    figure("versions whose figures are the same in both languages", len(given))


AGED = dn.gaussian(dn.number("age", 18, 80), sd=5)
PROTECTIONS = {
    "one question": (
        [dn.warner(0.8, dn.yes_no("a"))],
        "What is sent is at most 4 times as likely under one true answer",
    ),
    "a weak one": ([dn.warner(0.999, dn.yes_no("a"))], "which hardly protects you"),
    "in the clear": ([dn.clear(dn.yes_no("a"))], "Nothing is disguised: what is sent gives your answers away."),
    "several": (
        [dn.warner(0.8, dn.yes_no(name)) for name in "ab"],
        "is sent is at most 16 times as likely under one set",
    ),
    "several weak ones": ([dn.warner(0.95, dn.yes_no(name)) for name in "ab"], "which hardly protects it as a whole"),
    "beside noise": ([dn.warner(0.8, dn.yes_no("a")), AGED], "Answers to 1 of 2 questions can be denied"),
    "weak beside noise": ([dn.warner(0.999, dn.yes_no("a")), AGED], "what is sent can still give them away"),
}


@pytest.mark.parametrize(("channels", "words"), PROTECTIONS.values(), ids=PROTECTIONS)
def test_no_protection_is_offered_as_more_than_it_is(channels, words):
    design = dn.Design([dn.versions({"this": channels, "other": dn.clear(dn.yes_no("z"))}, column="kind", chosen=True)])
    (told,) = node("promise.mjs", given=[[design.to_json(), {"kind": "this"}]])
    assert words in told["protection"]


@pytest.mark.parametrize("below", [4294967295, 3221225471.5, None])
def test_shares_that_are_none_are_refused(below):
    document = json.loads(versioned()["versions: arms"].to_json())
    document["channels"][1]["versions"][-1]["below"] = below
    (told,) = node("promise.mjs", given=[json.dumps(document)])
    assert "is not sound" in told["refused"]


# ---------------------------------------------------------------- drawn in the open


@pytest.mark.parametrize(
    ("number", "version"), [(0, "smokes+drugs"), (2**31, "smokes+mood"), (2**32 - 1, "drugs+mood")]
)
def test_a_page_asks_what_its_version_asks(site, page, number, version):
    drawing(page, number)
    page.goto(site.address("ask"))
    assert asked(page) == ASKED[version]
    expect(page.locator("#promise")).to_contain_text(f"your device drew “{version}” (chance 1 in 3)")
    expect(page.locator("#promise")).to_contain_text("has 3 versions")
    assert page.evaluate(VERSIONS) == [["version", version]]


def test_a_version_is_kept_before_anything_is_shown(site, page):
    page.add_init_script(
        """const keep = Storage.prototype.setItem;
        Storage.prototype.setItem = function (name, value) {
          if (name.endsWith("/versions")) window.shown = document.querySelectorAll("#promise > *, #step h2").length;
          return keep.call(this, name, value);
        };"""
    )
    page.goto(site.address("ask"))
    asked(page)
    assert page.evaluate("window.shown") == 0


def test_neither_reloading_nor_another_tab_draws_again(site, context):
    tabs = [context.new_page() for _ in range(3)]
    for tab in tabs:
        tab.goto(site.address("ask"), wait_until="commit")  # all at once
    seen = {tuple(asked(tab)) for tab in tabs}
    for number in (0, 2**31, 2**32 - 1):
        tab = context.new_page()
        drawing(tab, number)
        tab.goto(site.address("ask"))
        seen.add(tuple(asked(tab)))
        tab.reload()
        seen.add(tuple(asked(tab)))
    assert len(seen) == 1


def test_a_tab_that_does_not_see_what_another_stored_draws_nothing_else(site, context):
    """Browsers tell other tabs of stored items a moment later; this one is told nothing of them."""
    first, second = context.new_page(), context.new_page()
    drawing(first, 0)
    first.goto(site.address("ask"))
    seen = asked(first)
    drawing(second, 2**32 - 1)
    second.add_init_script(
        """const get = Storage.prototype.getItem;
        Storage.prototype.getItem = function (name) {
          return name.endsWith("/versions") ? null : get.call(this, name);
        };"""
    )
    second.goto(site.address("ask"))
    assert asked(second) == seen == ASKED["smokes+drugs"]


def test_what_is_stored_is_what_was_shown(site, context, page):
    ear, before = Ear(context), site.rows("ask")
    drawing(page, 2**32 - 1)
    page.goto(site.address("ask"))
    fill_in(page, ["yes", "no", "so so", "south"])
    shown = disguise(page)
    said = json.loads(shown)["answers"]
    assert list(said) == site.designs["ask"].columns
    assert (said["version"], said["smokes"], said["region"]) == ("drugs+mood", None, "south")
    assert None not in (said["late"], said["drugs"], said["mood"])
    assert len(shown.encode()) == reply_length(site.designs["ask"])
    page.reload()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert shown_bytes(page) == shown
    send(page)
    assert page.locator("tbody th").all_inner_texts() == ["Your version", *ASKED["drugs+mood"]]
    assert (
        page.locator("tbody td strong").first.inner_text() == "left out by chance: “Do you smoke?”"
    )  # not its code name
    expect(page.get_by_text("Your version of the survey leaves out one question.")).to_be_visible()
    assert ear.sent() == [shown]
    assert site.rows("ask") == before + 1
    assert said in all_stored(site, "ask")
    assert "versions" not in stored(page)
    page.reload()
    expect(page.get_by_role("heading", name="You have already answered")).to_be_visible()
    assert "versions" not in stored(page)  # nothing is drawn again
    expect(page.get_by_text("It keeps this receipt. It also keeps what was sent")).to_be_visible()
    assert "deniable/remembered/" in stored(page)


@pytest.mark.parametrize(
    ("number", "arm", "said"),
    [
        (0, "forced", "with chance 10 % “no” is sent, whatever is true"),
        (2**32 - 1, "direct", "Asked in the clear: your answer is sent as it is"),
    ],
)
def test_the_words_are_those_of_the_arm(site, page, number, arm, said):
    drawing(page, number)
    page.goto(site.address("arms"))
    assert asked(page) == [LATE, SMOKES]
    expect(page.locator("#promise .figures")).to_contain_text(said)
    expect(page.locator("#promise")).to_contain_text(f"drew “{arm}”")
    epsilon = "Epsilon is 3.466: your whole reply is at most 32 times" if arm == "forced" else "Epsilon is infinite"
    expect(page.locator("#promise")).to_contain_text(epsilon)
    fill_in(page, ["no", "yes"])
    assert json.loads(disguise(page))["answers"]["arm"] == arm


# ---------------------------------------------------------------- chosen


def choose(page: Page, name: str) -> None:
    page.get_by_text(name, exact=True).check()
    page.get_by_role("button", name="Go on").click()


def test_protections_are_offered_in_words_before_anything_is_asked(site, page):
    page.goto(site.address("chosen"))
    page.get_by_role("heading", name="How shall your answers be protected?").wait_for()
    expect(page.get_by_text("Whoever reads your reply can see what you chose.")).to_be_visible()
    assert page.locator(".offer .choice").all_inner_texts() == ["Strong", "Some", "None"]
    assert page.locator(".offer > .promise").all_inner_texts() == [
        "Suppose all answers are equally common. "
        "At each question: of 100 people who send the same, about 40 or more would truly say something else.",
        "Disguised: 2 of 3 questions. What is sent about the others can give your answers away.",
        "Nothing is disguised. Whoever gets your reply can read your answers.",
    ]
    assert page.locator("[id^=question-]").count() == 0
    assert page.locator("#promise > *").count() == 0
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".fault")).to_have_text("Please choose one.")
    assert page.locator("[id^=question-]").count() == 0


def test_a_choice_can_be_changed_until_the_answers_are_disguised(site, context, page):
    ear, before = Ear(context), site.rows("chosen")
    page.goto(site.address("chosen"))
    choose(page, "Some")
    assert asked(page) == [SMOKES, DRUGS, AGE, LATE]
    expect(page.locator("#promise")).to_contain_text("You chose “Some”. Your choice itself is sent in the clear")
    expect(page.locator("#promise")).to_contain_text("Epsilon is infinite")
    page.get_by_role("button", name="Choose another protection").click()
    choose(page, "Strong")
    assert asked(page) == [SMOKES, DRUGS, MOOD, LATE]
    expect(page.locator("#promise")).to_contain_text("Epsilon is 2.198: your whole reply is at most 9 times")
    fill_in(page, ["yes", "no", "high", "no"])
    shown = disguise(page)
    said = json.loads(shown)["answers"]
    assert list(said) == site.designs["chosen"].columns
    assert (said["protection"], said["age"]) == ("Strong", None)
    tab = context.new_page()
    tab.goto(site.address("chosen"))
    expect(tab.get_by_role("heading", name="Ready to send")).to_be_visible()
    send(page)
    assert ear.sent() == [shown]
    assert site.rows("chosen") == before + 1
    assert said in all_stored(site, "chosen")


@pytest.mark.studies
def test_of_two_choices_in_two_tabs_one_reply_comes(site, context):
    tabs = [context.new_page() for _ in range(2)]
    for tab, kind, cells in zip(
        tabs, ("None", "Strong"), (["yes", "no", "no"], ["yes", "no", "low", "no"]), strict=True
    ):
        tab.goto(site.address("chosen"))
        choose(tab, kind)
        fill_in(tab, cells)
    shown = disguise(tabs[0])
    tabs[1].locator("button[type=submit]").click()
    expect(tabs[1].get_by_role("heading", name="Ready to send")).to_be_visible()
    assert shown_bytes(tabs[1]) == shown
    assert tabs[1].locator("tbody th").all_text_contents() == [SMOKES, DRUGS, LATE]


def test_a_downloaded_page_keeps_its_version_too(site, page, tmp_path):
    offline = tmp_path / "survey.html"
    offline.write_bytes(site.server.get(f"/survey/{site.designs['ask'].fingerprint}/offline.html")[1])
    page.goto(offline.as_uri())
    first = asked(page)
    drawn = page.evaluate(VERSIONS)
    page.reload()
    assert asked(page) == first == ASKED[drawn[0][1]]


def test_no_name_of_a_version_becomes_a_script(site, page):
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(site.address("hostile versions"))
    words = [payload.replace("\n", " ") for payload in PAYLOADS]
    expect(page.locator(".offer .choice strong")).to_have_text(words)
    page.locator("#version-0-3").check()
    page.get_by_role("button", name="Go on").click()
    fill_in(page, ["yes", "no"])
    said = json.loads(disguise(page))["answers"]
    assert (said[PAYLOADS[0]], said[PAYLOADS[1]] in PAYLOADS) == (PAYLOADS[3], True)
    send(page)
    expect(page.locator("tbody td:last-child strong").first).to_have_text(words[3])
    assert said in all_stored(site, "hostile versions")
    assert page.evaluate("window.hit") is None
