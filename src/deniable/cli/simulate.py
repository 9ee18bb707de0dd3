"""`deniable simulate DESIGN DATA --url URL`: respondents made of a file, through the site's own door."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.channel.design import Design
from deniable.channel.issuer import Issuer
from deniable.cli.arguments import DesignFile
from deniable.cli.engine import Master, ReadEngine, spark_frame
from deniable.cli.sent import check_sent, is_saved, replies_in, replies_of_spark
from deniable.cli.show import complain, progress, say
from deniable.collect.invitation import invitation_in, survey_in
from deniable.device.sending import PATIENCE, Letter, Postbox, letters
from deniable.errors import BadFile, BadRequest, DeniableError, NotAcknowledged, OtherDesign
from deniable.errors.refusal import masked

QUIET = 1.2  # seconds without an answer, before people are told
FINGERPRINT = re.compile(r'"design":\s*"([0-9a-f]{64})"')


def command(
    path: DesignFile,
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="True answers; or replies, disguised already; or reply.json of a page; of Spark any path of a table.",
        ),
    ],
    url: Annotated[str, typer.Option(help="The site: http://127.0.0.1:8000")],
    invitations: Annotated[Path | None, typer.Option(help="The file of invitations, one per line.")] = None,
    patience: Annotated[float, typer.Option(min=0, help="Seconds to go on trying to send one reply.")] = PATIENCE,
    engine: ReadEngine = None,
    master: Master = None,
) -> None:
    """Disguise the answers in a file and send them as respondents would, until all are acknowledged."""
    check_sent(engine, master, data)
    design = Design.load(path, check_text=False)
    postbox = Postbox(url, patience)
    links = _links(invitations)
    with _heard(postbox):
        design = _as_served(design, postbox, links, Path(data))
    postbox.issuer = design.issuer
    people = spark_frame(master, data) if engine == "spark" else None
    sent = _letters(design, data, links, people)
    with progress("sending") as bar, _heard(postbox), _told_of_invitations(links):
        for share in postbox.send_all(design.fingerprint, sent):
            bar(share)
    say(f"{len(sent):,} replies sent to {masked(url)}, all acknowledged")


@contextmanager
def _heard(postbox: Postbox) -> Iterator[None]:
    """While replies go out: where the site falls silent, one line says so, and until when it is tried."""
    over, postbox.answered = threading.Event(), time.monotonic()

    def watch() -> None:
        told = None
        while not over.wait(QUIET / 4):
            last = postbox.answered
            silent = time.monotonic() - last
            if QUIET < silent < postbox.patience and last != told:
                end = datetime.now().astimezone() + timedelta(seconds=postbox.patience - silent)
                complain(f"deniable: waiting for {postbox.url}, which does not answer, until {end:%H:%M:%S}")
                told = last

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


@contextmanager
def _told_of_invitations(links: list[str] | None) -> Iterator[None]:
    """Where a survey is for invited people and no invitations are given, the refusal names the option."""
    try:
        yield
    except NotAcknowledged as error:
        if links is None and error.status == 403:
            expected = "a file of invitations, since this survey is for invited people"
            way_out = "name the file that `deniable invite` wrote"
            raise DeniableError(f"--invitations must be {expected}, got nothing", way_out) from error
        raise


def _as_served(design: Design, postbox: Postbox, links: list[str] | None, data: Path) -> Design:
    """The design under the fingerprint that links or a saved reply name: with its issuer's keys, if it has some."""
    named = {survey_in(link) for link in links or ()} - {None}
    if is_saved(data):
        named |= set(FINGERPRINT.findall(_saved(data).decode(errors="replace")))
    others = sorted(filter(None, named - set(design.fingerprints)))
    if not others:
        return design.as_promised(filter(None, named))
    text = postbox.published(others[0])
    try:
        issuer = Issuer.read("the design of the site", json.loads(text)["issuer"])
        issued = design.issued_by(issuer).as_promised([others[0]])
    except (ValueError, LookupError, TypeError):
        issued = design
    if len(others) > 1 or issued.fingerprint != others[0]:
        raise OtherDesign(design.fingerprint[:16], others[0][:16])
    return issued


def _letters(design: Design, data: str, links: list[str] | None, people: Any) -> list[Letter]:
    """What is to be sent: a reply that a page saved as it is, or the rows of a table, which may be a Spark frame."""
    if is_saved(data):
        words = _invitations(links, 1)
        return [Letter(_saved(Path(data)), None if words is None else words[0])]
    replies = replies_in(design, Path(data)) if people is None else replies_of_spark(design, data, people)
    return list(letters(design, replies, _invitations(links, replies.num_rows)))


def _saved(data: Path) -> bytes:
    try:
        return data.read_bytes()
    except OSError as error:
        raise BadFile(data, f"cannot be read ({error.strerror})", "check the path") from error


def _links(path: Path | None) -> list[str] | None:
    """The lines of a file of links or bare invitations."""
    if path is None:
        return None
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(path, f"cannot be read ({error})", "check the path") from error


def _invitations(lines: list[str] | None, needed: int) -> list[str] | None:
    """Invitations from links or bare words."""
    if lines is None:
        return None
    if len(lines) < needed:
        raise BadRequest("--invitations", f"a file with {needed:,} lines", f"{len(lines):,}", "make more of them")
    return [invitation_in(line) for line in lines]
