"""The wheel: every file that the site serves is in it, and building it twice gives the same bytes."""

import hashlib
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Two wheels of the same commit, built one after the other."""
    found = []
    for name in ("first", "second"):
        folder = tmp_path_factory.mktemp(name)
        dated = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run([*BUILD, str(folder), str(ROOT)], env=dated, check=True, capture_output=True)
        found += folder.glob("*.whl")
    return found


def test_the_same_commit_gives_the_same_bytes(wheels):
    first, second = (hashlib.sha256(path.read_bytes()).hexdigest() for path in wheels)
    assert first == second


def test_the_wheel_has_every_file_of_the_package(wheels):
    packed = set(zipfile.ZipFile(wheels[0]).namelist())
    tracked = subprocess.run(["git", "ls-files", "src/deniable"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert {name.removeprefix("src/") for name in tracked.stdout.split()} <= packed


def test_one_version_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {version} (" in (ROOT / "CHANGELOG.md").read_text()
