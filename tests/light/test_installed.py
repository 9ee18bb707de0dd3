"""A plain install in an empty environment: built, installed and used. Run apart: pytest -m installed"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ["numpy", "scipy", "pyarrow", "narwhals", "sklearn", "cryptography", "duckdb", "typer", "rich"]
OTHERS = ["pandas", "starlette", "uvicorn", "apsw", "psycopg", "jinja2", "altair", "argon2", "msgspec"]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
SURVEY = """
demo --made-up --out demo
new demo/people.csv -o first.toml
check first.toml --json
privacy first.toml
plan first.toml --margin 0.02
disguise first.toml demo/people.csv -o replies.csv
estimate first.toml replies.csv
tree first.toml replies.csv --target leave -o tree.json --html tree.html
bayes first.toml replies.csv --target leave -o bayes.json
predict tree.json demo/people.csv -o predictions.parquet
score first.toml tree.json replies.csv
score first.toml bayes.json replies.csv
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A fresh environment with our wheel and what it depends on; its folder."""
    folder = tmp_path_factory.mktemp("plain")
    subprocess.run([*PIP, "wheel", "--no-deps", "-w", str(folder), str(ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*PIP, "--python", str(folder / "venv"), "install", "--no-compile", str(wheel)], check=True)
    return folder


def run(folder, *arguments):
    """A program of the fresh environment, which sees nothing of this one."""
    alone = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    program, *rest = arguments
    line = [str(folder / "venv" / "bin" / program), *rest]
    return subprocess.run(line, cwd=folder, env=alone, capture_output=True, text=True, check=False)


@pytest.mark.installed
def test_types_ship(plain):
    (wheel,) = plain.glob("*.whl")
    assert "deniable/py.typed" in zipfile.ZipFile(wheel).namelist()


@pytest.mark.installed
def test_a_plain_install_has_the_library_and_nothing_else(plain):
    find = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    assert run(plain, "python", "-c", find, *LIBRARY, *OTHERS).stdout == f"{LIBRARY}\n"


@pytest.mark.installed
def test_a_plain_install_estimates_learns_predicts_and_scores(plain):
    for line in SURVEY.strip().splitlines():
        told = run(plain, "deniable", *line.split())
        assert (told.returncode, told.stderr) == (0, ""), line
        assert told.stdout
