"""`deniable association DESIGN REPLIES Q1 Q2`: whether two true answers are independent."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, MissingCells, Replies, counted
from deniable.cli.show import AsJson, print_json, say
from deniable.inference.association import association


def command(
    path: DesignFile,
    replies: Replies,
    first: Annotated[str, typer.Argument(metavar="Q1", help="A question.")],
    second: Annotated[str, typer.Argument(metavar="Q2", help="Another one.")],
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Test whether the true answers to two questions are independent (chi-square)."""
    design = Design.load(path, check_text=False)
    found = association(design, counted(design, replies, missing), first, second)
    if as_json:
        keys = ("first", "second", "statistic", "degrees", "p_value", "n", "note")
        print_json({key: getattr(found, key) for key in keys})
        return
    say(f"{first} and {second}: {found}")
