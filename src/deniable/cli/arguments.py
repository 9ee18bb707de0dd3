"""Arguments that several commands share, and the replies and training sets that they name."""

import os
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from deniable.channel.design import Design
from deniable.cli.show import bar
from deniable.collect.places import is_store
from deniable.count.counts import Counts, Distinct
from deniable.count.replies import counts_of, warn_of_rows
from deniable.errors import BadFile, BadRequest
from deniable.errors.warn import warn
from deniable.frame import files
from deniable.frame.columns import Missing
from deniable.frame.mark import MARK
from deniable.frame.spark import is_spark

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
        help="Replies: csv, parquet, jsonl, feather, sav, dta, a folder of parquet, sqlite:///FILE or "
        f"postgresql://...; @FILE for a URL in a file, @ for the one in {STORE}.",
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
WITHOUT_NOISE = ("inverse", "bayes", "latent", "pairs", "shrunk", "naive")  # methods that take no number under noise
Html = Annotated[Path | None, typer.Option("--html", metavar="PAGE", help="Also write it as a page to look at.")]


def counted(
    design: Design, replies: Any, missing: Missing = "skip", *, check_mark: bool = True, weights: str | None = None
) -> Counts:
    """Counts over a store, over a file of replies, or where Spark has them, with a bar wherever it is read."""
    if check_mark and is_spark(replies) and MARK not in replies.columns:
        warn(
            f"these replies do not say under which design they were disguised (no column {MARK}); if they are true "
            "answers, disguise them first: deniable disguise DESIGN FILE -o REPLIES"
        )
    return counts_of(design, replies, missing, bar("reading replies"), check_mark=check_mark, weights=weights)


def whole_table(path: str | Path, what: str) -> pa.Table:
    """A whole file, row by row, with a bar while it is read."""
    return pa.concat_tables(files.read(Path(path), progress=bar(what)))


def read_here(replies: Any) -> list[Path]:
    """The file that replies are read from, if they are in one on this machine."""
    return [Path(replies)] if isinstance(replies, str) and not is_store(replies) else []


def training_set(
    design: Design, replies: Any, target: str | None, method: str, missing: Missing
) -> tuple[str, Distinct, list[str]]:
    """What is to be learnt, the replies to learn it from, and which numbers under noise a method cannot take."""
    from deniable.learn.methods import check_known  # brings scikit-learn
    from deniable.learn.task import learnable

    target = target or design.target
    if target is None:
        raise BadRequest("--target", "a question of the design", None, "name it, or set target in the design file")
    design.question(target)
    check_known(method)  # before anything is counted
    counts = counted(design, replies, missing)
    asked = [name for name in counts.names if name in design.names and name != target]
    under_noise = [name for name in asked if design.has_noise(name)]
    left_out = under_noise if method in WITHOUT_NOISE or design.versioned else []
    names = [name for name in counts.names if name not in left_out]
    warn_of_rows(design, replies, names)
    said = [f"left out: {name} (a number under noise)" for name in left_out]
    counts = learnable(counts, design, [design.question(name) for name in names if name in design.names])
    return target, counts.distinct(names, answered=False), said


def keep_apart(path: Path, replies: Any, html: Path | None, out: Path | None = None) -> None:
    """Refuse to write one file over another of the same command."""
    for written in filter(None, [out, html]):
        files.keep_apart(written, path, *read_here(replies))
    if html is not None and out is not None and html.resolve() == out.resolve():
        raise BadFile(html, "would overwrite the model", "write to another file")
