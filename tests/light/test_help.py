"""`deniable --help` is quick, because no command is loaded to tell what it does."""

import resource
import subprocess
import sys
from importlib import import_module
from statistics import median

import pytest

import deniable
from deniable.cli.commands import COMMANDS, loaded
from deniable.cli.main import run

RUNS = 7
MAX = 2.0  # times the CPU time of importing numpy


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_commands_say(name):
    said = " ".join(import_module(f"deniable.cli.{name}").command.__doc__.split())
    line = COMMANDS[name]
    assert line.endswith(".")
    assert said == line or said.startswith(f"{line} ")
    assert loaded(name).name == name


def test_help_tells_all_commands_in_full(capsys):
    with pytest.raises(SystemExit):
        run(["--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {line}" in words for name, line in COMMANDS.items())


def test_a_command_loads_no_other():
    code = (
        "import sys\nfrom deniable.cli.main import run\n"
        "try: run(['new', '--help'])\nexcept SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('deniable.cli.')])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    names = {name.rpartition(".")[2] for name in eval(told.splitlines()[-1])}
    assert names & set(COMMANDS) == {"new"}


def test_a_misspelt_command_is_guessed(capsys):
    with pytest.raises(SystemExit):
        run(["tre"])
    assert capsys.readouterr().err == "deniable: No such command 'tre'. Did you mean 'tree'?\n"


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        run(["--version"])
    assert (stop.value.code, capsys.readouterr().out) == (0, f"deniable {deniable.__version__}\n")
    assert deniable.__version__[0].isdigit()


def cpu_seconds(*arguments):
    """What a fresh interpreter takes, its own start included; the median of some runs."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return median(once() for _ in range(RUNS))


def test_help_takes_at_most_twice_as_long_as_numpy(record_property):
    ratio = cpu_seconds("-m", "deniable", "--help") / cpu_seconds("-c", "import numpy")
    record_property("ratio", ratio)
    assert ratio <= MAX
