"""`deniable new DATA -o DESIGN.toml`: write a first design from a data file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deniable.cli.show import progress, say
from deniable.frame.files import keep_apart
from deniable.frame.suggest import suggest


class Cut(StrEnum):
    """Where a number is cut in two."""

    median = "median"
    midrange = "midrange"


def command(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A data file: csv, parquet or jsonl.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The design file to write.")],
    binary: Annotated[
        Cut | None, typer.Option(help="Cut every number in two, at its median or the middle of its range.")
    ] = None,
) -> None:
    """Write a first design from a data file: questions, answers, ranges and careful channels."""
    keep_apart(out, data)
    with progress("reading data") as bar:
        design, left_out = suggest(data, None if binary is None else binary.value, bar)
    design.save(out)
    say(f"{out}: {len(design.questions)} questions from {data}")
    for name, reason in left_out.items():
        say(f"left out: {name} ({reason})")
    for question in design.questions:
        if question.omit:
            say(f"may be left out: {question.name} (some did; that somebody did is visible)")
    say("Read it before you use it: answers and ranges are those of this data (round ranges before you publish them),")
    say("and wording is yours to write.")
