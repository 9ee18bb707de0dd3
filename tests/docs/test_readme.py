"""Everything the README shows works as shown."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import deniable as dn
from deniable.channel.files import READERS
from deniable.extras import EXTRAS

pytestmark = pytest.mark.xdist_group("readme")  # one after the other, in one folder
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

EXTRA = sorted(EXTRAS)
IN_ORDER = f"""
import json, os, sys
from importlib.machinery import PathFinder
class Plain(PathFinder):  # finds what a plain install has
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {EXTRA} else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Plain
from deniable.cli.main import run  # once: it takes longer than most commands
for words in json.load(sys.stdin):
    if not (child := os.fork()):
        run(words)  # ends the child; what one command leaves in memory, the next does not see
    if os.waitpid(child, 0)[1]:
        sys.exit(f"deniable {{' '.join(words)}} failed")
"""


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands of the README were run, one after the other, without any extra."""
    here = tmp_path_factory.mktemp("readme")
    commands = [shlex.split(line, comments=True) for line in "".join(blocks("sh")).splitlines()]
    assert {words[0] for words in commands} == {"deniable"}
    text = json.dumps([words[1:] for words in commands])
    told = subprocess.run(
        [sys.executable, "-c", IN_ORDER], input=text, cwd=here, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    return here


@pytest.mark.docs
def test_the_commands_run_in_order(folder):
    assert (folder / "first.toml").exists()
    assert (folder / "replies.csv").exists()


@pytest.mark.docs
def test_the_python_examples_run_in_order(folder):
    program = "\n".join(blocks("python"))
    told = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True)
    assert told.stdout.startswith(re.search(r"```\n(\d.* n = .*)\n```", README)[1])  # as the first lines show it


@pytest.mark.docs
def test_the_survey_is_served_and_answered(folder):
    (script,) = blocks("bash")
    with_its_end = f"set -eu\ntrap 'kill $(jobs -p)' EXIT\n{script}"
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    told = subprocess.run(
        ["bash", "-c", with_its_end], cwd=folder, env=os.environ | path, check=True, capture_output=True, text=True
    )
    assert "20,000 replies sent" in told.stdout


def test_the_design_file_is_read(tmp_path):
    versions, text = blocks("toml")
    (tmp_path / "health.toml").write_text(text)
    assert dn.Design.load(tmp_path / "health.toml").names == ["smokes", "leave", "age"]
    asked = "".join(
        f'[[question]]\nname = "{name}"\nanswers = ["no", "yes"]\n' for name in ("leave", "smokes", "drinks", "argues")
    )
    (tmp_path / "versions.toml").write_text(asked + versions)
    assert dn.Design.load(tmp_path / "versions.toml").columns[:2] == ["version", "arm"]


def test_the_table_of_schemes_is_complete():
    told = re.findall(r"^\| (`.*?`) \|", README, flags=re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"`(\w+)`", cell)} == set(READERS)
