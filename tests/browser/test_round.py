"""The second round: a published model is tested by one disguised digit, in any design; true answers never leave."""

import json
import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import deniable as dn
from browser.visit import Ear, disguise, fill, send, shown_bytes, stored
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.learn.model import text_of

CANARY = 7.123456789
TARGETS = {
    "second round": "late", "invited round": "late", "numbers round": "late", "ask": "late", "computed": "burdened",
}  # fmt: skip
ENTERED = {  # what is entered, field by field: the model's columns, then the target
    "second round": {"follow-0": "yes", "follow-1": "no"},
    "numbers round": {"follow-0": 8000 + CANARY, "follow-1": "yes", "follow-2": "yes"},
    "ask": {"follow-0": "yes", "follow-1": "no", "follow-2": "low", "follow-3": "south", "follow-4": "yes"},
    "computed": {
        "follow-0-0": CANARY, "follow-1-0": "always", "follow-1-1": "often", "follow-1-2": "always",
        "follow-1-3": "some days",
    },
}  # fmt: skip
ANSWERED = {  # the same in words
    "second round": {"pills": "yes", "late": "no"},
    "numbers round": {"free": 8000 + CANARY, "pills": "yes", "late": "yes"},
    "ask": {"smokes": "yes", "drugs": "no", "mood": "low", "region": "south", "late": "yes"},
    "computed": {"tired": "no", "burdened": "yes"},
}


def people() -> pd.DataFrame:
    """People with all that these surveys ask."""
    rng = np.random.default_rng(4)
    free = rng.uniform(0, 9000, 1500)
    late = rng.random(1500) < 0.8 * free / 9000
    words = {name: np.where(rng.random(1500) < 0.2 + 0.6 * late, "yes", "no") for name in ("smokes", "drugs")}
    return pd.DataFrame(
        {
            **words,
            "free": free,
            "late": np.where(late, "yes", "no"),
            "pills": np.where(free > 2000, "yes", "no"),
            "mood": rng.choice(["low", "so so", "high"], 1500),
            "region": rng.choice(["north", "south"], 1500),
            "hours": rng.uniform(0, 24, 1500),
            **{f"item{place}": rng.choice(["never", "some days", "often", "always"], 1500) for place in range(1, 5)},
        }
    )


@pytest.fixture(scope="module")
def models(site) -> dict[str, dn.NaiveBayes]:
    """A model for each of these surveys, published with a lottery of epsilon 1."""
    found = {}
    for name, target in TARGETS.items():
        design = site.designs[name]
        sources = [each.name for each in design.survey.unsent]
        replies = dn.disguise(design, people()[sources or design.names], seed=1)
        found[name] = dn.NaiveBayes(design).fit(replies.drop(columns=target), replies[target])
        publish(site, name, found[name])
    return found


def publish(site, name, model, epsilon=1.0) -> str:
    with site.store() as store:
        text = with_lottery(text_of(model), lottery_of(epsilon))
        return str(store.publish(site.designs[name].fingerprint, text))


def open_round(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_text("Second round: was the model right about you?").click()


def draw(page: Page, entered) -> str:
    """Enter true answers and draw the digit; gives the bytes that will be sent."""
    for field, value in entered.items():
        fill(page, field, value)
    page.get_by_role("button", name="Draw the digit").click()
    expect(page.get_by_role("heading", name="The second round")).to_be_focused()
    return shown_bytes(page)


def send_digit(page: Page) -> None:
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("The digit of the second round was received on")).to_be_visible()


@pytest.mark.parametrize("name", list(ENTERED))
def test_one_disguised_digit_leaves_the_page_whatever_the_design(name, site, models, context, page):
    ear, model, design = Ear(context), models[name], site.designs[name]
    open_round(page, site.address(name))
    page.locator(".mirror .experts summary").click()
    expect(page.get_by_text("With chance 73.11 % your true answer is sent")).to_be_visible()
    expect(page.get_by_text("Epsilon of this digit is 1.")).to_be_visible()
    before = len(ear.requests)
    bytes_shown = draw(page, ENTERED[name])
    assert len(ear.requests) == before
    answered = pd.DataFrame([ANSWERED[name]])
    right = int(model.predict(answered[list(model.columns_.names)])[0] == answered[TARGETS[name]][0])
    expect(page.get_by_text("You will see what was sent once it has arrived.")).to_be_visible()
    expect(page.get_by_text("What will be sent:")).to_have_count(0)
    expect(page.locator("#step table")).to_be_hidden()  # what chance did is for those who look behind the experts' link
    expect(page.locator("#step .bytes")).to_be_hidden()
    worked_out, told, sent = page.locator("#step table tbody td").all_text_contents()
    assert (worked_out[0], worked_out[3:-1]) == (str(right), ("no", "yes")[right])
    assert int(sent[0]) == (right if told == "your own answer" else 1 - right)
    assert told in ("your own answer", "the opposite of your answer")
    send_digit(page)
    expect(page.get_by_text(f"What was sent: {sent[0]}")).to_be_visible()
    (body,) = ear.sent("follow-ups")
    assert body == bytes_shown
    assert set(json.loads(body)) == {"id", "design", "model", "reported"}
    assert json.loads(body)["reported"] == int(sent[0])
    assert ear.sent("replies") == []
    for kept in (ear.heard(), stored(page)):
        assert "123456789" not in kept
    with site.store() as store:
        total, ones = store.follow_ups(design.fingerprint, store.state(design.fingerprint).model)
    assert (total, ones) == (1, int(sent[0]))


def test_the_digit_is_drawn_once(site, models, context, page):
    ear, before = Ear(context), site.rows("second round")
    open_round(page, site.address("second round"))
    first = draw(page, ENTERED["second round"])
    page.get_by_role("button", name="Not now").click()
    for _ in range(3):
        page.reload()
        assert page.locator("#follow-0-0").count() == 0
        page.get_by_role("button", name="See it").click()
        assert shown_bytes(page) == first
        assert page.get_by_text("Worked out here").count() == 0  # what was true is gone
        page.get_by_role("button", name="Not now").click()
    assert ear.sent("follow-ups") == []
    page.get_by_role("button", name="See it").click()
    send_digit(page)
    page.reload()
    expect(page.get_by_text("The digit of the second round was received on")).to_be_visible()
    assert page.locator("#follow-0-0").count() == 0
    assert ear.sent("follow-ups") == [first]
    assert site.rows("second round") == before


def test_those_who_reply_after_the_model_was_published_are_asked_at_once(site, models, page):
    page.goto(site.address("second round"))
    for place in (0, 1):
        fill(page, f"question-{place}", "no")
        fill(page, f"personal-{place}", "yes")
    disguise(page)
    send(page)
    page.reload()
    page.get_by_text("Second round: was the model right about you?").click()
    page.locator(".mirror .experts summary").click()
    expect(page.get_by_text(re.compile("A reply to this survey has epsilon .* together"))).to_be_visible()
    draw(page, ENTERED["second round"])
    send_digit(page)


def test_those_who_may_have_taught_it_are_asked_on_a_later_day(site, models, context):
    fingerprint = site.designs["second round"].fingerprint
    for days, model, offered in ((-1, {}, True), (0, {}, False), (1, {}, False), (0, {"model": "f" * 64}, False)):
        day = str(datetime.now(UTC).date() + timedelta(days=days))
        page = context.new_page()
        page.goto(f"{site.server.url}/health")
        receipt = json.dumps({"design": fingerprint, "day": day, "received": True, **model})
        page.evaluate("(entry) => localStorage.setItem(...entry)", [f"deniable/{fingerprint}/reply/receipt", receipt])
        page.goto(site.address("second round"))
        expect(page.get_by_role("heading", name="You have already answered")).to_be_visible()
        assert (page.get_by_text("Second round: was the model right").count() == 1) is offered
        assert (page.get_by_text("There is a second round, from tomorrow on").count() == 1) is not offered


def test_an_invitation_goes_with_the_second_round_too(site, models, context, page):
    ear, address = Ear(context), f"{site.address('invited round')}#invitation=TOKEN-round"
    page.goto(address)
    for place in (0, 1):
        fill(page, f"question-{place}", "no")
        fill(page, f"personal-{place}", "yes")
    disguise(page)
    send(page)
    page.goto(f"{site.server.url}/health")
    page.goto(site.address("invited round"))
    expect(page.get_by_text("Open the link of your invitation again")).to_be_visible()
    open_round(page, address)
    draw(page, ENTERED["second round"])
    send_digit(page)
    posts = [each for each in ear.requests if each.method == "POST"]
    assert [each.url.rpartition("/")[2] for each in posts] == ["invitations", "replies", "follow-ups"]
    assert {each.headers.get("invitation") for each in posts} == {"TOKEN-round"}
    assert "TOKEN" not in stored(page)


def test_a_device_gives_one_digit_whichever_models_are_published(site, models, page):
    name = "numbers round"
    open_round(page, site.address(name))
    first = json.loads(draw(page, ENTERED[name]))
    try:
        other = publish(site, name, models[name], 2.0)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text("it is about another model than the one that is tested now")).to_be_visible()
        open_round(page, site.address(name))  # nothing was received: the digit is drawn anew, for this model
        page.locator(".mirror .experts summary").click()
        expect(page.get_by_text("With chance 88.08 %")).to_be_visible()
        second = json.loads(draw(page, ENTERED[name]))
        assert (first["model"] != other, second["model"]) == (True, other)
        send_digit(page)
    finally:
        publish(site, name, models[name])
    page.reload()
    expect(page.get_by_text("The digit of the second round was received on")).to_be_visible()
    assert page.get_by_text("Second round: was the model right").count() == 0


def test_an_altered_lottery_is_not_drawn(site, models, page):
    """The model's hash covers the lottery: with another one there is neither a model nor a second round."""

    def alter(route):
        model = json.loads(route.fetch().text())
        model["round"]["channels"][0]["lottery"][0]["below"] += 1
        route.fulfill(body=json.dumps(model))

    page.route("**/model.json", alter)
    page.goto(site.address("second round"))
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert page.get_by_text("What would the model say").count() == page.get_by_text("Second round").count() == 0
