"""Association rules on the command line."""

from math import inf, nan

import pytest

from deniable.report.rules import documents

RULES = "rules health.toml replies.csv"


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """A terminal wide enough for a rule on one line."""
    monkeypatch.setenv("COLUMNS", "200")


def test_rules_are_told_the_surest_first_and_what_was_left_out(survey, deniable):
    told = deniable(f"{RULES} --min-support 0.05 --min-confidence 0.4")
    assert told.code == 0
    assert told.err == "deniable: note: left out age: it is a number under noise\n"
    assert "leave=yes -> smokes=yes" in told.out
    assert "borderline" in told.out
    assert "rules of the true answers, estimated from 20,000 replies" in told.out
    found = [float(line.split("±")[1][-6:]) for line in told.out.splitlines() if line.count("±") == 3]
    assert found == sorted(found, reverse=True)
    lifts = deniable(f"{RULES} --min-support 0.05 --min-confidence 0.4 --sort lift").out
    assert lifts.index("leave=yes -> smokes=yes") < lifts.index("smokes=no -> leave=no")


def test_json_tells_all_rules_with_standard_errors(survey, deniable):
    rules = deniable(f"{RULES} --min-support 0.05 --min-confidence 0.3 --json").json
    (rule,) = [each for each in rules if (each["antecedents"], each["consequents"]) == (["leave=yes"], ["smokes=yes"])]
    estimate = deniable("estimate health.toml replies.csv \"smokes == 'yes'\" --given \"leave == 'yes'\" --json").json[
        0
    ]
    assert (rule["confidence"], rule["confidence_stderr"]) == pytest.approx((estimate["value"], estimate["stderr"]))
    assert {"support_stderr", "lift_stderr", "leverage_stderr", "borderline"} <= set(rule)
    assert all(len(each["antecedents"]) + len(each["consequents"]) <= 3 for each in rules)
    pairs = deniable(f"{RULES} --min-support 0.05 --min-confidence 0.3 --max-length 2 --json").json
    assert pairs == [each for each in rules if len(each["antecedents"] + each["consequents"]) == 2]


def test_what_is_not_finite_is_null_in_json():
    rule = {
        "antecedents": [frozenset({"b=yes", "a=yes"})],
        "conviction": [inf],
        "conviction_stderr": [nan],
        "lift": [2.0],
    }
    told = {"antecedents": ["a=yes", "b=yes"], "conviction": None, "conviction_stderr": None, "lift": 2.0}
    assert documents(rule) == [told]


def test_a_page_holds_the_rules_and_needs_nothing_else(survey, deniable):
    assert deniable(f"{RULES} --html rules.html --item smokes --item leave=yes --min-confidence 0.4").err == ""
    page = (survey / "rules.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "leave=yes -&gt; smokes=" in page
    assert "<script" not in page
    assert "drinks" not in page


def test_at_most_fifty_rules_are_shown(survey, deniable):
    every = f"{RULES} --min-support 0.001 --min-confidence 0"
    told = deniable(every)
    assert len(deniable(f"{every} --json").json) > 50
    assert sum(line.count("±") == 3 for line in told.out.splitlines()) == 50
    assert told.out.splitlines()[-1] == "the first 50 are shown; --json tells all"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--min-support 0", "min_support must be above 0 and at most 1, got 0.0"),
        ("--min-support nan", "min_support must be above 0 and at most 1, got nan"),
        ("--min-confidence 1.5", "min_confidence must be from 0 to 1, got 1.5"),
        ("--max-length 0", "max_length must be a whole number from 1 to 20, got 0"),
        ("--item smoke=yes", "no item 'smoke=yes' here; did you mean 'smokes=yes'?"),
        ("--item age", "the answers to 'age' cannot be items: it is a number under noise"),
        ("--html no/rules.html", "no/rules.html: cannot be written"),
    ],
)
def test_what_cannot_be_mined_is_refused_in_one_line(files, deniable, options, message):
    assert deniable(f"{RULES} {options}").refuses(message)
