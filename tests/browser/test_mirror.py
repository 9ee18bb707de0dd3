"""The model goes back to the respondent: it is applied on the device, and no request is made."""

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.visit import Ear, fill, stored
from deniable.collect.second_round import named
from deniable.learn.model import text_of


@pytest.fixture(scope="module")
def published(site) -> None:
    """A model, without a second round."""
    rng = np.random.default_rng(4)
    free, late = rng.uniform(0, 9000, 800), rng.random(800)
    people = pd.DataFrame(
        {
            "free": free,
            "late": np.where(late < 0.8 * free / 9000, "yes", "no"),
            "pills": np.where(free > 2000, "yes", "no"),
        }
    )
    design = site.designs["model"]
    replies = dn.disguise(design, people, seed=1)
    model = dn.TreeClassifier(design).fit(replies.drop(columns="late"), replies["late"])
    with site.store() as store:
        store.publish(design.fingerprint, named(text_of(model), "Spring"))


def test_the_model_is_applied_without_any_request(site, published, context, page, figure):
    ear = Ear(context)
    page.goto(site.address("model"))
    page.get_by_text("What would the model “Spring” say about you?").click()
    before = len(ear.requests)
    assert page.locator("[id^='mirror-1']").count() == 0  # the tree does not ask about pills, nor does the page
    for number, expected in ((8765.4321, "yes"), (12.3456789, "no")):
        fill(page, "mirror-0", number)
        page.get_by_role("button", name="Ask the model").click()
        expect(page.locator(".said strong")).to_have_text(expected)
        expect(page.get_by_text("Nothing was sent")).to_be_visible()
        assert "3456789" not in stored(page)
    figure("requests while the model is applied", len(ear.requests) - before)
    assert len(ear.requests) == before
    page.reload()
    expect(page.locator("#mirror-0")).to_have_value("")
    assert page.get_by_text("Second round").count() == 0  # the model has no lottery for a digit


def test_another_model_than_the_one_named_is_not_applied(site, published, page):
    page.route("**/model.json", lambda route: route.fulfill(body=route.fetch().text() + " "))
    page.goto(site.address("model"))
    expect(page.get_by_role("heading", name="The questions")).to_be_visible()
    assert page.get_by_text("What would the model").count() == 0
