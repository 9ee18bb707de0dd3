"""The model goes back to the respondent: it is applied on the device, and no request is made."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.visit import Ear, disguise, fill, send, stored

LEARNERS = {"model": dn.TreeClassifier, "second round": dn.NaiveBayes, "invited round": dn.NaiveBayes}


@pytest.fixture(scope="module")
def published(site, tmp_path_factory) -> dict[str, str]:
    """A model for each of these surveys, and their digests."""
    rng, path = np.random.default_rng(4), tmp_path_factory.mktemp("model") / "model.json"
    free, late = rng.uniform(0, 9000, 800), rng.random(800)
    people = pd.DataFrame(
        {
            "free": free,
            "late": np.where(late < 0.8 * free / 9000, "yes", "no"),
            "pills": np.where(free > 2000, "yes", "no"),
        }
    )
    digests = {}
    for name, learner in LEARNERS.items():
        design = site.designs[name]
        replies = dn.disguise(design, people, seed=1)
        model = learner(design).fit(replies.drop(columns="late"), replies["late"])
        model.save(path)
        with site.store() as store:
            digests[name] = str(store.publish(design.fingerprint, path.read_text()))
    return digests


def another_day(page: Page) -> None:
    """Come back the day after the reply: the receipt is of yesterday then."""
    key, receipt = page.evaluate("Object.entries(localStorage).find(([key]) => key.endsWith('/reply/receipt'))")
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    page.evaluate(
        "(entry) => localStorage.setItem(...entry)", [key, json.dumps({**json.loads(receipt), "day": str(yesterday)})]
    )
    page.reload()


def test_the_model_is_applied_without_any_request(site, published, context, page, figure):
    ear = Ear(context)
    page.goto(site.address("model"))
    page.get_by_text("What would the model say about you?").click()
    before = len(ear.requests)
    for number, expected in ((8765.4321, "yes"), (12.3456789, "no")):
        fill(page, "mirror-0", number)
        fill(page, "mirror-1", "yes")
        page.get_by_role("button", name="Ask the model").click()
        expect(page.locator(".said strong")).to_have_text(expected)
        expect(page.get_by_text("Nothing was sent")).to_be_visible()
        assert "3456789" not in stored(page)
    figure("requests while the model is applied", len(ear.requests) - before)
    assert len(ear.requests) == before
    page.reload()
    expect(page.locator("#mirror-0")).to_have_value("")


def test_another_model_than_the_one_named_is_not_applied(site, published, page):
    page.route("**/model.json", lambda route: route.fulfill(body=route.fetch().text() + " "))
    page.goto(site.address("model"))
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert page.get_by_text("What would the model say").count() == 0


def test_the_second_round_sends_one_digit(site, published, context, page):
    ear = Ear(context)
    page.goto(site.address("second round"))
    for place in (0, 1):
        fill(page, f"question-{place}", "no")
        fill(page, f"personal-{place}", "yes")
    disguise(page)
    send(page)
    expect(page.get_by_text("There is a second round, from tomorrow on")).to_be_visible()
    assert page.locator("#follow-0-0").count() == 0
    another_day(page)
    page.get_by_text("Second round").click()
    expect(page.get_by_text("Whoever can link it to your reply may learn")).to_be_visible()
    fill(page, "follow-0", "yes")
    fill(page, "follow-1", "yes")
    before = len(ear.requests)
    page.get_by_role("button", name="Was it right?").click()
    expect(page.get_by_role("heading", name="The second round")).to_be_focused()
    assert len(ear.requests) == before
    shown = json.loads(str(page.locator("pre.bytes").text_content()))
    expect(page.get_by_text(f"What will be sent: {shown['correct']}")).to_be_visible()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("The second round was received")).to_be_visible()
    (sent,) = [json.loads(each) for each in ear.sent("follow-ups")]
    assert sent == shown
    assert set(sent) == {"id", "design", "model", "correct"}
    assert sent["model"] == published["second round"]
    assert sent["correct"] in (0, 1)
    with site.store() as store:
        assert store.follow_ups(site.designs["second round"].fingerprint, sent["model"]) == (1, sent["correct"])


def test_an_invitation_goes_with_the_second_round_too(site, published, context, page):
    ear, address = Ear(context), f"{site.address('invited round')}#invitation=TOKEN-round"
    page.goto(address)
    for place in (0, 1):
        fill(page, f"question-{place}", "no")
        fill(page, f"personal-{place}", "yes")
    disguise(page)
    send(page)
    another_day(page)
    expect(page.get_by_text("Open the link of your invitation again")).to_be_visible()
    page.goto(address)
    page.get_by_text("Second round").click()
    fill(page, "follow-0", "yes")
    fill(page, "follow-1", "no")
    page.get_by_role("button", name="Was it right?").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("The second round was received")).to_be_visible()
    assert [each.headers.get("invitation") for each in ear.requests if each.method == "POST"] == ["TOKEN-round"] * 2
    assert "TOKEN" not in stored(page)


def test_without_harmless_questions_there_is_no_second_round(site, published, page):
    page.goto(site.address("model"))
    fill(page, "question-0", 5)
    fill(page, "question-1", "no")
    fill(page, "question-2", "no")
    disguise(page)
    send(page)
    expect(page.get_by_text("What would the model say about you?")).to_be_visible()
    assert page.get_by_text("Second round").count() == 0


def test_the_second_round_never_falls_on_the_day_of_the_reply(site, published, context):
    fingerprint = site.designs["second round"].fingerprint
    for days, offered in ((-1, True), (0, False), (1, False)):
        day = str(datetime.now(UTC).date() + timedelta(days=days))
        page = context.new_page()
        page.goto(f"{site.server.url}/health")
        receipt = json.dumps({"design": fingerprint, "day": day, "received": True})
        page.evaluate("(entry) => localStorage.setItem(...entry)", [f"deniable/{fingerprint}/reply/receipt", receipt])
        page.goto(site.address("second round"))
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
        assert (page.get_by_text("Second round: was the model right").count() == 1) is offered
