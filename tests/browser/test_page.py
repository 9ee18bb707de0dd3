"""The respondent's page in a real browser, from the promise to the receipt."""

import json
import math
import re

import pytest
from playwright.sync_api import expect

from browser.surveys import ANSWERS, PERSONAL, showcase
from browser.visit import Ear, answer, disguise, fill, send, shown_bytes, stored


def test_every_kind_of_question_is_asked_disguised_shown_and_sent(site, context, page):
    ear, design, before = Ear(context), showcase(), site.rows("showcase")
    page.goto(site.address("showcase"))
    figures = page.locator("#promise .experts")
    expect(figures).to_contain_text("With chance 80 % your true answer is sent; otherwise (20 %) the opposite")
    expect(figures).to_contain_text("Epsilon is infinite")
    expect(figures.get_by_text("Epsilon is infinite").first).to_be_hidden()
    expect(page.get_by_text("Sent as it is", exact=True)).to_have_count(1)
    expect(page.locator("footer code").last).to_be_hidden()  # behind one link
    page.get_by_text("Check this page").click()
    expect(page.locator("footer code").last).to_have_text(design.fingerprint)
    answer(page, ANSWERS, design, PERSONAL)
    shown = disguise(page)
    expect(page.locator(".ticket")).to_have_count(len(design.channels))
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len(design.questions))
    reported = json.loads(shown)["answers"]
    assert list(reported) == design.names
    for place, question in enumerate(design.questions):
        cells = rows.nth(place).locator("td").all_inner_texts()
        assert cells[0].startswith(str(ANSWERS[question.name]))
        said = reported[question.name]
        if isinstance(said, str):
            assert cells[1] == said
        else:  # an age, which is whole
            about = f"about {math.floor(said + 0.5)}" if said % 1 else f"{said:.0f}"
            assert cells[1] == f"{about} (yours, plus or minus chance)"
    send(page)
    assert ear.sent() == [shown]
    assert site.rows("showcase") == before + 1
    left = stored(page)
    assert json.loads(shown)["id"] not in left
    assert re.findall(r"deniable/[0-9a-f]{64}/[a-z/]+", left) == [f"deniable/{design.fingerprint}/reply/receipt"]


def test_missing_and_impossible_answers_are_told_beside_the_question(site, page):
    page.goto(site.address("showcase"))
    answer(page, {**ANSWERS, "age": 17, "drinks": None}, showcase(), PERSONAL)
    page.get_by_role("button", name="Disguise my answers").click()
    assert page.locator(".fault:not(:empty)").all_inner_texts() == [
        "Please choose an answer.",
        "A whole number from 18 to 80, please.",
    ]
    assert page.evaluate("document.activeElement.id") == "question-2-0"
    fill(page, "question-2", "never")
    fill(page, "question-5", 40.5)
    page.get_by_role("button", name="Disguise my answers").click()
    assert page.evaluate("document.activeElement.id") == "question-5"
    assert "null" in stored(page)
    assert "reply" not in page.evaluate("JSON.stringify(localStorage)")


def test_a_number_may_be_left_out_where_the_page_says_that_this_is_seen(site, context, page):
    ear = Ear(context)
    page.goto(site.address("left out"))
    expect(page.get_by_text("It may be left empty, and that would be seen.")).to_be_visible()
    disguise(page)
    send(page)
    assert json.loads(ear.sent()[0])["answers"] == {"weight": None}


@pytest.mark.parametrize(("truth", "harmless"), [("yes", "no"), ("no", "yes")])
@pytest.mark.parametrize(("drawn", "sent"), [(2**31 - 1, "truth"), (2**31, "harmless")])
def test_the_personal_answer_is_sent_when_the_lottery_says_so(site, page, truth, harmless, drawn, sent):
    page.add_init_script(f"Crypto.prototype.getRandomValues = (block) => block.fill({drawn});")
    page.goto(site.address("harmless"))
    fill(page, "question-0", truth)
    fill(page, "personal-0", harmless)
    assert json.loads(disguise(page))["answers"] == {"pills": truth if sent == "truth" else harmless}


def test_what_is_not_left_to_chance_is_not_called_disguised(site, page):
    page.goto(site.address("sure"))
    page.locator("#question-0-0").wait_for()
    assert page.locator(".mark").all_inner_texts() == [
        "Sent as it is",
        "Sent as it is",
        "Not disguised",
        "Not disguised",
        "Only the range is sent",
        "Disguised",
    ]
    expect(page.locator("#promise .opening")).to_contain_text("Where it says “Disguised”, nobody can be sure")
    expect(page.locator("#promise")).not_to_contain_text("stay in this browser")
    for place, name in enumerate(site.designs["sure"].names):
        fill(page, f"question-{place}", "3000 to 9000" if name == "income" else "yes")
    sent = json.loads(disguise(page))["answers"]
    assert sent | {"drawn": "yes"} == {
        "always": "yes", "same": "yes", "renamed": "black", "never": "no", "income": "3000 to 9000", "drawn": "yes",
    }  # fmt: skip
    assert page.locator(".ticket").count() == 0  # what chance did is not shown before it is sent


@pytest.mark.parametrize(("survey", "answers"), [("interval", ["0 to 3000"]), ("model", [5, "no", "no"])])
def test_a_survey_without_a_lottery_does_not_speak_of_one(site, page, survey, answers):
    page.goto(site.address(survey))
    for place, given in enumerate(answers):
        fill(page, f"question-{place}", given)
    opening = ["Your answers are sent as you give them.", "Whoever gets your reply can read them."]
    assert page.locator("#promise .opening li").all_inner_texts() == [*opening, "You need not take part."]
    expect(page.locator("#promise .experts")).to_contain_text("Nothing is disguised in this survey")
    expect(page.locator("#promise .hundred")).to_have_count(0)
    assert "lottery" not in page.locator("main").inner_text()
    disguise(page)
    assert "disguised" not in page.locator("#step").inner_text().lower()
    expect(page.get_by_text("Your reply, as it will be sent.")).to_be_visible()  # nothing was drawn that could bias
    page.reload()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert "disguised" not in page.locator("#step").inner_text().lower()
    send(page)
    assert "disguised" not in page.locator("#step").inner_text().lower()


def test_ones_own_coin_decides(site, page):
    page.goto(site.address("own coin"))
    answer(page, {"late": "yes", "pills": "yes"}, site.designs["own coin"])
    page.get_by_text("Use your own coin or dice instead").click()
    page.get_by_label("I flip my own coin").check()
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Flip your coin")).to_be_focused()
    page.get_by_role("button", name="Tails").click()  # the upper half: forced to say no, or yes
    expect(page.get_by_text("So far: Tails.")).to_be_visible()
    page.get_by_role("button", name="Heads").click()  # its lower half: no
    expect(page.get_by_text("This decides for: Do you take pills?")).to_be_visible()
    page.get_by_role("button", name="Heads").click()  # the lower half lies within the truth's 80 %
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    assert json.loads(shown_bytes(page))["answers"] == {"late": "no", "pills": "yes"}


def test_where_the_device_draws_all_the_same_is_told_before_the_first_throw(site, page):
    page.goto(site.address("showcase"))
    answer(page, ANSWERS, showcase(), PERSONAL)
    page.get_by_text("Use your own coin or dice instead").click()
    told = page.locator(".own")
    ours = (
        "With a coin or a die, your throws decide for “Do you smoke?”, “Were you on sick leave this year?”, "
        "“How often do you drink alcohol?”, “Have you ever taken drugs at work?”, "
        "“Do you take medication for your mood?”."
    )
    theirs = "This device still draws for “How old are you?”: that would take too many throws."
    expect(told.get_by_text(ours)).to_be_visible()
    expect(told.get_by_text(theirs)).to_be_visible()
    assert "Where do you live?" not in told.inner_text()  # asked in the clear: nobody draws
    page.get_by_label("I roll my own die").check()
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Roll your die")).to_be_visible()
    expect(page.get_by_text(theirs)).to_be_visible()


def test_nothing_is_said_of_the_device_where_throws_decide_everything(site, page):
    page.goto(site.address("own coin"))
    page.get_by_text("Use your own coin or dice instead").click()
    expect(
        page.locator(".own").get_by_text("With a coin or a die, your throws decide for “Are you often late?”")
    ).to_be_visible()
    assert "still draws" not in page.locator("main").inner_text()


def test_a_design_with_another_fingerprint_is_refused(site, page):
    page.route(
        "**/design.json",
        lambda route: route.fulfill(body=site.designs["opposite"].to_json().replace("late?", "early?")),
    )
    page.goto(site.address("opposite"))
    expect(page.get_by_text("is not the one with this fingerprint")).to_be_visible()
    assert page.locator("input").count() == 0


def test_a_script_that_was_tampered_with_does_not_run(site, page):
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))

    def tamper(route):
        answered = route.fetch()
        route.fulfill(response=answered, body=answered.text() + "\nglobalThis.tampered = true;\n")

    page.route("**/static/survey.js", tamper)
    page.goto(site.address("opposite"), wait_until="networkidle")
    assert page.evaluate("globalThis.tampered") is None
    assert page.locator("input").count() == 0
    assert any("integrity" in fault for fault in faults)


@pytest.mark.parametrize("lost", ["crypto.getRandomValues", "crypto.subtle", "localStorage", "navigator.locks"])
def test_nothing_is_asked_where_a_promise_could_not_be_kept(site, page, lost):
    owner, _, name = lost.rpartition(".")
    where = {"crypto": "Crypto.prototype", "navigator": "Navigator.prototype"}.get(owner, "window")
    fault = "get() { throw new Error('denied'); }" if name == "localStorage" else "value: undefined"
    page.add_init_script(f"Object.defineProperty({where}, '{name}', {{ {fault}, configurable: true }});")
    page.goto(site.address("showcase"))
    expect(page.locator(".refused")).to_contain_text("othing is asked")
    assert page.locator("input").count() == 0


def test_an_insecure_connection_is_refused(site, page):
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false });")
    page.goto(site.address("showcase"))
    expect(page.locator(".refused")).to_contain_text("secure connection")


def test_refusals_are_told_in_plain_words_and_the_bytes_stay(site, context, page):
    ear = Ear(context)
    page.goto(site.address("opposite"))
    fill(page, "question-0", "yes")
    shown = disguise(page)
    answers = iter([(410, {}), (400, {"error": "the reply has a fault"}), (403, {})])

    def refuse(route):
        status, body = next(answers)
        route.fulfill(status=status, json=body)

    page.route("**/replies", refuse)
    for words in ("The survey is not open.", "the reply has a fault", "does not know this invitation"):
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator(".line.refused")).to_contain_text(words)
        page.get_by_role("button", name="Try again").click()
        assert shown_bytes(page) == shown
    page.unroute("**/replies")
    page.reload()
    send(page)
    assert set(ear.sent()) == {shown}


def test_an_invitation_travels_in_a_header_and_leaves_the_address(site, context, page):
    ear, before = Ear(context), site.rows("invited")
    page.goto(site.address("invited"))
    expect(page.get_by_role("heading", name="By invitation", level=2)).to_be_visible()
    page.goto(f"{site.address('invited')}#invitation=TOKEN-one")  # into the open tab
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert "TOKEN" not in page.url
    fill(page, "question-0", "yes")
    page.goto(f"{site.address('invited')}#invitation=TOKEN-one")
    page.wait_for_url(site.address("invited"))
    expect(page.locator("#question-0-1")).to_be_checked()
    disguise(page)
    page.reload()
    send(page)
    posts = [each for each in ear.requests if each.method == "POST"]
    assert [each.url.rpartition("/")[2] for each in posts] == ["invitations", "replies"]  # looked at, then spent
    assert [each.headers.get("invitation") for each in posts] == ["TOKEN-one"] * 2
    assert "TOKEN" not in "".join(str(each.post_data) + each.url for each in posts) + stored(page)
    assert site.rows("invited") == before + 1


def test_an_invitation_that_comes_late_goes_with_the_reply_that_waits(site, context, page):
    ear = Ear(context)
    page.goto(f"{site.address('invited')}#invitation=TOKEN-two")
    fill(page, "question-0", "no")
    shown = disguise(page)
    page.route("**/replies", lambda route: route.fulfill(status=403, json={"error": "spent"}), times=1)  # meanwhile
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("does not know this invitation")).to_be_visible()
    page.goto(f"{site.address('invited')}#invitation=TOKEN-late")
    page.wait_for_url(site.address("invited"))
    page.get_by_role("button", name="Try again").click()
    assert shown_bytes(page) == shown
    send(page)
    posts = [each for each in ear.requests if each.method == "POST"]
    assert [each.headers.get("invitation") for each in posts] == ["TOKEN-two", "TOKEN-two", "TOKEN-late"]
    assert set(ear.sent()) == {shown}


def test_the_single_file_takes_a_pasted_invitation(site, context, page, tmp_path):
    ear, path = Ear(context), f"/survey/{site.designs['invited'].fingerprint}/offline.html"
    (tmp_path / "survey.html").write_bytes(site.server.get(path)[1])
    page.goto((tmp_path / "survey.html").as_uri())
    fill(page, "question-0", "no")
    disguise(page)
    field = page.get_by_label("Invitation, or its link")
    for nonsense in ("für mich", "a b", f"{site.address('invited')}#invitation=", "https://survey.example.org/"):
        field.fill(nonsense)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text("This is no invitation")).to_be_visible()
    assert ear.sent() == []
    field.fill(f"  {site.address('invited')}#invitation=TOKEN-file\n")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [each.headers["invitation"] for each in ear.requests if each.method == "POST"] == ["TOKEN-file"]


def test_the_single_file_works_without_the_site_and_with_it(site, browser, tmp_path):
    for how in ("sent", "saved"):
        name = f"/survey/{site.designs['opposite'].fingerprint}/offline.html"
        status, body = site.server.get(name)
        assert status == 200
        assert body == site.server.get(name)[1]
        (tmp_path / "survey.html").write_bytes(body)
        context = browser.new_context(accept_downloads=True)
        ear, page = Ear(context), context.new_page()
        context.set_offline(True)
        page.goto((tmp_path / "survey.html").as_uri())
        fill(page, "question-0", "no")
        shown = disguise(page)
        assert json.loads(shown)["answers"] == {"late": "yes"}
        if how == "saved":
            with page.expect_download() as download:
                page.get_by_role("button", name="Save as a file instead").click()
            assert download.value.suggested_filename == "reply.json"
            assert download.value.path().read_text() == shown
        else:
            before = site.rows("opposite")
            context.set_offline(False)
            send(page)
            assert set(ear.sent()) == {shown}
            assert site.rows("opposite") == before + 1
        assert all(each.url.startswith(("file:", "blob:", f"{site.server.url}/survey/")) for each in ear.requests)
        context.close()


def test_a_closed_survey_asks_nothing(site, page):
    page.goto(site.address("closed"))
    expect(page.get_by_text("It opens on 1 January 2999.")).to_be_visible()
    assert page.locator("input").count() == 0
