"""What the page says about privacy is worked out from the lottery it draws, whatever else it is told."""

import json
import re
from itertools import product

import pytest
from playwright.sync_api import expect

import deniable as dn
from browser.family import designs, node
from browser.visit import Ear
from deniable.deniability.whole import beliefs
from laws.family import MEMBERS, some

CHANCES = (0.01, 0.25, 1 / 3, 0.5, 0.6, 0.8, 0.99)
FLATTERY = {"epsilon": 0.1, "epsilon_disguised": 0.1}


def promised():
    """The whole family under many chances, large groups among them."""
    found = {name: design for name, design in designs().items() if not design.versioned}
    for (name, member), p, q in product(MEMBERS.items(), CHANCES, (0.2, 0.7)):
        if channel := some(member, p, q):
            found[f"{name}, {p:g}, {q:g}"] = dn.Design([channel])
    asked = [dn.Question(f"q{place}", [f"a{each}" for each in range(2 + place)]) for place in range(5)]
    yes_no = [dn.yes_no(f"y{place}") for place in range(8)]
    found["a large k-ary group"] = dn.Design([dn.k_ary(0.4, *asked)])
    found["a large draw"] = dn.Design([dn.draw(0.7, *asked)])
    found["a large Warner group"] = dn.Design([dn.warner(0.8, *yes_no)])
    found["a large forced group"] = dn.Design([dn.forced(0.1, 0.3, *yes_no)])
    uneven = {question.name: [(place + 1) / (n * (n + 1) / 2) for place in range(n)] for question in asked
              for n in [len(question)]}  # fmt: skip
    found["uneven shares"] = dn.Design([dn.unrelated(0.6, *asked, chances=uneven)])
    joint = [(place + 1) / 378 for place in range(27)]
    three = [dn.Question(f"t{place}", list("abc")) for place in range(3)]
    found["joint shares of 27"] = dn.Design([dn.unrelated(0.6, *three, joint=joint)])
    found["many lotteries"] = dn.Design([dn.warner(0.6 + place / 40, each) for place, each in enumerate(yes_no[:8])])
    return found


def test_the_page_s_figures_are_those_of_the_library(figure):
    family = promised()
    told = node("promise.mjs", given=[design.to_json() for design in family.values()])
    infinite = 0
    for (name, design), found in zip(family.items(), told, strict=True):
        expected = dn.privacy(design).to_json()
        assert found["epsilon"] == expected["epsilon"], name
        infinite += found["epsilon"] == "infinity"
        for mine, theirs in zip(found["questions"], expected["questions"], strict=True):
            assert (mine["name"], mine["epsilon"]) == (theirs["name"], theirs["epsilon"]), name
            assert mine["together"] is bool(theirs["together"]), name
            channel = design.channel(mine["name"])
            if not channel.question(mine["name"]).is_number:
                ratio = beliefs(channel, mine["name"]).ratio
                assert float(mine["answer"]) == pytest.approx(ratio, rel=1e-6), name
            if mine["width"] is not None:
                assert mine["width"] == pytest.approx(theirs["interval"]["95 %"], rel=1e-12), name
    assert 0 < infinite < len(family)
    figure("designs whose figures are the same in both languages", len(family))


@pytest.mark.parametrize(
    ("theta", "shown"), [(0.8, "1.387: your whole reply is at most 4 times"), (0.99, "4.596: your whole reply is at")]
)
def test_no_figure_is_rounded_to_a_better_one(theta, shown):
    (told,) = node("promise.mjs", given=[dn.Design([dn.warner(theta, dn.yes_no("a"))]).to_json()])
    assert f"Epsilon is {shown}" in told["lines"]


def test_two_languages_agree_on_round_ratios():
    for ratio in (2, 4, 5, 25, 99, 100, 199, 999):
        (told,) = node("promise.mjs", given=[dn.Design([dn.warner(ratio / (ratio + 1), dn.yes_no("a"))]).to_json()])
        assert f"at most {ratio} times" in told["lines"]
        assert f"at most {ratio} times" in told["questions"][0]["denial"]


def test_cards_of_many_answers_are_told_in_one_sentence():
    """By hand: e / (1 + e) of a reply goes to 32 cards of one's own, the rest to 32 others; a small table is listed."""
    answers = [f"town {place}" for place in range(50)]
    many, few = (dn.Design([dn.hadamard(dn.epsilon(1), dn.Question("town", answers[:count]))]) for count in (50, 3))
    (told,), (listed,) = (each["promises"] for each in node("promise.mjs", given=[many.to_json(), few.to_json()]))
    assert "whatever it is, 32 with 2.285 % each and 32 with 0.8404 % each, of 64 possible reports" in told
    assert listed.count("if it is") == 3


def test_separate_and_joint_draws_are_compared_on_the_same_scale():
    """Eight draws of their own protect a whole reply less than one `draw` for all, and nothing says the opposite."""
    eight = [dn.yes_no(f"q{place}") for place in range(8)]
    designs = [dn.Design([dn.warner(0.8, each) for each in eight]), dn.Design([dn.draw(0.3, *eight)])]
    separate, joint = node("promise.mjs", given=[design.to_json() for design in designs])
    assert "at most 65,536 times" in separate["lines"]
    assert "at most 110.8 times" in joint["lines"]
    assert "which hardly protects it as a whole" in separate["lines"]
    assert all("at most 4 times" in each["denial"] for each in separate["questions"])
    assert all("at most 1.9 times" in each["denial"] for each in joint["questions"])
    assert all("share this draw, it is at most 110.8 times" in each["denial"] for each in joint["questions"])
    assert not any(each["weak"] or "protects you" in each["denial"] for each in joint["questions"])


def test_a_flattering_file_of_figures_changes_nothing(site, context, page):
    ear = Ear(context)

    def flatter(route):
        told = route.fetch().json()
        questions = [
            {**each, "epsilon": 0.1, "sentence": "Nobody can know.", "together": None} for each in told["questions"]
        ]
        route.fulfill(json={**told, **FLATTERY, "questions": questions})

    page.route("**/privacy.json", flatter)
    page.goto(site.address("weak"))
    expect(page.locator("#promise")).to_contain_text("Epsilon is 4.596: your whole reply is at most 99 times")
    assert "0.1" not in page.locator("main").inner_text()
    assert page.get_by_text("Nobody can know.").count() == 0
    assert not [each.url for each in ear.requests if "privacy" in each.url]


def test_a_flattering_single_file_changes_nothing(site, page, tmp_path):
    _, body = site.server.get(f"/survey/{site.designs['weak'].fingerprint}/offline.html")
    embedded = re.search(rb'id="embedded">(.*?)</script>', body, re.DOTALL)
    assert embedded is not None
    told = {**json.loads(embedded.group(1)), "privacy": {**FLATTERY, "questions": []}}
    flattering = body.replace(embedded.group(1), json.dumps(told).replace("<", "\\u003c").encode())
    (tmp_path / "survey.html").write_bytes(flattering)
    page.goto((tmp_path / "survey.html").as_uri())
    expect(page.locator("#promise")).to_contain_text("Epsilon is 4.596")


def test_a_design_with_other_chances_in_the_single_file_is_refused(site, page, tmp_path):
    _, body = site.server.get(f"/survey/{site.designs['weak'].fingerprint}/offline.html")
    weak, strong = (str(dn.warner(theta, dn.yes_no("a")).thresholds[0]).encode() for theta in (0.99, 0.55))
    assert weak in body
    (tmp_path / "survey.html").write_bytes(body.replace(weak, strong))
    page.goto((tmp_path / "survey.html").as_uri())
    expect(page.get_by_text("is not the one with this fingerprint")).to_be_visible()


UNSOUND = {
    "falling thresholds": [4294967296, 4294967296 // 2],
    "an open end": [3435973837, 4294967295],
    "a fraction": [3435973837.5, 4294967296],
    "a negative chance": [-1, 4294967296],
}


@pytest.mark.parametrize("below", UNSOUND.values(), ids=UNSOUND)
def test_a_lottery_that_is_none_is_refused(below):
    document = json.loads(dn.Design([dn.warner(0.8, dn.yes_no("a"))]).to_json())
    for instruction, threshold in zip(document["channels"][0]["lottery"], below, strict=True):
        instruction["below"] = threshold
    (told,) = node("promise.mjs", given=[json.dumps(document)])
    assert "is not sound" in told["refused"]


def test_a_harmless_question_in_place_of_an_opposite_is_refused():
    document = json.loads(dn.Design([dn.warner(0.8, dn.yes_no("a"))]).to_json())
    document["channels"][0]["personal"] = {"a": "Born before July?"}
    (told,) = node("promise.mjs", given=[json.dumps(document)])
    assert "is not sound" in told["refused"]


def test_weak_lotteries_say_so_beside_the_question(site, page):
    page.goto(site.address("badges"))
    page.locator("#question-0-0").wait_for()
    marks = page.locator(".mark")
    names = site.designs["badges"].names
    assert dict(zip(names, marks.all_inner_texts(), strict=True)) == {
        **dict.fromkeys(names, "Hardly disguised"),
        "ratio 4": "Disguised",
        "ratio 99": "Disguised",
        "clear": "Sent as it is",
    }
    for place in range(len(names)):
        expect(marks.nth(place)).to_be_visible()
    expect(page.locator("details .mark")).to_have_count(0)
    seen = page.locator(".question").nth(names.index("ratio 199"))
    expect(seen.get_by_text("Nearly everybody who sends what you send would truly say so.")).to_be_visible()
    expect(page.locator("#promise .experts")).to_contain_text("at most 199 times as likely")


def test_nothing_on_the_page_contradicts_what_is_sent(site, page):
    page.goto(site.address("own coin"))
    opening = page.locator("#promise .opening").inner_text()
    assert "stay in this browser" not in opening
    assert "this device changes some answers by chance. Nobody else is told which." in opening
    page.get_by_text("Figures for experts").click()
    expect(page.get_by_text("With chance 80 % your true answer is sent")).to_be_visible()
    assert "It may be your true answer" in page.locator("#promise").inner_text()
