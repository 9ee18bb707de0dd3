"""What is imported: nothing that is not declared, and nothing before it is needed."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import deniable
from deniable.extras import EXTRAS

ROOT = Path(__file__).parents[2]
SOURCE = Path(deniable.__file__).parent
DRIVERS = ("psycopg", "apsw", "starlette", "uvicorn", "altair", "jinja2", "pandas", "sklearn", "duckdb", "msgspec")
BLOCKED = "import sys\nfor name in {names}: sys.modules[name] = None\n"


def requirements(extra=None):
    """The distributions that a plain install, or an extra, asks for; extras of our own are followed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    found = set()
    for line in lines:
        name = re.match(r"[\w.-]+", line)[0]
        if name != "deniable":
            found.add(name.lower())
            continue
        for other in re.search(r"\[(.*)\]", line)[1].split(","):
            found |= requirements(other)
    return found


def imported(path):
    """The packages that a module names in its imports, wherever they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).partition(".")[0]


def outside():
    """Every package from elsewhere that ours imports, with one module that does."""
    found = {name: path for path in sorted(SOURCE.rglob("*.py")) for name in imported(path)}
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names | {"deniable"}}


def test_every_import_is_declared_in_the_extra_that_is_named():
    known = packages_distributions()
    for package, path in outside().items():
        declared = requirements(EXTRAS.get(package))
        brings = {name.lower() for name in known[package]}
        assert brings & declared, f"{path.name} imports {package}, which {EXTRAS.get(package, 'nothing')} declares"


def test_extras_bring_what_they_say():
    assert set(EXTRAS.values()) == {"site", "postgres", "spark", "survey", "charts", "demo", "papers"}
    assert requirements("site") | requirements("postgres") < requirements("survey")
    assert requirements("charts") | requirements("demo") < requirements("papers")
    assert {"httptools", "anyio", "markupsafe"} < requirements("site")
    assert not requirements() & (requirements("papers") | requirements("survey"))


def run(code, *blocked):
    """A fresh interpreter in which some packages are not installed."""
    program = BLOCKED.format(names=list(blocked)) + code
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import deniable", (*DRIVERS, "numpy", "scipy", "pyarrow", "narwhals", "typer")),
        ("import deniable as dn; dn.Design([dn.warner(0.8, dn.yes_no('smokes'))])", (*DRIVERS, "scipy", "pyarrow")),
        ("import deniable as dn; dn.estimate", DRIVERS),
        (
            "import deniable as dn, pyarrow as pa\ndesign = dn.Design([dn.warner(0.8, dn.yes_no('smokes'))])\n"
            "dn.estimate(design, pa.table({'smokes': ['yes', 'no']}), \"smokes == 'yes'\")",
            tuple(name for name in DRIVERS if name != "pandas"),  # which pyarrow loads
        ),
        ("import deniable.cli.main", (*DRIVERS, "numpy", "scipy", "pyarrow", "narwhals")),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(code, heavy):
    told = run(f"{code}\nprint([name for name in {heavy} if name in sys.modules])")
    assert (told.stdout, told.stderr) == ("[]\n", "")


MISSING = {
    "serve x.toml": "serve needs the package uvicorn; pip install 'deniable[site]'",
    "serve --help": "serve needs the package uvicorn; pip install 'deniable[site]'",
    "admin": "admin needs the package argon2; pip install 'deniable[site]'",
    "invite DESIGN --count 1 --store sqlite:///STORE": "a SQLite store needs the package apsw; "
    "pip install 'deniable[site]'",
    "estimate DESIGN sqlite:///STORE": "a SQLite store needs the package apsw; pip install 'deniable[site]'",
    "estimate DESIGN postgresql://host/name": "a PostgreSQL store needs the package psycopg; "
    "pip install 'deniable[postgres]'",
    "papers du-zhan": "papers needs the package pandas; pip install 'deniable[papers]'",
    "demo": "demo needs the package pandas; pip install 'deniable[demo]', or add --made-up",
    "regress DESIGN REPLIES smokes~1": "regress needs the package formulaic; pip install 'deniable[survey]'",
    "reconstruct DESIGN REPLIES smokes --html PAGE": "--html needs the package altair; pip install 'deniable[charts]'",
}


def test_without_extras_estimates_work_and_all_else_names_its_extra_in_one_line(tmp_path):
    design, store, replies = tmp_path / "design.toml", tmp_path / "store.sqlite", tmp_path / "replies.csv"
    deniable.Design([deniable.warner(0.8, deniable.yes_no("smokes"))]).save(design)
    store.touch()
    replies.write_text("smokes\n" + "yes\nno\n" * 1000)
    names = {"DESIGN": design, "STORE": store, "REPLIES": replies, "PAGE": tmp_path / "page.html"}
    commands = ["estimate DESIGN REPLIES --json", *MISSING]
    for name, path in names.items():
        commands = [command.replace(name, str(path)) for command in commands]
    code = f"""
from deniable.cli.main import run
for command in {commands}:
    try: run(command.split())
    except SystemExit as stop: print(stop.code, [name for name in {DRIVERS} if sys.modules.get(name)])
"""
    told = run(code, *EXTRAS)
    unmarked, *refused = told.stderr.splitlines()
    assert "does not say under which design" in unmarked
    assert [line for line in refused if "(no column _design)" not in line] == [
        f"deniable: {line}" for line in MISSING.values()
    ]
    assert re.search(r'"value": 0\.(5|4999)', told.stdout)
    codes = re.findall(r"^(\d) (.*)$", told.stdout, re.MULTILINE)
    assert codes[0][0] == "0"
    assert [code for code, _ in codes[1:]] == ["2"] * len(MISSING)
    assert eval(codes[0][1]) in ([], ["duckdb"])


def test_a_missing_extra_is_one_line_in_python():
    told = run("import deniable as dn\ntry: dn.papers\nexcept dn.DeniableError as error: print(error)", "pandas")
    assert told.stdout == "dn.papers needs the package pandas; pip install 'deniable[papers]'\n"


def test_a_fault_of_our_own_is_not_taken_for_a_missing_extra():
    told = run("from deniable.extras import needed_for\nwith needed_for('x'): import no_such_package")
    assert "ModuleNotFoundError: No module named 'no_such_package'" in told.stderr
