"""Questions that not everybody is asked: refused where a reply would tell, and answered alike in two languages."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from browser.family import node
from deniable.deniability.linked import linked_questions
from deniable.device.disguise import not_asked
from deniable.device.vectors import vectors
from deniable.survey.skip import NOT_ASKED, condition, holds

SMOKES = dn.yes_no("smokes")
DRINKS = dn.Question("drinks", ("never", "weekly", "daily"), ordered=True)
AGE = dn.number("age", 18, 80)
OFTEN = ["few", "many"]


def design(ask_if: str, otherwise=None) -> dn.Design:
    """A question that is asked by others."""
    asked = dn.Question("asked", OFTEN, ask_if=ask_if, otherwise=otherwise)
    return dn.Design([dn.warner(0.8, SMOKES), dn.k_ary(0.7, DRINKS), dn.gaussian(AGE, sd=5), dn.k_ary(0.6, asked)])


RULES = {
    "smokes == 'yes'": [0, 1, 0, 1],
    "smokes != 'yes'": [1, 0, 1, 0],
    "drinks >= 'weekly'": [0, 1, 1, 1],
    "drinks in ('never', 'daily')": [1, 0, 1, 1],
    "drinks not in ('never', 'daily')": [0, 1, 0, 0],
    "age >= 40": [0, 0, 1, 0],
    "40 <= age": [0, 0, 1, 0],
    "age in (20, 60)": [1, 0, 1, 0],
    "smokes == 'yes' and not age < 60": [0, 0, 0, 1],
    "smokes == 'yes' or drinks == 'daily'": [0, 1, 1, 1],
}
PEOPLE = {
    "smokes": np.array([0, 1, 0, 1]),
    "drinks": np.array([0, 1, 2, 2]),
    "age": np.array([20.0, 30.0, 60.0, np.nan]),  # the last one left it out, and fulfils no comparison
}


@pytest.mark.parametrize("text", RULES)
def test_a_condition_means_what_it_says(text):
    made = design(text)
    rule = made.survey.rule(made.question("asked"))
    assert holds(rule, PEOPLE).astype(int).tolist() == RULES[text]


def test_who_is_not_asked_answers_what_the_design_says():
    """By hand, with lotteries that always tell the truth: nothing but the condition decides."""
    asked = dn.Question("asked", OFTEN, ask_if="smokes == 'yes'")
    later = dn.yes_no("later", ask_if="asked == 'many'", otherwise="yes")
    made = dn.Design([dn.warner(0.999999, SMOKES), dn.k_ary(0.999999, asked), dn.warner(0.999999, later)])
    people = pd.DataFrame({"smokes": ["no", "yes", "yes"], "asked": [None, "few", "many"], "later": ["no", None, "no"]})
    told = dn.disguise(made, people, seed=1)
    assert told["asked"].tolist() == [NOT_ASKED, "few", "many"]
    assert told["later"].tolist() == ["yes", "yes", "no"]
    assert asked.answers == (*OFTEN, NOT_ASKED)
    with pytest.raises(dn.DeniableError, match="missing values in 'asked'"):
        dn.disguise(made, people.assign(asked=[None, None, "many"]))


def test_questions_of_a_chain_are_linked_and_answered_alike_in_both_languages():
    asked = dn.Question("asked", OFTEN, ask_if="smokes == 'yes'")
    later = dn.yes_no("later", ask_if="asked == 'many'", otherwise="yes")
    last = dn.Question("last", OFTEN, ask_if="later == 'yes'")
    made = dn.Design([dn.warner(0.8, SMOKES), dn.k_ary(0.7, asked), dn.warner(0.8, later), dn.k_ary(0.7, last)])
    assert linked_questions(made) == [frozenset(made.names)]
    rows = [list(row) for row in product(range(2), repeat=4)]
    found = not_asked(made, {name: np.array([row[place] for row in rows]) for place, name in enumerate(made.names)})
    expected = [[found[name][row].item() for name in made.names] for row in range(len(rows))]
    assert node("skips.mjs", given=[[made.to_json(), rows]]) == [expected]
    assert [0, 2, 1, 0] in expected  # who does not smoke is asked the last one, since the others answer "yes" before it


def test_both_languages_answer_for_those_who_are_not_asked(figure):
    rng, given, expected = np.random.default_rng(3), [], []
    for text in RULES:
        made = design(text)
        cells = {"smokes": rng.integers(0, 2, 50), "drinks": rng.integers(0, 3, 50), "asked": rng.integers(0, 2, 50)}
        people = cells | {"age": np.round(rng.uniform(18, 80, 50), 1)}
        rows = [[people[name][row].item() for name in made.names] for row in range(50)]
        given.append([made.to_json(), rows])
        found = not_asked(made, people)
        expected.append([[found[name][row].item() for name in made.names] for row in range(50)])
    assert node("skips.mjs", given=given) == expected
    figure("answers of people who were not asked, alike in both languages", 50 * len(RULES))


def test_a_design_with_conditions_is_saved_and_read_as_it_was(tmp_path):
    made = design("smokes == 'yes' and age > 30", otherwise="few")
    made.save(tmp_path / "design.toml")
    read = dn.Design.load(tmp_path / "design.toml")
    assert (read, read.fingerprint) == (made, made.fingerprint)
    assert vectors(made, 20, 1)["reported"]


def test_all_that_the_page_says_is_within_the_fingerprint():
    plain = dn.Design([dn.warner(0.8, SMOKES)])
    others = [
        dn.Design([dn.warner(0.8, SMOKES)], text={"intro": "Why"}),
        dn.Design([dn.warner(0.8, SMOKES)], show_draw=True),
        dn.Design([dn.warner(0.8, SMOKES)], draw_order=True),
        dn.Design([dn.warner(0.8, SMOKES)], language="de"),
        dn.Design([dn.warner(0.8, SMOKES)], translation={"de": {"question": {"smokes": {"wording": "Rauchen Sie?"}}}}),
        *(
            dn.Design([dn.warner(0.8, dn.yes_no("smokes", **{key: "x"}))])
            for key in ("section", "help", "multiple", "matrix")
        ),
    ]
    assert len({each.fingerprint for each in [plain, *others]}) == len(others) + 1
    new = {"text", "translation", "show_draw", "draw_order", "language"}
    assert not new & set(json.loads(plain.to_json()))  # what is left at its default changes no old fingerprint


ASKED = dn.yes_no("asked", ask_if="smokes == 'yes'", otherwise="no")
REFUSED = {
    "in the clear": (lambda: [dn.warner(0.8, SMOKES), dn.clear(ASKED)], "would tell what 'smokes' hides"),
    "always the opposite": (lambda: [dn.warner(0.8, SMOKES), dn.warner(0.0, ASKED)], "would tell what 'smokes' hides"),
    "drawn by hand": (
        lambda: [dn.warner(0.8, SMOKES), dn.warner(0.8, ASKED, drawn_by="respondent")],
        "respondents draw for it themselves",
    ),
    "decided by hand": (
        lambda: [dn.warner(0.8, SMOKES, drawn_by="respondent"), dn.warner(0.8, ASKED)],
        "the device does not know it",
    ),
    "asked of some": (
        lambda: [dn.versions({"a": dn.warner(0.8, SMOKES), "b": dn.warner(0.8, DRINKS_NO)}), dn.warner(0.8, ASKED)],
        "only some versions ask",
    ),
    "later": (lambda: [dn.warner(0.8, ASKED), dn.warner(0.8, SMOKES)], "not asked before it"),
    "no such answer": (
        lambda: [dn.warner(0.8, SMOKES), dn.warner(0.8, dn.yes_no("x", ask_if="smokes == 'maybe'", otherwise="no"))],
        "'maybe', which 'smokes' does not have",
    ),
    "no order": (
        lambda: [dn.warner(0.8, SMOKES), dn.warner(0.8, dn.yes_no("x", ask_if="smokes > 'no'", otherwise="no"))],
        "have no order",
    ),
    "three answers": (
        lambda: [dn.warner(0.8, SMOKES), dn.warner(0.8, dn.yes_no("x", ask_if="smokes == 'yes'"))],
        "warner cannot disguise question 'x'.*write otherwise = \"no\"",
    ),
    "three answers, two chances": (
        lambda: [
            dn.warner(0.8, SMOKES),
            dn.unrelated(0.8, dn.yes_no("x", ask_if="smokes == 'yes'"), chances=[0.5, 0.5]),
        ],
        'write otherwise = "no"',
    ),
    "a number without another": (
        lambda: [dn.gaussian(dn.number("x", 0, 9, ask_if="smokes == 'yes'"), sd=1)],
        "otherwise = 0",
    ),
    "everybody": (lambda: [dn.warner(0.8, dn.yes_no("x", otherwise="no"))], "asked of everybody"),
    "nonsense": (lambda: [dn.warner(0.8, dn.yes_no("x", ask_if="smokes ="))], "a condition on earlier answers"),
}
DRINKS_NO = dn.yes_no("drinks")


@pytest.mark.parametrize(("channels", "words"), REFUSED.values(), ids=REFUSED)
def test_what_would_tell_who_was_asked_is_refused(channels, words):
    with pytest.raises(dn.DeniableError, match=words):
        dn.Design(channels())


def test_in_the_clear_one_may_be_asked_by_what_is_in_the_clear():
    assert dn.Design([dn.clear(SMOKES, ASKED)]).names == ["smokes", "asked"]
    assert condition("`a b` == 'x'").names == ["a b"]


TABLES = {
    "[text]\nintor = 'x'": "no key 'intor'",
    "[translation.Deutsch]\ntitle = 'x'": "is no language",
    "[translation.en]\ntitle = 'x'": "the design's own language",
    "[translation.de.question.nobody]\nwording = 'x'": "'nobody'",
    "[translation.de.question.smokes]\nanswers = ['ja']": "1 answers in 'de', not 2",
    "[translation.de]\ntitle = 'a\u202eb'": "which nobody sees",
}


@pytest.mark.parametrize(("table", "words"), TABLES.items())
def test_wrong_words_are_refused_in_one_line(tmp_path, table, words):
    path = tmp_path / "design.toml"
    asked = "[[question]]\nname = 'smokes'\nanswers = ['no', 'yes']\n[[channel]]\nscheme = 'warner'\ntheta = 0.8\n"
    path.write_text(f"{table}\n{asked}group = ['smokes']\n", encoding="utf-8")
    with pytest.raises(dn.DeniableError, match=words):
        dn.Design.load(path)
