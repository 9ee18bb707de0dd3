"""Arguments that several commands share."""

import os
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from deniable.channel.design import Design
from deniable.cli.show import progress
from deniable.collect.places import is_store
from deniable.count.counts import Counts
from deniable.count.possible import WatchedCounts
from deniable.count.replies import counts_of_file
from deniable.count.stored import StoreCounts, stored_replies
from deniable.errors import BadFile, BadRequest
from deniable.frame import files
from deniable.frame.columns import Missing
from deniable.frame.mark import MARK, check_marks

DesignFile = Annotated[Path, typer.Argument(metavar="DESIGN", help="The design file (TOML).")]
STORE = "DENIABLE_STORE"


def store_in(text: str) -> str:
    """A text as it is; or the URL in the file of `@FILE`, or for `@` alone in the environment: no password is seen."""
    if text == "@":
        if os.environ.get(STORE, "@") == "@":
            raise BadRequest(
                "@", f"given where {STORE} is a store's URL", "one that is not set", "set it, or use @FILE"
            )
        return store_in(os.environ[STORE])
    if not text.startswith("@"):
        return text
    path = Path(text[1:])
    try:
        url = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(path, f"cannot be read ({getattr(error, 'strerror', 'no text')})", "check the path") from error
    if len(url.splitlines()) != 1 or not is_store(url):
        raise BadFile(path, "holds no URL of a store", "write sqlite:///FILE or postgresql://... into it")
    return url


Replies = Annotated[
    str,
    typer.Argument(
        metavar="REPLIES",
        help="Replies: csv, parquet, jsonl, a folder of parquet, sqlite:///FILE or postgresql://...; "
        f"@FILE for a URL in a file, @ for the one in {STORE}.",
        callback=store_in,
    ),
]
StoreUrl = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="URL",
        envvar=STORE,
        help="sqlite:///FILE (four slashes: absolute) or postgresql://...; @FILE for a URL in a file.",
        callback=store_in,
    ),
]
ModelOut = Annotated[Path, typer.Option("-o", "--out", help="The model file to write.")]
Target = Annotated[str | None, typer.Option(help="The question to predict; the design's target if left out.")]
MissingCells = Annotated[
    Missing, typer.Option("--missing", help="Do without replies that lack a needed answer, or refuse them.")
]
WITHOUT_NOISE = ("inverse", "bayes", "latent", "pairs")  # methods that cannot take a number under noise
Html = Annotated[Path | None, typer.Option("--html", metavar="PAGE", help="Also write it as a page to look at.")]


def counted(design: Design, replies: str, missing: Missing = "skip") -> Counts:
    """Counts over a store, or over a file of replies, read with a progress bar."""
    if is_store(replies):
        return WatchedCounts(design, StoreCounts(design, replies))
    with progress("reading replies") as bar:
        return WatchedCounts(design, counts_of_file(design, Path(replies), bar, missing))


def with_target(design: Design, target: str | None) -> Design:
    """The design, with this target if one is named; it must have one then."""
    if target is not None:
        design.question(target)
        design = Design(design.channels, target=target, title=design.title, order=design.names, check_text=False)
    if design.target is None:
        raise BadRequest("--target", "a question of the design", None, "name it, or set target in the design file")
    return design


def learning_table(
    promised: Design, replies: str, target: str | None, method: str
) -> tuple[Design, pa.Table, list[str]]:
    """The design with its target, the replies to learn from, and which numbers under noise a method cannot take."""
    design, table = with_target(promised, target), replies_table(promised, replies)
    under_noise = [name for name in table.column_names if design.channel(name).has_noise and name != design.target]
    under_noise = under_noise if method in WITHOUT_NOISE else []
    return design, table.drop_columns(under_noise), [f"left out: {name} (a number under noise)" for name in under_noise]


def keep_apart(out: Path, html: Path | None, path: Path, replies: str) -> None:
    """Refuse to write one file over another of the same command."""
    read = [path] if is_store(replies) else [path, Path(replies)]
    files.keep_apart(out, *read)
    if html is not None:
        files.keep_apart(html, *read)
        if html.resolve() == out.resolve():
            raise BadFile(html, "would overwrite the model", "write to another file")


def replies_table(design: Design, replies: str, marked: bool = True) -> pa.Table:
    """Replies as one table of words; marks are checked where a file of replies should have them."""
    if is_store(replies):
        return stored_replies(design, replies)
    path = Path(replies)
    names = files.column_names(path)
    with progress("reading replies") as bar:
        wanted = [name for name in design.names if name in names]
        table = pa.concat_tables(files.read(path, wanted + [MARK] * (MARK in names), bar))
    if MARK in names:
        if marked:
            check_marks(design, table.column(MARK).unique().to_pylist())
        table = table.drop_columns([MARK])
    return table
