"""`deniable reconstruct DESIGN REPLIES Q`: how the true answers to a question are spread."""

from typing import Annotated, Literal

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, MissingCells, Replies, counted, keep_apart
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.extras import needed_for
from deniable.inference.reconstruct import Reconstruction, reconstruction
from deniable.report.page import write

MAX_ROWS = 24  # that people read


def command(
    path: DesignFile,
    replies: Replies,
    question: Annotated[str, typer.Argument(metavar="Q", help="The question, above all a number under noise.")],
    by: Annotated[str | None, typer.Option(metavar="Q2", help="Tell it by the answers to this question.")] = None,
    stop: Annotated[
        Literal["change", "held-out"], typer.Option(help="Stop where little changes, or by held-out replies.")
    ] = "change",
    missing: MissingCells = "skip",
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Reconstruct the distribution of the true answers to a question from disguised ones."""
    keep_apart(path, replies, html)
    design = Design.load(path, check_text=False)
    found = reconstruction(design, counted(design, replies, missing), question, by, stop)
    if html is not None:
        with needed_for("--html"):
            from deniable.report.distribution import page
        write(page(found, design.title), html)
    if as_json:
        columns = found.columns()
        print_json([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
    else:
        _show(found, question)
    say_written(html, "reported against reconstructed, as a picture", as_json)


def _show(found: Reconstruction, question: str) -> None:
    """Its shares for people, in as few bands as fit a screen."""
    shown = found.merged(MAX_ROWS // len(found.groups))
    columns = shown.columns()
    heads = list(columns)[: None if len(set(columns["note"])) > 1 else -1]  # a note on all rows stands below them
    print_table("", heads, [row[: len(heads)] for row in zip(*columns.values(), strict=True)])
    if len(shown.shares) < len(found.shares):
        say(f"in {len(shown.shares)} bands; --json has all {len(found.shares)} intervals")
    say(f"{question}: reconstructed from {found.n:,} replies")
    if found.note:
        say(found.note)
