"""`deniable codebook DESIGN -o BOOK.html|md`: what was asked, how it was disguised, how to analyse it."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import say
from deniable.frame.files import keep_apart
from deniable.report.codebook import write_codebook


def command(
    path: DesignFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="The codebook to write: .html or .md.")],
) -> None:
    """Write a codebook: questions, answers, their disguise, and how to analyse the replies."""
    keep_apart(out, path)
    write_codebook(Design.load(path, check_text=False), out, path.name)
    say(f"{out}: the codebook of {path}")
