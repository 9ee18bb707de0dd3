"""`deniable invite DESIGN --count N`: one-use invitations, as links to send to people."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, StoreUrl
from deniable.cli.show import complain
from deniable.collect.invitation import link, new_invitation
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import BadFile
from deniable.web.address import site_address

MAX = 1_000_000
LINKED = (
    "this survey opened without keys, so its invitations go with the replies, and whoever reads the database's files "
    "can link the two; for the next survey, invite before it opens"
)


def command(
    path: DesignFile,
    count: Annotated[int, typer.Option(min=1, max=MAX, help="How many people to invite.")],
    store: StoreUrl = DEFAULT,
    url: Annotated[
        str, typer.Option(envvar="DENIABLE_URL", help="How respondents reach the site.")
    ] = "http://127.0.0.1:8000",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="A new file that only you can read.")] = None,
) -> None:
    """Make one-use invitations: one link per line. The store keeps only hashes, so they are shown this once.

    The first come before the survey opens: they make its keys, which are part of the design that is published.
    """
    url, design = site_address(url), Design.load(path, check_text=False)
    made = [new_invitation() for _ in range(count)]
    with open_store(store) as opened:
        design = opened.issue(design)
        lines = "".join(f"{link(url, design.fingerprint, each)}\n" for each in made)
        with _written_down(lines, out):
            opened.invite(design.fingerprint, made)
    if design.issuer is None:
        complain(f"deniable: warning: {LINKED}")
    if out is not None:
        complain(f"{out}: {count:,} invitations; only invited people can reply from now on")


@contextmanager
def _written_down(lines: str, out: Path | None) -> Iterator[None]:
    """Write lines down, whole, before anything relies on them; if that fails in turn, no file is left behind."""
    if out is None:
        _print(lines)
        yield
        return
    file = _new_file(out)
    try:
        _write(file, lines, out)
        yield
    except BaseException:
        out.unlink(missing_ok=True)
        raise


def _print(lines: str) -> None:
    try:
        print(lines, end="", flush=True)  # noqa: T201
    except OSError as error:
        raise BadFile("the output", f"was not taken ({error.strerror})", "nobody is invited, try again") from error


def _write(file: int, lines: str, path: Path) -> None:
    try:
        with os.fdopen(file, "w", encoding="utf-8") as written:
            written.write(lines)
            written.flush()
            os.fsync(file)
    except OSError as error:
        raise BadFile(path, f"cannot be written ({error.strerror})", "nobody is invited, try again") from error


def _new_file(path: Path) -> int:
    """A file that is new and private from its first byte on."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BadFile(path, "is there already", "choose another file") from None
    except OSError as error:
        raise BadFile(path, f"cannot be written ({error.strerror})", "choose another place") from error
