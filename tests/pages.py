"""Pages of the documentation as programs: their code, run in order in one folder, and what it prints.

    python      runs; all such blocks of a page share their names       sh     `deniable` commands, one after the other
    bash        a shell script; what it starts is ended with it         r      a program for R
    ... title="name"   is written to a file of that name first, and is not run unless it is a program of the page
    text, json  right below a program: exactly what it prints

`python tests/pages.py PAGE ...` runs pages and writes what their programs print into them.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNNER = Path(__file__).with_name("run_page.py")
FENCE = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^\1```$", flags=re.DOTALL | re.MULTILINE)
PROGRAMS = {"python", "sh", "bash", "r"}
OUTPUTS = {"text", "json"}
FILES = {"toml", "csv", "nginx", "ini", "js", "html"}  # shown, or written where they have a title
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    language: str
    title: str  # the file that it is, if any
    text: str
    start: int  # of the text, in the page
    end: int
    output: "Block | None" = None  # what it prints, as the page has it


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, outputs with the programs that print them."""
    found: list[Block] = []
    above = 0
    for match in FENCE.finditer(page):
        title = TITLE.search(match[3])
        block = Block(match[2], title[1] if title else "", match[4], match.start(4), match.end(4))
        if block.language in OUTPUTS and found and not page[above : match.start()].strip():
            found[-1] = replace(found[-1], output=block)
        else:
            found.append(block)
        above = match.end()
    return found


def run(blocks: list[Block], folder: Path) -> list[str]:
    """What each block prints, in this folder."""
    jobs = [[block.language, block.title, block.text] for block in blocks]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    around = os.environ | {"COLUMNS": "100", "PATH": path, "OMP_NUM_THREADS": "1", "NO_COLOR": "1"}
    told = subprocess.run(
        [sys.executable, RUNNER], input=json.dumps(jobs), cwd=folder, env=around, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if told.returncode:
        raise AssertionError(told.stderr)
    return [tidy(output) for output in json.loads(told.stdout)]


def tidy(output: str) -> str:
    """An output without the blanks at the ends of lines and around it."""
    lines = [line.rstrip() for line in output.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def refreshed(page: str, folder: Path) -> str:
    """The page with what its programs print today."""
    blocks = blocks_of(page)
    printed = run(blocks, folder)
    for block, output in reversed(list(zip(blocks, printed, strict=True))):
        if block.output is not None:
            page = page[: block.output.start] + output + page[block.output.end :]
    return page


TUTORIAL = ROOT / "docs/tutorial.md"


def main(names: list[str]) -> None:
    """Refresh pages, in a folder in which the tutorial was run."""
    with tempfile.TemporaryDirectory() as name:
        kept = os.environ.get("DENIABLE_TUTORIAL")  # a folder that an earlier run has left
        folder = Path(kept or name)
        if not (folder / "replies.csv").exists():
            TUTORIAL.write_text(refreshed(TUTORIAL.read_text(encoding="utf-8"), folder), encoding="utf-8")
        for path in [Path(each) for each in names if Path(each).resolve() != TUTORIAL]:
            path.write_text(refreshed(path.read_text(encoding="utf-8"), folder), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
