"""`deniable page DESIGN --module -o deniable.js`: the page's disguise, for those who have a page of their own."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import say
from deniable.errors import BadFile, BadRequest
from deniable.frame.files import keep_apart
from deniable.web.module import disguise_module


def command(
    path: DesignFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    module: Annotated[bool, typer.Option("--module", help="Only the disguise, for a page of your own.")] = False,
) -> None:
    """Write what respondents' browsers run as one file, the same on any machine, and say its hash."""
    keep_apart(out, path)
    design = Design.load(path, check_text=False)
    if not module:
        raise BadRequest("page", "--module", "nothing", "add it")
    content = disguise_module(design).encode()
    try:
        out.write_bytes(content)
    except OSError as error:
        raise BadFile(out, f"cannot be written ({error.strerror})", "choose another place") from error
    say(f"{out}: disguises answers to {path}, SHA-256 {sha256(content).hexdigest()}")
