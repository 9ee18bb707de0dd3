"""`deniable plan DESIGN`: respondents needed for a margin, or the margin that replies buy."""

from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile
from deniable.cli.show import AsJson, print_json, print_table, say
from deniable.deniability.epsilon import epsilon_word
from deniable.inference.plan import plan


def command(
    path: DesignFile,
    margin: Annotated[float | None, typer.Option(help="Half the width of the interval you want, e.g. 0.02.")] = None,
    replies: Annotated[int | None, typer.Option(help="Respondents you can get: what margin do they buy?")] = None,
    share: Annotated[float | None, typer.Option(help="The share you expect; the worst one if left out.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the interval.")] = 0.95,
    as_json: AsJson = False,
) -> None:
    """Say how many respondents a margin needs, or what margin so many replies buy."""
    found = plan(Design.load(path), margin, replies=replies, share=share, confidence=confidence)
    if as_json:
        print_json(found.to_json())
        return
    rows = [
        (each.question, each.n, each.margin, "-" if each.theta is None else f"{each.theta:g}",
         str(epsilon_word(each.epsilon)))
        for each in found.questions
    ]  # fmt: skip
    print_table("", ["question", "replies", "margin", "theta", "epsilon"], rows)
    say(str(found))
