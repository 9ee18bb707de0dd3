"""Everything the README shows works as shown."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import deniable as dn
from deniable.channel.files import READERS

pytestmark = pytest.mark.xdist_group("readme")  # one after the other, in one folder
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the commands of the README were run, one after the other."""
    here = tmp_path_factory.mktemp("readme")
    program = str(Path(sys.executable).with_name("deniable"))
    for line in "".join(blocks("sh")).splitlines():
        words = shlex.split(line, comments=True)
        assert words[0] == "deniable"
        subprocess.run([program, *words[1:]], cwd=here, check=True, capture_output=True)
    return here


def test_the_commands_run_in_order(folder):
    assert (folder / "first.toml").exists()
    assert (folder / "replies.csv").exists()


def test_the_python_examples_run_in_order(folder):
    program = "\n".join(blocks("python"))
    told = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True)
    assert "95 % interval" in told.stdout


def test_the_survey_is_served_and_answered(folder):
    (script,) = blocks("bash")
    with_its_end = f"set -eu\ntrap 'kill $(jobs -p)' EXIT\n{script}"
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    told = subprocess.run(
        ["bash", "-c", with_its_end], cwd=folder, env=os.environ | path, check=True, capture_output=True, text=True
    )
    assert "20,000 replies sent" in told.stdout


def test_the_design_file_is_read(tmp_path):
    (text,) = blocks("toml")
    (tmp_path / "health.toml").write_text(text)
    assert dn.Design.load(tmp_path / "health.toml").names == ["smokes", "leave", "age"]


def test_the_table_of_schemes_is_complete():
    told = re.findall(r"^\| (`.*?`) \|", README, flags=re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"`(\w+)`", cell)} == set(READERS)
