"""Computed questions on the page: asked, worked out as in Python, and never sent."""

import json

import numpy as np
from playwright.sync_api import expect

import deniable as dn
from browser.family import node
from browser.visit import Ear, fill, stored

NUMBER = dn.number("x", -5, 5)
ITEM = dn.Question("item", ("a", "b", "c"), values=[-0.1, 0.2, 0.7])


def test_both_languages_work_out_alike(figure):
    rng = np.random.default_rng(2)
    given, expected = [], []
    for sign in (">=", ">", "<=", "<", "==", "!="):
        for _ in range(40):
            one, two, bound = (round(float(each), 2) for each in rng.normal(0, 2, 3))
            question = dn.computed("y", f"{one} * x + {two} * item {sign} {bound}")
            design = dn.Design([dn.warner(0.8, question)], unsent=[NUMBER, ITEM])
            cells, numbers = rng.integers(0, 3, 25), rng.uniform(-5, 5, 25)
            numbers[:5] = (bound - two * np.array(ITEM.values)[cells[:5]]) / (one or 1.0)  # at the bound, or beside it
            values = {"x": numbers, "item": np.array(ITEM.values)[cells]}
            given.append([design.to_json(), [list(row) for row in zip(numbers.tolist(), cells.tolist(), strict=True)]])
            expected.append([[int(each)] for each in question.formula.holds(values)])
    assert node("formulas.mjs", given=given) == expected
    figure("formulas worked out alike in both languages", sum(map(len, expected)))


def test_only_what_is_worked_out_leaves_the_page(site, context, page):
    ear, design = Ear(context), site.designs["computed"]
    before = site.rows("computed")
    page.goto(site.address("computed"))
    expect(page.get_by_text("Those answers are never sent and never kept.")).to_have_count(2)
    boxes = page.locator("section.computed .question")
    expect(boxes).to_have_count(5)  # the hours that both need are asked once
    for place, word in enumerate(["always", "often", "always", "some days"]):
        fill(page, f"question-0-{place}", word)
    fill(page, "question-0-4", 7.123456789)
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.get_by_role("heading", name="Ready to send")).to_be_visible()
    expect(page.locator("#step")).to_contain_text("Is your burden high?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    (sent,) = ear.sent()
    assert set(json.loads(sent)["answers"]) == {"burdened", "tired"} == set(design.columns)
    assert site.rows("computed") == before + 1
    for kept in (ear.heard(), stored(page)):
        assert "7.123456789" not in kept
        assert "123456789" not in kept


def test_what_is_lacking_is_said_beside_it(site, page):
    page.goto(site.address("computed"))
    page.get_by_role("button", name="Disguise my answers").click()
    expect(page.locator(".fault:not(:empty)")).to_have_count(5)
