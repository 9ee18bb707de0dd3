"""`deniable mean DESIGN REPLIES Q`: the average of a true number."""

from typing import Annotated

import typer

from deniable.cli.figures import print_estimates
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson
from deniable.inference.numbers import mean


@of_sample
def command(
    replies: SampledReplies,
    question: Annotated[str, typer.Argument(metavar="Q", help="A number.")],
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate the average of a true number."""
    design, counts, how = replies.design, replies.counts, replies.how
    found = {question: mean(design, counts, question, given, **how)}
    print_estimates("mean", found, as_json, "" if given is None else f"among those for whom {given}")
