"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from deniable.channel.design import Design
from deniable.cli.show import progress
from deniable.count.counts import ArrayCounts
from deniable.count.replies import counts_of_file
from deniable.errors import BadFile, BadRequest
from deniable.frame import files
from deniable.frame.mark import MARK, check_marks

DesignFile = Annotated[Path, typer.Argument(metavar="DESIGN", help="The design file (TOML).")]
Replies = Annotated[
    Path, typer.Argument(metavar="REPLIES", help="Replies: csv, parquet, jsonl, or a folder of parquet.")
]
ModelOut = Annotated[Path, typer.Option("-o", "--out", help="The model file to write.")]
Target = Annotated[str | None, typer.Option(help="The question to predict; the design's target if left out.")]
WITHOUT_NOISE = ("inverse", "bayes", "latent", "pairs")  # methods that cannot take a number under noise
Html = Annotated[Path | None, typer.Option("--html", metavar="PAGE", help="Also write it as a page to look at.")]


def counted(design: Design, replies: Path) -> ArrayCounts:
    """Counts over a file of replies, read with a progress bar."""
    with progress("reading replies") as bar:
        return counts_of_file(design, replies, bar)


def with_target(design: Design, target: str | None) -> Design:
    """The design, with this target if one is named; it must have one then."""
    if target is not None:
        design.question(target)
        design = Design(design.channels, target=target, title=design.title, order=design.names)
    if design.target is None:
        raise BadRequest("--target", "a question of the design", None, "name it, or set target in the design file")
    return design


def learning_table(
    promised: Design, replies: Path, target: str | None, method: str
) -> tuple[Design, pa.Table, list[str]]:
    """The design with its target, the replies to learn from, and which numbers under noise a method cannot take."""
    design, table = with_target(promised, target), replies_table(promised, replies)
    noisy = [name for name in table.column_names if design.channel(name).has_noise and name != design.target]
    noisy = noisy if method in WITHOUT_NOISE else []
    return design, table.drop_columns(noisy), [f"left out: {name} (a number under noise)" for name in noisy]


def keep_apart(out: Path, html: Path | None, *read: Path) -> None:
    """Refuse to write one file over another of the same command."""
    files.keep_apart(out, *read)
    if html is not None:
        files.keep_apart(html, *read)
        if html.resolve() == out.resolve():
            raise BadFile(html, "would overwrite the model", "write to another file")


def replies_table(design: Design, replies: Path, marked: bool = True) -> pa.Table:
    """A file of replies as one table of words; marks are checked where replies should have them."""
    names = files.column_names(replies)
    with progress("reading replies") as bar:
        wanted = [name for name in design.names if name in names]
        table = pa.concat_tables(files.read(replies, wanted + [MARK] * (MARK in names), bar))
    if MARK in names:
        if marked:
            check_marks(design, table.column(MARK).unique().to_pylist())
        table = table.drop_columns([MARK])
    return table
