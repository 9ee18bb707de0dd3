"""What the commands say when all is well; how they treat files is told in test_replies_files.py."""

import csv
import json
import re
import subprocess
import sys
from html import escape
from math import ceil, log
from pathlib import Path

import pytest

from deniable.channel.design import Design

COMMANDS = ("new", "check", "privacy", "plan", "disguise", "estimate", "table", "demo")
ONE_QUESTION = """
[[question]]
name = "smokes"
answers = ["no", "yes"]
[[question]]
name = "region"
answers = ["north", "south"]
[[channel]]
scheme = "warner"
theta = 0.8
group = ["smokes"]
[[channel]]
scheme = "clear"
group = ["region"]
"""


@pytest.fixture
def replies(files):
    """The replies of the people, read back from the file."""
    with open("replies.csv", newline="") as file:
        return list(csv.DictReader(file))


def share(rows, **said):
    """The share of rows that say all this."""
    return sum(all(row[name] == word for name, word in said.items()) for row in rows) / len(rows)


def undone(reported):
    """Warner's estimate of a true share, theta being 0.8."""
    return pytest.approx((reported - 0.2) / 0.6, abs=1e-8)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(deniable, command):
    outcome = deniable(f"{command} --help")
    assert (outcome.code, outcome.err) == (0, "")
    assert f" {command} [OPTIONS]" in outcome.out


def test_without_a_command_all_are_listed(deniable):
    outcome = deniable("")
    assert (outcome.code, outcome.err) == (0, "")
    assert all(f"  {command}  " in outcome.out for command in COMMANDS)


def test_the_installed_script_keeps_figures_and_warnings_apart(files):
    Path("replies.csv").write_text(Path("replies.csv").read_text().replace("_design", "mark"))
    script = Path(sys.executable).with_name("deniable")
    line = [script, "estimate", "health.toml", "replies.csv", "region == 'NA'", "--json"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["value"] == pytest.approx(0.25)
    assert [line for line in done.stderr.splitlines() if ": warning: " in line] == [done.stderr.splitlines()[0]]


def test_check_names_questions_schemes_and_fingerprint(health, deniable):
    outcome = deniable("check health.toml")
    assert (outcome.code, outcome.err) == (0, "")
    words = ["smokes", "leave", "drinks", "age", "region", "warner", "k_ary", "gaussian", "clear"]
    assert all(word in outcome.out for word in [*words, Design.load("health.toml").fingerprint])


@pytest.mark.parametrize("title", ["[/b] at work", "[red] at work", "a [b] c"])
def test_square_brackets_in_a_title_are_shown(health, deniable, title):
    text = Path("health.toml").read_text().replace("Health at work", title)
    Path("health.toml").write_text(text)
    assert title in deniable("check health.toml").out


def test_square_brackets_in_a_name_are_shown(health, deniable):
    Path("health.toml").write_text(Path("health.toml").read_text().replace('"smokes"', '"smokes [now]"'))
    Path("people.csv").write_text(Path("people.csv").read_text().replace("smokes", "smokes [now]"))
    deniable("disguise health.toml people.csv -o replies.csv")
    assert "smokes [now]" in deniable('table health.toml replies.csv "smokes [now]"').out


def test_privacy_tells_epsilon_and_retention(tmp_path, deniable):
    (tmp_path / "one.toml").write_text(ONE_QUESTION)
    report = deniable(f"privacy {tmp_path / 'one.toml'} --json").json
    smokes, region = report["questions"]
    assert report["epsilon"] == region["epsilon"] == "infinity"  # a clear question cannot be denied
    assert report["epsilon_disguised"] == smokes["epsilon"] == ceil(log(4) * 1e6) / 1e6
    assert smokes["retention"] == pytest.approx(0.8)
    assert region["retention"] == 1


def test_privacy_keys(health, deniable):
    report = deniable("privacy health.toml --json").json
    assert list(report) == ["epsilon", "epsilon_disguised", "questions", "note"]
    assert [question["name"] for question in report["questions"]] == ["smokes", "leave", "drinks", "age", "region"]
    assert all({"name", "epsilon", "retention"} <= set(question) for question in report["questions"])
    assert report["questions"][3]["retention"] is None  # numbers have none


def test_privacy_speaks_to_respondents(health, deniable):
    outcome = deniable("privacy health.toml")
    assert (outcome.code, outcome.err) == (0, "")
    assert "you can deny it" in outcome.out
    assert "It cannot be denied" in outcome.out


def test_plan_knows_the_respondents_a_margin_needs(tmp_path, deniable):
    (tmp_path / "one.toml").write_text(ONE_QUESTION)
    plan = deniable(f"plan {tmp_path / 'one.toml'} --margin 0.02 --json").json
    needed = ceil(0.25 / 0.36 / (1 + 1e-9) * (1.959964 / 0.02) ** 2)  # a fair coin's variance, stretched by 1 / 0.6^2
    assert set(plan) == {"n", "margin", "theta", "epsilon", "question", "questions", "left_out", "note"}
    assert (plan["margin"], plan["theta"], plan["epsilon"]) == (0.02, 0.8, 1.386295)
    assert plan["n"] == needed


def test_plan_both_ways_agrees(health, deniable):
    needed = deniable("plan health.toml --margin 0.02 --json").json["n"]
    assert deniable(f"plan health.toml --replies {needed} --json").json["margin"] <= 0.02
    assert deniable(f"plan health.toml --replies {needed - 1} --json").json["margin"] > 0.02


def test_estimate_undoes_the_disguise(replies, deniable):
    (found,) = deniable("""estimate health.toml replies.csv "smokes == 'yes'" --json""").json
    assert list(found) == ["expression", "value", "stderr", "low", "high", "n", "method", "note"]
    assert (found["expression"], found["n"], found["method"]) == ("smokes == 'yes'", 120, "inverse")
    assert found["value"] == undone(share(replies, smokes="yes"))
    assert found["low"] < found["value"] < found["high"]


def test_estimate_given_looks_among_those_only(replies, deniable):
    north = [row for row in replies if row["region"] == "north"]
    line = """estimate health.toml replies.csv "smokes == 'yes'" --given "region == 'north'" --json"""
    assert deniable(line).json[0]["value"] == undone(share(north, smokes="yes"))


def test_estimates_come_in_the_order_asked(replies, deniable):
    found = deniable("""estimate health.toml replies.csv "age > 40" "region == 'NA'" --json""").json
    assert [each["expression"] for each in found] == ["age > 40", "region == 'NA'"]
    assert [each["method"] for each in found] == ["bayes", "inverse"]
    assert found[1]["value"] == pytest.approx(0.25)


def test_estimate_without_expression_lists_every_share(replies, deniable):
    found = {each["expression"]: each["value"] for each in deniable("estimate health.toml replies.csv --json").json}
    for name, answers in {"smokes": 2, "leave": 2, "drinks": 3, "region": 4}.items():
        shares = [value for text, value in found.items() if text.startswith(f"{name} == ")]
        assert len(shares) == answers
        assert sum(shares) == pytest.approx(1)
    assert sum(" <= age <" in text for text in found) == len(found) - 11 == 4  # a number is told in slices


def test_estimate_for_people_says_the_same(replies, deniable):
    outcome = deniable("""estimate health.toml replies.csv "smokes == 'yes'" """)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"{undone(share(replies, smokes='yes')).expected:.4f}" in outcome.out


def test_table_has_a_row_per_combination(replies, deniable):
    rows = deniable("table health.toml replies.csv smokes region --json").json
    assert list(rows[0]) == ["smokes", "region", "share", "stderr", "low", "high", "n", "note"]
    assert [(row["smokes"], row["region"]) for row in rows] == [
        (smokes, region) for smokes in ("no", "yes") for region in ("NA", "None", "null", "north")
    ]
    assert sum(row["share"] for row in rows) == pytest.approx(1)


@pytest.mark.parametrize(("percent", "within"), [("row", "smokes"), ("column", "region")])
def test_percentages_sum_to_one_within(replies, deniable, percent, within):
    rows = deniable(f"table health.toml replies.csv smokes region --percent {percent} --json").json
    for word in {row[within] for row in rows}:
        assert sum(row["share"] for row in rows if row[within] == word) == pytest.approx(1)


def test_a_column_percentage_is_a_share_given_the_column(replies, deniable):
    rows = deniable("table health.toml replies.csv smokes region --percent column --json").json
    given = deniable("""estimate health.toml replies.csv "smokes == 'yes'" --given "region == 'NA'" --json""").json
    [share] = [row["share"] for row in rows if (row["smokes"], row["region"]) == ("yes", "NA")]
    assert share == pytest.approx(given[0]["value"])


@pytest.mark.docs
def test_demo_tells_the_whole_story(tmp_path, deniable):
    out = tmp_path / "out"
    outcome = deniable(f"demo -o {out}")
    assert (outcome.code, outcome.err) == (0, "")
    assert {path.name for path in out.iterdir()} == {
        "survey.toml", "people.csv", "replies.csv", "tree.json", "index.html", "board.html"
    }  # fmt: skip
    assert all(word in outcome.out for word in ("truth", "reported", "estimate", "you can deny it"))
    assert deniable(f"check {out / 'survey.toml'}").code == 0
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "48,342 people of the Adult census" in page
    for title in (
        "In short",
        "What was asked",
        "What each",
        "Shares",
        "income by school",
        "A regression",
        "A decision tree",
        "What a clever collector",
        "What to try next",
    ):
        assert f"<h2>{title}" in page
    assert not re.search(r"\bnan\b|<script|https?://(?!www.w3.org)", page)
    with (out / "replies.csv").open() as file:
        sent = next(csv.DictReader(file))
    assert re.search(rf"<td[^>]*>{re.escape(escape(sent['income']))}</td>", page)


def test_the_package_runs_as_a_program():
    told = subprocess.run([sys.executable, "-m", "deniable", "--help"], check=True, capture_output=True, text=True)
    assert "Ask sensitive questions" in told.stdout
