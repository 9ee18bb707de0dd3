"""`deniable estimate DESIGN REPLIES [EXPR...]`: shares of the true answers; without an expression, every share."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, MissingCells, Replies, counted
from deniable.cli.show import AsJson, complain, print_json, print_table
from deniable.inference.estimates import Estimate
from deniable.inference.every import every_estimate
from deniable.inference.shares import estimate

FIGURES = ("value", "stderr", "low", "high", "n", "method", "note")


def command(
    path: DesignFile,
    replies: Replies,
    expressions: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and age > 40")
    ] = None,
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate shares of the true answers; without an expression, every share."""
    design = Design.load(path, check_text=False)
    counts = counted(design, replies, missing)
    if expressions:
        found = {text: estimate(design, counts, text, given) for text in expressions}
    else:
        found = every_estimate(design, counts, given)
    if as_json:
        print_json([{"expression": text, **figures(each)} for text, each in found.items()])
        for text, each in found.items():
            if each.note:
                complain(f"deniable: note: {text}: {each.note}")
        return
    rows = [
        (text, each.value, each.stderr, f"{each.low:.4f} to {each.high:.4f}", each.n, each.method, each.note)
        for text, each in found.items()
    ]
    heads = ["expression", "share", "stderr", "95 % interval", "n", "method", "note"]
    print_table("" if given is None else f"among those for whom {given}", heads, rows)


def figures(found: Estimate) -> dict[str, object]:
    """An estimate as JSON."""
    return {key: getattr(found, key) for key in FIGURES}
