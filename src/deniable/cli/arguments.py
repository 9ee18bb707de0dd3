"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.show import progress
from deniable.count.counts import ArrayCounts
from deniable.count.replies import counts_of_file

DesignFile = Annotated[Path, typer.Argument(metavar="DESIGN", help="The design file (TOML).")]
Replies = Annotated[
    Path, typer.Argument(metavar="REPLIES", help="Replies: csv, parquet, jsonl, or a folder of parquet.")
]


def counted(design: Design, replies: Path) -> ArrayCounts:
    """Counts over a file of replies, read with a progress bar."""
    with progress("reading replies") as bar:
        return counts_of_file(design, replies, bar)
