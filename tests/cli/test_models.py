"""Trees on the command line: grown from disguised replies, scored on them, applied to true answers."""

import csv
import html
import re
from pathlib import Path

import pytest


def test_a_tree_is_grown_saved_scored_and_applied(survey, deniable):
    grown = deniable("tree health.toml replies.csv -o tree.json")
    assert grown.code == 0
    assert "left out" not in grown.out
    assert "a tree by the method 'local'" in grown.out  # it takes numbers under noise, and held-out replies prefer it
    assert "smokes is yes: yes" in grown.out
    disguised = deniable("score health.toml tree.json replies.csv --json").json
    assert set(disguised) == {"accuracy", "confusion", "note"}
    assert disguised["note"] == disguised["accuracy"]["note"]
    assert set(disguised["accuracy"]) == {"value", "stderr", "low", "high", "n", "note"}
    assert set(disguised["confusion"][0]) == {"true", "predicted", "share", "stderr", "low", "high", "n", "note"}
    true = deniable("score health.toml tree.json people.csv --true --json").json
    gap = disguised["accuracy"]["value"] - true["accuracy"]["value"]
    assert abs(gap) < 0.05
    assert deniable("predict tree.json people.csv -o told.csv").code == 0
    rows = list(csv.DictReader(Path("told.csv").read_text().splitlines()))
    assert list(rows[0]) == ["prediction", "p_no", "p_yes"]
    assert len(rows) == 20_000


def test_replies_are_not_taken_for_true_answers(survey, deniable):
    """Disguised twice, or scored as they stand, they would give figures without a word; their mark tells."""
    assert deniable("bayes health.toml replies.csv -o bayes.json --method inverse").code == 0
    commands = ["score health.toml bayes.json replies.csv --true", "predict bayes.json replies.csv -o told.csv",
                "disguise health.toml replies.csv -o again.csv"]  # fmt: skip
    for line in commands:
        refused = deniable(line)
        assert refused.code == 2
        assert "replies.csv: holds disguised replies (its column _design says so); give the true answers" in refused.err
    assert not Path("told.csv").exists()
    assert not Path("again.csv").exists()


def test_a_tree_is_drawn_on_a_page_that_needs_no_other_file(survey, deniable):
    grown = deniable("tree health.toml replies.csv -o tree.json --html tree.html --method pairs")
    assert grown.code == 0
    assert "tree.html: the tree as a picture" in grown.out
    page = Path("tree.html").read_text(encoding="utf-8")
    assert "<h1>Health at work</h1>" in page
    assert "from 20,000 replies" in page
    assert not re.findall(r"<script|<link|<img|@import|url\(|src=|https?:(?!//www.w3.org/2000/svg)", page)
    assert html.unescape(page.split("<pre>")[1].split("</pre>")[0]) in grown.out.replace("\r", "")
    assert re.search(r"smokes is yes: \w+ \(\d+% of about [\d,]+ ± [\d,]+ people\)", grown.out)


@pytest.mark.parametrize("options", ["", "--smoothing none", "--method pairs", "--target smokes"])
def test_naive_bayes_is_learnt_saved_scored_and_drawn(survey, deniable, options):
    learnt = deniable(f"bayes health.toml replies.csv -o bayes.json --html bayes.html {options}")
    assert learnt.code == 0
    assert "speaks for" in learnt.out
    assert "disguised replies" in Path("bayes.html").read_text(encoding="utf-8")
    if "target" not in options:
        accuracy = deniable("score health.toml bayes.json replies.csv --json").json["accuracy"]["value"]
        true = deniable("score health.toml bayes.json people.csv --true --json").json["accuracy"]["value"]
        assert abs(accuracy - true) < 0.05
    assert deniable("predict bayes.json people.csv -o told.csv").code == 0


@pytest.mark.parametrize(
    "options", ["--criterion gini", "--method none", "--faithful --max-depth 2", "--target smokes"]
)
def test_trees_take_options(survey, deniable, options):
    assert deniable(f"tree health.toml replies.csv -o tree.json {options}").code == 0


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("tree health.toml replies.csv -o tree.json --target age", "the target must be a question with answers"),
        ("tree health.toml replies.csv -o tree.json --target nobody", "no question 'nobody'"),
        ("tree health.toml replies.csv -o tree.json --method magic", "method must be one of"),
        ("tree health.toml replies.csv -o tree.json --html nowhere/tree.html", "nowhere/tree.html: cannot be written"),
        ("tree health.toml replies.csv -o tree.json --html .", ".: cannot be written (Is a directory)"),
        ("tree health.toml replies.csv -o tree.json --html replies.csv", "replies.csv: would overwrite what is read"),
        ("tree health.toml replies.csv -o tree.json --html tree.json", "tree.json: would overwrite the model"),
        ("tree health.toml replies.csv -o replies.csv", "replies.csv: would overwrite what is read"),
        ('regress health.toml replies.csv "leave ~ smokes" --html replies.csv', "would overwrite what is read"),
        ("reconstruct health.toml replies.csv age --html replies.csv", "replies.csv: would overwrite what is read"),
        ("rules health.toml replies.csv --html health.toml", "health.toml: would overwrite what is read"),
        ("bayes health.toml replies.csv -o bayes.json --method magic", "method must be one of"),
        ("bayes health.toml replies.csv -o bayes.json --html bayes.json", "bayes.json: would overwrite the model"),
        ("privacy health.toml --prior smokes=many", "--prior must be a question and shares"),
        ("privacy health.toml --prior smoks=0.5,0.5", "no question 'smoks'"),
        ("privacy health.toml --prior smokes=0.5,0.5,0.5", "the prior of smokes must be 2 shares"),
        ("score health.toml health.toml replies.csv", "is not a JSON file"),
        ("predict nothing.json people.csv -o told.csv", "cannot be read"),
    ],
)
def test_what_cannot_be_learnt_or_read_is_refused(survey, deniable, command, complaint):
    assert deniable(command).refuses(complaint)
