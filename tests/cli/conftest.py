"""A small survey on health at work, the people who answer it, and a way to run commands on them."""

import csv
import json
import shlex
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable.cli.demo import sent
from deniable.cli.main import run
from deniable.demo.samples import made_up

DESIGN = """
title = "Health at work"
target = "leave"

[[question]]
name = "smokes"
answers = ["no", "yes"]

[[question]]
name = "leave"
answers = ["no", "yes"]

[[question]]
name = "drinks"
answers = ["never", "weekly", "daily"]
ordered = true

[[question]]
name = "age"
range = [18, 80]
integer = true

[[question]]
name = "region"
answers = ["NA", "None", "null", "north"]

[[channel]]
scheme = "warner"
theta = 0.8
group = ["smokes", "leave"]

[[channel]]
scheme = "k_ary"
theta = 0.7
group = ["drinks"]

[[channel]]
scheme = "gaussian"
privacy = 0.5
group = ["age"]

[[channel]]
scheme = "clear"
group = ["region"]
"""
PEOPLE = [
    {
        "id": f"p{index}",  # columns in another order than the design's, and one that is no question
        "region": ["NA", "None", "null", "north"][index % 4],
        "age": 18 + 5 * index % 63,
        "drinks": ["never", "weekly", "daily"][index % 3],
        "leave": "yes" if index % 5 == 0 else "no",
        "smokes": "yes" if index % 3 == 0 else "no",
    }
    for index in range(120)
]


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as strict JSON: NaN and Infinity are none."""
        return json.loads(self.out, parse_constant=_not_json)

    def refuses(self, *message: str) -> bool:
        """Whether it ended with the exit code 2 and one line on stderr that says all this, and nothing else."""
        assert (self.code, self.out) == (2, ""), self
        assert len(self.err.splitlines()) == 1, self.err
        assert self.err.startswith("deniable: ")
        assert [part for part in message if part not in self.err] == [], self.err
        return True


def _not_json(word):
    raise AssertionError(f"{word} is not JSON")


@pytest.fixture
def deniable(capsys):
    """Runs a command as the shell would: `deniable("check health.toml")`."""

    def command(line: str) -> Outcome:
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            with pytest.raises(SystemExit) as end:
                run(shlex.split(line))
        return Outcome(end.value.code, *capsys.readouterr())

    return command


@pytest.fixture
def health(tmp_path, monkeypatch) -> Path:
    """The working folder: health.toml, people.csv and a key file."""
    (tmp_path / "health.toml").write_text(DESIGN)
    (tmp_path / "key").write_text("5a" * 32 + "\n")
    (tmp_path / "key").chmod(0o600)
    with open(tmp_path / "people.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, PEOPLE[0])
        writer.writeheader()
        writer.writerows(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def files(health, deniable) -> Path:
    """The working folder, with the people's replies in replies.csv."""
    assert deniable("disguise health.toml people.csv -o replies.csv --seed 7").code == 0
    return health


@pytest.fixture(scope="session")
def made_up_files(tmp_path_factory):
    """The made-up people of the demo, their survey and their replies."""
    here = tmp_path_factory.mktemp("made_up")
    sent(made_up(np.random.default_rng(2003)), here, seed=7)
    (here / "survey.toml").rename(here / "health.toml")
    return here


@pytest.fixture
def survey(made_up_files, tmp_path, monkeypatch):
    """The same in a folder of its own, where commands are run."""
    shutil.copytree(made_up_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
