"""`deniable page DESIGN`: the respondents' page as one file, or its disguise for those who have a page of their own.

deniable page DESIGN --url https://survey.example.org -o page.html
deniable page DESIGN --module -o deniable.js
"""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import say
from deniable.errors import BadFile, BadRequest
from deniable.errors.written import not_written
from deniable.frame.files import keep_apart
from deniable.web.address import site_address
from deniable.web.module import disguise_module
from deniable.web.page import Published, offline_page


def command(
    path: DesignFile,
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    url: Annotated[
        str | None,
        typer.Option(help="The site that the page sends to: https://survey.example.org; DENIABLE_URL if left out."),
    ] = None,
    module: Annotated[bool, typer.Option("--module", help="Only the disguise, for a page of your own.")] = False,
) -> None:
    """Write what respondents' browsers run as one file, the same on any machine, and say its hash.

    With --url it is the very file that the site there hands out. DESIGN may also be the design.json of the site.
    """
    keep_apart(out, path)
    if not module:
        url = url or os.environ.get("DENIABLE_URL") or None
    if module == (url is not None):
        raise BadRequest("page", "one of --url and --module", "both" if module else "neither", "choose one")
    if url is not None:
        content, what = offline_page(_published(path), site_address(url)).encode(), f"asks what {path} asks"
    else:
        design = _published(path)
        content, what = disguise_module(design).encode(), f"disguises answers to survey {design.fingerprint[:16]}"
    try:
        out.write_bytes(content)
    except OSError as error:
        raise not_written(out, error) from error
    say(f"{out}: {what}, SHA-256 {sha256(content).hexdigest()}")


def _published(path: Path) -> Published:
    """The design in a file, as it is published: the text itself, where that was saved."""
    if path.suffix != ".json":
        return Published(Design.load(path, check_text=False).to_json())
    try:
        text = path.read_text(encoding="utf-8")
        known = {"questions", "channels"} <= set(json.loads(text))
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror})", "check the path") from error
    except (ValueError, TypeError):
        known = False
    if not known:
        raise BadFile(path, "is no published design", "take design.json from the site")
    return Published(text)
