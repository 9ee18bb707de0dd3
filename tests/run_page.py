"""Runs the blocks of one page in order, in one process: commands and programs of Python need not start anew each time.

Reads [language, title, text] of every block as JSON, and writes what each prints. Whatever is written to stderr fails.
"""

import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ENDED = "set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"


def python(text: str, names: dict[str, object]) -> str:
    """What a block of Python prints."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        exec(compile(text, "page", "exec"), names)
    assert not err.getvalue(), err.getvalue()
    return out.getvalue()


def commands(text: str) -> str:
    """What `deniable` commands print; each in a child, so that none sees what another left in memory."""
    from deniable.cli.main import run

    printed = []
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        assert words[0] == "deniable", line
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            if not (child := os.fork()):
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                run(words[1:])
            ended = os.waitpid(child, 0)[1]
            out.seek(0)
            err.seek(0)
            complaints = err.read().decode()
            assert not ended, f"{line}\n{complaints}"
            assert not complaints, f"{line}\n{complaints}"
            printed.append(out.read().decode())
    return "\n".join(part.strip("\n") for part in printed if part.strip())


def shell(program: list[str], text: str) -> str:
    """What a script prints."""
    told = subprocess.run([*program, text], capture_output=True, text=True, check=False)
    assert not told.returncode, f"{text}\n{told.stderr}"
    return told.stdout


def main() -> None:
    """All blocks of the page on stdin."""
    names: dict[str, object] = {"__name__": "page"}
    warnings.filterwarnings("ignore", module="pyspark")  # which warns of the newest pandas
    printed = []
    for language, title, text in json.load(sys.stdin):
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(text, encoding="utf-8")
        if language == "python":
            printed.append(python(text, names))
        elif language == "sh":
            printed.append(commands(text))
        elif language == "bash":
            printed.append(shell(["bash", "-c"], ENDED + text))
        elif language == "r":
            printed.append(shell(["Rscript", "--vanilla", "-e"], text))
        else:
            printed.append("")
    json.dump(printed, sys.stdout)


if __name__ == "__main__":
    main()
