"""`--engine`: one option of all commands that take replies, refused where it makes no sense (Spark: tests/spark)."""

import inspect

import pytest

from deniable.cli.commands import COMMANDS, loaded
from deniable.cli.main import run

WITHOUT = {"new", "check", "codebook", "privacy", "plan", "advise", "serve", "admin", "invite", "simulate"}


def takes_an_engine(name):
    return {"engine", "master"} <= {parameter.name for parameter in loaded(name).params}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"papers", "demo"}))
def test_every_command_that_takes_replies_or_true_answers_has_the_option(name):
    command = __import__(f"deniable.cli.{name}", fromlist=["command"]).command
    parameters = inspect.signature(command).parameters
    replies = "replies" in parameters and parameters["replies"].default is inspect.Parameter.empty
    assert takes_an_engine(name) == (replies or name in ("disguise", "predict"))
    assert not (name in WITHOUT and takes_an_engine(name))


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["estimate", "d.toml", "r.csv", "--master", "local"], "add --engine spark"),
        (["tree", "d.toml", "sqlite:///s", "-o", "t", "--engine", "spark"], "left out for a store"),
        (["predict", "m.json", "sqlite:///s", "-o", "p", "--engine", "spark"], "give a file"),
        (["disguise", "d.toml", "p.csv", "-o", "r.csv", "--master", "local"], "add --engine spark"),
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
