"""`deniable attack DESIGN REPLIES`: what a clever collector finds out from replies."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, Replies, counted, read_here, whole_table
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.errors import BadRequest
from deniable.frame import files
from deniable.frame.spark import is_spark
from deniable.judge.attack import Attack, attack
from deniable.report import judged, page


def command(
    path: DesignFile,
    replies: Replies,
    true: Annotated[
        Path | None, typer.Option(metavar="FILE", help="True answers of the same people, row by row, to count against.")
    ] = None,
    waves: Annotated[int, typer.Option(help="How often the same people are asked.")] = 1,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say what a clever collector finds out from replies."""
    design = Design.load(path, check_text=False)
    if true is not None and is_spark(replies):
        raise BadRequest("--true", "left out on Spark, whose rows have no order to compare", str(true), "leave it out")
    answers: Any = counted(design, replies) if true is None else whole_table(replies, "reading replies")
    found = attack(design, answers, None if true is None else whole_table(true, "reading true answers"), waves)
    if html is not None:
        read = [path, *filter(None, [true]), *read_here(replies)]
        files.keep_apart(html, *read)
        page.write(judged.attack_page(found, f"{design.title or path.stem}: what a clever collector finds out"), html)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found)
    say_written(html, "what a clever collector finds out, as a page", as_json)


def _show(found: Attack) -> None:
    rows = [("answers", found.answers.guessed, found.answers.from_margins),
            ("whole records", found.records.guessed, found.records.from_margins)]  # fmt: skip
    print_table("", ["guessed rightly", "with the reply", "without"], rows)
    for sentence in found.sentences:
        say(sentence)
