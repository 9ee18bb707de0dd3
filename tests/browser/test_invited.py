"""Invited respondents: the invitation is traded for a blind signature, and the reply comes without it (check 18)."""

import json
import re

import pandas as pd
import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.family import node
from browser.surveys import LATE, PILLS
from browser.visit import Ear, disguise, fill, send, shown_bytes, stored
from browsing import violations
from deniable.collect.places import open_store
from deniable.collect.second_round import lottery_of, with_lottery
from deniable.learn.model import text_of
from serving import held_by_0_1, serving

DESIGN = dn.Design([dn.warner(0.8, LATE), dn.warner(0.75, PILLS)], title="Signed for", target="late")
WORDS = [f"TOKEN-{place}-signed" for place in range(12)]


class Invited:
    """A site whose people were invited before it opened."""

    def __init__(self, server, store, design):
        self.server, self.open, self.design = server, store, design
        self.address = f"{server.url}/survey/{design.fingerprint}"
        self._words = iter(WORDS)

    def word(self):
        return next(self._words)

    def rows(self):
        with self.open() as store:
            return store.count(self.design.fingerprint)


@pytest.fixture(scope="module")
def invited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("invited")
    url = f"sqlite:///{folder}/replies.db"
    DESIGN.save(folder / "design.toml")
    with open_store(url) as store:
        design = store.issue(DESIGN)
        store.invite(design.fingerprint, WORDS)
    with serving([folder / "design.toml"], url, folder) as server:
        yield Invited(server, lambda: open_store(url), design)


def answer(page):
    fill(page, "question-0", "yes")
    fill(page, "question-1", "no")
    return disguise(page)


def posts(ear):
    return [each for each in ear.requests if each.method == "POST"]


def test_the_reply_comes_with_a_signature_and_without_the_invitation(invited, context, page):
    ear, word, before = Ear(context), invited.word(), invited.rows()
    page.goto(f"{invited.address}#invitation={word}")
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    kept = stored(page)
    assert word not in kept + page.url
    assert '"inverse' not in kept.replace("\\", "")  # the blinding factor is forgotten as soon as it has served
    shown = answer(page)
    send(page)
    traded, reply = posts(ear)
    assert json.loads(traded.post_data)["invitation"] == word
    assert json.loads(shown)["id"] not in str(traded.post_data)
    assert word not in f"{reply.headers} {reply.url} {reply.post_data}"
    assert set(reply.headers) & {"invitation", "signature"} == {"signature"}
    assert invited.rows() == before + 1
    left = stored(page)
    assert json.loads(shown)["id"] not in left
    assert "/pass" not in left


def test_a_lost_answer_is_asked_for_again_with_the_same(invited, context, page):
    ear, word = Ear(context), invited.word()
    page.route("**/signatures", lambda route: route.fetch() and route.abort())  # signed, and the answer is lost
    page.goto(f"{invited.address}#invitation={word}")
    expect(page.get_by_text("Your invitation is tried again")).to_be_visible()
    page.unroute("**/signatures")
    page.reload()
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert len({each.post_data for each in posts(ear)}) == 1
    shown = answer(page)
    page.reload()
    assert shown_bytes(page) == shown
    send(page)


def test_an_invitation_that_was_used_elsewhere_is_told_before_the_questions(invited, browser):
    word = invited.word()
    for expected in ("The questions", "Your invitation"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{invited.address}#invitation={word}")
        expect(page.get_by_role("heading", name=expected)).to_be_visible()
        if expected == "Your invitation":
            expect(page.locator(".refused")).to_contain_text("it was used before")
            assert page.locator("input").count() == 0
            page.goto(f"{invited.server.url}/health")
            page.goto(f"{invited.address}#invitation={invited.word()}")  # another one, on the same device
            expect(page.get_by_role("heading", name="The questions")).to_be_visible()
        context.close()


def test_a_corrected_link_in_the_same_tab_is_taken(invited, page):
    page.goto(f"{invited.address}#invitation=mistyped")
    expect(page.locator(".refused")).to_contain_text("does not know this invitation")
    page.goto(f"{invited.address}#invitation={invited.word()}")
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()


def test_without_an_invitation_nothing_is_asked(invited, page):
    page.goto(invited.address)
    expect(page.get_by_role("heading", name="By invitation")).to_be_visible()
    assert page.locator("input").count() == 0


def test_axe_finds_nothing_at_the_invitation(invited, page, axe):
    page.goto(f"{invited.address}#invitation=none")
    expect(page.locator(".refused")).to_be_visible()
    assert violations(page, axe, "light") == []


def test_a_signature_by_another_key_is_not_taken(invited, context, page):
    """A site that signs one person's ids by another key would know them again."""
    ear, word = Ear(context), invited.word()

    def other(route):
        answer = route.fetch().json()
        route.fulfill(json={"signature": answer["signature"][:-1] + ("0" if answer["signature"][-1] != "0" else "1")})

    page.route("**/signatures", other)
    page.goto(f"{invited.address}#invitation={word}")
    expect(page.locator(".refused")).to_contain_text("does not fit the published key")
    assert [each.url.rpartition("/")[2] for each in posts(ear)] == ["signatures"]


@pytest.mark.parametrize("alone", [False, True], ids=["served", "as one file"])
def test_a_reply_may_wait_for_a_random_while_after_the_trade(invited, context, page, tmp_path, alone):
    ear, before, word = Ear(context), invited.rows(), invited.word()
    page.clock.install()
    if alone:
        path = f"/survey/{invited.design.fingerprint}/offline.html"
        (tmp_path / "survey.html").write_bytes(invited.server.get(path)[1])
        page.goto((tmp_path / "survey.html").as_uri())
    else:
        page.goto(f"{invited.address}#invitation={word}")
    answer(page)
    if alone:
        page.get_by_label("Invitation, or its link").fill(f"{invited.address}#invitation={word}")
    page.get_by_label("Wait a random while before sending").check()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("at a random moment within the next ten minutes")).to_be_visible()
    assert [each.url.rpartition("/")[2] for each in posts(ear)] == ["signatures"]  # traded, and nothing sent yet
    assert invited.rows() == before
    page.clock.fast_forward("10:00")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert invited.rows() == before + 1


def test_random_whiles_fill_the_ten_minutes():
    whiles = node("waits.mjs", given=2_000)
    assert 0 <= min(whiles) < 3_000
    assert 597_000 < max(whiles) <= 600_000
    assert abs(sum(whiles) / len(whiles) - 300_000) < 5 * 600_000 / (12 * 2_000) ** 0.5


def test_the_single_file_trades_just_before_it_sends(invited, context, page, tmp_path):
    ear, before, word = Ear(context), invited.rows(), invited.word()
    path = f"/survey/{invited.design.fingerprint}/offline.html"
    (tmp_path / "survey.html").write_bytes(invited.server.get(path)[1])
    page.goto((tmp_path / "survey.html").as_uri())
    answer(page)
    assert posts(ear) == []
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("by invitation only")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    page.get_by_label("Invitation, or its link").fill(f"{invited.address}#invitation={word}")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [each.url.rpartition("/")[2] for each in posts(ear)] == ["signatures", "replies"]
    assert invited.rows() == before + 1


def test_the_second_round_has_a_trade_of_its_own(invited, context, page):
    ear, word = Ear(context), invited.word()
    people = {"late": ["yes", "yes", "yes", "no"] * 1000, "pills": ["yes", "yes", "no", "no"] * 1000}
    replies = dn.disguise(invited.design, pd.DataFrame(people), seed=1)
    model = dn.NaiveBayes(invited.design).fit(replies[["pills"]], replies["late"])
    with invited.open() as store:
        digest = store.publish(invited.design.fingerprint, with_lottery(text_of(model), lottery_of(1)))
    page.goto(f"{invited.address}#invitation={word}")
    answer(page)
    send(page)
    page.get_by_text("Second round: was the model right about you?").click()
    fill(page, "follow-0", "yes")
    fill(page, "follow-1", "yes")
    page.get_by_role("button", name="Draw the digit").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("The digit of the second round was received on")).to_be_visible()
    made = [each for each in posts(ear) if each.url.endswith("signatures")]
    assert [json.loads(each.post_data)["round"] for each in made] == ["reply", "follow-up"]
    last = posts(ear)[-1]
    assert word not in f"{last.headers} {last.post_data}"
    with invited.open() as store:
        assert store.follow_ups(invited.design.fingerprint, digest)[0] == 1
        store.publish(invited.design.fingerprint, None)
    assert re.search("TOKEN", stored(page)) is None


# ---------------------------------------------------------------- looked at first, and spent later


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The same on a device that people share."""
    folder = tmp_path_factory.mktemp("shared")
    url = f"sqlite:///{folder}/replies.db"
    DESIGN.save(folder / "design.toml")
    with open_store(url) as store:
        design = store.issue(DESIGN)
        store.invite(design.fingerprint, WORDS)
    with serving([folder / "design.toml"], url, folder, "--kiosk") as server:
        yield Invited(server, lambda: open_store(url), design)


def test_a_shared_device_spends_an_invitation_when_it_sends(shared, context, page):
    """Whoever reloads the page there has lost everything but the invitation."""
    ear, word = Ear(context), shared.word()
    for _ in range(2):
        page.goto("about:blank")
        page.goto(f"{shared.address}#invitation={word}")
        expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert [each.url.rpartition("/")[2] for each in posts(ear)] == ["invitations"] * 2
    answer(page)
    send(page)
    assert [each.url.rpartition("/")[2] for each in posts(ear)][2:] == ["signatures", "replies"]
    page.goto("about:blank")
    page.goto(f"{shared.address}#invitation={word}")
    expect(page.locator(".refused")).to_contain_text("does not know this invitation")


@pytest.fixture(scope="module")
def keyless(tmp_path_factory):
    """A survey that opened without keys, as those of version 0.1 did."""
    folder = tmp_path_factory.mktemp("keyless")
    url = f"sqlite:///{folder}/replies.db"
    held_by_0_1(DESIGN, url)
    DESIGN.save(folder / "design.toml")
    with open_store(url) as store:
        store.invite(DESIGN.fingerprint, WORDS)
    with serving([folder / "design.toml"], url, folder) as server:
        yield Invited(server, lambda: open_store(url), DESIGN)


def test_invitations_of_0_1_are_looked_at_before_the_questions(keyless, browser):
    word = keyless.word()
    for outcome in ("The questions", "Your invitation"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{keyless.address}#invitation={word}")
        expect(page.get_by_role("heading", name=outcome)).to_be_visible()
        if outcome == "The questions":
            answer(page)
            send(page)
        else:
            expect(page.locator(".refused")).to_contain_text("does not know this invitation")
        context.close()
    assert keyless.rows() == 1
