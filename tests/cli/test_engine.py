"""`--engine`: one option of all commands that take replies, refused where it makes no sense (Spark: tests/spark)."""

import inspect
import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.commands import COMMANDS, loaded
from deniable.cli.main import run

TRUE_ANSWERS = {"new", "plan", "advise", "disguise", "predict", "simulate"}
WITHOUT = {"check", "codebook", "privacy", "serve", "admin", "invite"}


def takes_an_engine(name):
    return {"engine", "master"} <= {parameter.name for parameter in loaded(name).params}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"papers", "demo"}))
def test_every_command_that_takes_replies_or_true_answers_has_the_option(name):
    command = __import__(f"deniable.cli.{name}", fromlist=["command"]).command
    parameters = inspect.signature(command).parameters
    replies = "replies" in parameters and parameters["replies"].default is inspect.Parameter.empty
    assert takes_an_engine(name) == (replies or name in TRUE_ANSWERS)
    assert not (name in WITHOUT and takes_an_engine(name))


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["estimate", "d.toml", "r.csv", "--master", "local"], "add --engine spark"),
        (["tree", "d.toml", "sqlite:///s", "-o", "t", "--engine", "spark"], "left out for a store"),
        (["predict", "m.json", "sqlite:///s", "-o", "p", "--engine", "spark"], "give a file"),
        (["disguise", "d.toml", "p.csv", "-o", "r.csv", "--master", "local"], "add --engine spark"),
        (["new", "p.csv", "-o", "d.toml", "--master", "local"], "add --engine spark"),
        (["new", "form.xlsx", "-o", "d.toml", "--engine", "spark"], "left out for an XLSForm"),
        (["simulate", "d.toml", "reply.json", "--url", "http://x", "--engine", "spark"], "a reply that a page saved"),
        (["simulate", "d.toml", "sqlite:///s", "--url", "http://x", "--engine", "spark"], "give a file"),
        (["mean", "d.toml", "r.csv", "age", "--engine", "hadoop"], "hadoop"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_in_one_line(words, refusal, capsys):
    with pytest.raises(SystemExit) as ended:
        run(words)
    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert refusal in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", ["plan", "advise"])
@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--engine", "spark"], "--engine must be given with --pilot, which it reads"),
        (["--pilot", "p.csv", "--master", "local"], "add --engine spark"),
        (["--pilot", "sqlite:///s", "--engine", "spark"], "--pilot must be true answers in files"),
    ],
)
def test_an_engine_is_for_a_pilot(name, words, refusal, capsys, tmp_path):
    dn.Design([dn.warner(0.8, dn.yes_no("a"))]).save(tmp_path / "d.toml")
    with pytest.raises(SystemExit) as ended:
        run([name, str(tmp_path / "d.toml"), *words])
    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert refusal in err
    assert len(err.splitlines()) == 1


def test_numbers_beside_the_questions_of_a_pilot_are_numbers(tmp_path, capsys):
    """In csv and jsonl every value is a word; a regression takes those that are all numbers for numbers."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 100, 300)
    people = pd.DataFrame({"leave": np.where(rng.random(300) < x / 100, "yes", "no"), "x": x})
    design = dn.Design([dn.warner(0.9, dn.yes_no("leave"))])
    design.save(tmp_path / "d.toml")
    people.to_csv(tmp_path / "p.csv", index=False)
    people.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    wanted = dn.plan(design, pilot=people, formula="leave ~ x", replies=1_000).to_json()
    for path in ("p.csv", "p.jsonl"):
        words = ["--pilot", str(tmp_path / path), "--formula", "leave ~ x", "--replies", "1000", "--json"]
        with pytest.raises(SystemExit) as ended:
            run(["plan", str(tmp_path / "d.toml"), *words])
        assert ended.value.code == 0
        assert json.loads(capsys.readouterr().out) == wanted
