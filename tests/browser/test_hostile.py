"""Whatever a collector, a model or a broken server writes, the page shows it as text."""

import pytest
from playwright.sync_api import expect

from browser.visit import Ear, fill, send
from deniable.web.page import modules, source
from payloads import PAYLOADS

FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "Math.random", "sendBeacon",
    "XMLHttpRequest", "WebSocket", "sessionStorage", "indexedDB", "document.cookie", "console.",
)  # fmt: skip
CHOOSE = "(all) => { all.forEach((each) => each.click()); return all.filter((each) => each.checked).length; }"


def test_no_text_becomes_a_script(site, context, page, figure, tmp_path):
    assert len(PAYLOADS) == len(set(PAYLOADS)) >= 50
    design, ear = site.designs["hostile"], Ear(context)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(site.address("hostile"))
    page.locator(f"#question-{len(PAYLOADS)}").wait_for()
    first_answers = "input[type=radio][id^='{}-'][id$='-0']"
    assert page.eval_on_selector_all(first_answers.format("question"), CHOOSE) == len(PAYLOADS)
    page.eval_on_selector_all(first_answers.format("personal"), CHOOSE)
    shown = page.locator("label[for^='question-'][for$='-0'] span")
    expect(shown).to_have_text([payload.replace("\n", " ") for payload in PAYLOADS])
    fill(page, f"question-{len(PAYLOADS)}", 5)
    page.get_by_role("button", name="Disguise my answers").click()
    page.get_by_role("heading", name="Ready to send").wait_for()
    page.route("**/replies", lambda route: route.fulfill(status=400, json={"error": " ".join(PAYLOADS)}), times=1)
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_role("button", name="Try again").click()
    send(page)
    page.get_by_text("What would the model say about you?").click()
    assert page.eval_on_selector_all(first_answers.format("mirror"), CHOOSE) == len(PAYLOADS)
    page.get_by_role("button", name="Ask the model").click()
    expect(page.locator(".said strong")).to_have_text(PAYLOADS[2])
    page.get_by_text("Second round: was the model right").click()
    expect(page.locator("p.wording")).to_have_text(PAYLOADS[8])
    assert page.eval_on_selector_all(first_answers.format("follow"), CHOOSE) == len(PAYLOADS) + 1
    page.get_by_role("button", name="Draw the digit").click()
    page.get_by_role("heading", name="The second round").wait_for()
    expect(page.locator("#step")).to_contain_text(PAYLOADS[8])
    page.route("**/follow-ups", lambda route: route.fulfill(status=400, json={"error": " ".join(PAYLOADS)}), times=1)
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator(".refused").wait_for()
    assert page.evaluate("window.hit") is None
    assert {request.url.removeprefix(site.server.url).split("/")[1] for request in ear.requests} <= {"survey", "static"}
    (tmp_path / "offline.html").write_bytes(site.server.get(f"/survey/{design.fingerprint}/offline.html")[1])
    page.goto((tmp_path / "offline.html").as_uri())
    page.locator(f"#question-{len(PAYLOADS)}").wait_for()
    fill(page, "question-1", "b")
    hits = page.evaluate("window.hit") or 0
    figure(
        "payloads in every text of a survey, of its model and of its refusals that ran", f"{hits} of {len(PAYLOADS)}"
    )
    assert hits == 0


def test_the_page_never_touches_markup_or_weak_randomness():
    for name in modules():
        text = source(name)
        for word in FORBIDDEN:
            assert word not in text, f"{word} in {name}"
        assert ("fetch(" in text) == (name in ("load.js", "send.js")), name
        assert ("localStorage" in text) == (name in ("drawer.js", "load.js")), name
