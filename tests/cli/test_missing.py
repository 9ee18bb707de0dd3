"""Commands on files of replies that lack cells: each counts those that answer what it needs, and says how many."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

COUNT = 4_000
NEEDED = {  # a command, and the questions that it needs
    "estimate health.toml {} \"smokes == 'yes'\" --given \"leave == 'yes'\"": ["smokes", "leave"],
    "table health.toml {} smokes drinks": ["smokes", "drinks"],
    "reconstruct health.toml {} age": ["age"],
    "rules health.toml {} --min-support 0.05 --min-confidence 0.4": ["smokes", "leave", "drinks"],
    "tree health.toml {} -o model.json --method inverse": ["smokes", "drinks", "leave"],
    "bayes health.toml {} -o model.json": ["smokes", "drinks", "age", "leave"],
    "score health.toml tree.json {}": ["smokes", "leave"],
}
every_command = pytest.mark.parametrize(("command", "needed"), NEEDED.items(), ids=[each.split()[0] for each in NEEDED])


@pytest.fixture
def gappy(survey, deniable, monkeypatch):
    """Replies of which some lack a cell, in every kind of file."""
    monkeypatch.setenv("COLUMNS", "250")
    assert deniable("tree health.toml replies.csv -o tree.json --method inverse --max-depth 1").code == 0
    replies = pd.read_csv("replies.csv")[:COUNT]
    rng = np.random.default_rng(1)
    for name in ("smokes", "leave", "drinks", "age"):
        replies.loc[rng.random(len(replies)) < 0.01, name] = None
    replies.to_csv("gappy.csv", index=False)
    return replies


def complete(replies, needed):
    """A file of the replies that lack nothing of this, and how many others there are."""
    lacking = replies[needed].isna().any(axis=1)
    replies[~lacking].to_csv("complete.csv", index=False)
    return lacking.sum()


def figures(outcome, note):
    """What a command said, but for the note."""
    assert (outcome.code, outcome.err) in ((0, ""), (0, "deniable: note: left out age: it is a number under noise\n"))
    return [
        " ".join(line.replace(f"({note})", "").replace(f"; {note}", "").replace(note, "").split())
        for line in outcome.out.splitlines()
    ]


@every_command
def test_a_command_counts_the_replies_that_answer_what_it_needs(gappy, deniable, command, needed):
    lacking = complete(gappy, needed)
    found, expected = deniable(command.format("gappy.csv")), deniable(command.format("complete.csv"))
    names = [name for name in ("smokes", "leave", "drinks", "age") if name in needed]
    start, end = (
        f"rests on {COUNT - lacking:,} of {COUNT:,} replies: {lacking} lack ",
        "; they may differ from the rest",
    )
    assert start in found.out
    said = found.out[found.out.index(start) + len(start) :].split(end)[0]
    assert sorted(said.replace(" or ", ", ").split(", ")) == sorted(names)
    told = [line for line in figures(found, f"{start}{said}{end}") if line and set(line) != {"─"}]
    assert told == [line for line in figures(expected, "no note") if line and set(line) != {"─"}]


@every_command
def test_the_old_way_refuses_them_with_their_number(gappy, deniable, command, needed):
    outcome = deniable(command.format("gappy.csv") + " --missing refuse")
    first = f"'{needed[0]}' ({gappy[needed[0]].isna().sum()})"
    assert outcome.refuses("missing values in ", first, "fill or drop these rows")


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_every_share_counts_its_own_replies_in_every_kind_of_file(gappy, deniable, kind):
    if kind == "parquet":
        gappy.to_parquet("gappy.parquet", row_group_size=1000)
    if kind == "jsonl":
        rows = [{key: value for key, value in row.items() if value == value} for row in gappy.to_dict("records")]
        Path("gappy.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = deniable(f"estimate health.toml gappy.{kind}").out.splitlines()
    for each in deniable(f"estimate health.toml gappy.{kind} --json").json:
        (name,) = [name for name in ("smokes", "leave", "drinks", "age") if name in each["expression"]]
        lacking = gappy[name].isna().sum()
        assert each["n"] == COUNT - lacking
        note = (
            f"rests on {COUNT - lacking:,} of {COUNT:,} replies: {lacking} lack {name}; they may differ from the rest"
        )
        assert [line for line in shown if each["expression"] in line and line.rstrip().endswith(note)], each


def test_a_question_that_nobody_answers_leaves_the_others_alone(gappy, deniable):
    gappy.assign(smokes=None).to_csv("empty.csv", index=False)
    shares = {each["expression"]: each for each in deniable("estimate health.toml empty.csv --json").json}
    assert (shares["smokes == 'yes'"]["n"], shares["smokes == 'yes'"]["high"]) == (0, 1)
    assert "no reply answers it" in deniable("estimate health.toml empty.csv").out
    whole = {each["expression"]: each for each in deniable("estimate health.toml gappy.csv --json").json}
    assert shares["leave == 'yes'"] == whole["leave == 'yes'"]
    said = ["none of the 4,000 replies answers smokes: missing values in 'smokes' (4000)", "leave a question out"]
    assert deniable("estimate health.toml empty.csv \"smokes == 'yes'\"").refuses(*said)
    gappy.assign(smokes=None, leave=None, drinks=None, age=None).to_csv("empty.csv", index=False)
    assert deniable("estimate health.toml empty.csv").refuses(*said)
