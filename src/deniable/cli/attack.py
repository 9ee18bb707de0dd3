"""`deniable attack DESIGN REPLIES`: what a clever collector finds out from replies."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, Replies, counted, read_here, whole_table
from deniable.cli.people import spark_people
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.frame import files
from deniable.frame.spark import is_spark
from deniable.judge.attack import Attack, attack
from deniable.report import judged, page


def command(
    path: DesignFile,
    replies: Replies,
    true: Annotated[
        str | None, typer.Option(metavar="FILE", help="True answers of the same people, row by row, to count against.")
    ] = None,
    waves: Annotated[int, typer.Option(help="How often the same people are asked.")] = 1,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Say what a clever collector finds out from replies."""
    design = Design.load(path, check_text=False)
    spark = is_spark(replies)
    answers: Any = counted(design, replies) if true is None or spark else whole_table(replies, "reading replies")
    known: Any = None
    if true is not None:
        known = spark_people(None, true) if spark else whole_table(Path(true), "reading true answers")
    found = attack(design, answers, known, waves)
    if html is not None:
        read = [path, *([] if true is None or spark else [Path(true)]), *read_here(replies)]
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
