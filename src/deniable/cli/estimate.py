"""`deniable estimate DESIGN REPLIES [EXPR...]`: shares of the true answers; without an expression, every share."""

from typing import Annotated

import typer

from deniable.cli.figures import print_estimates
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson
from deniable.inference.every import every_estimate
from deniable.inference.shares import estimate


@of_sample
def command(
    replies: SampledReplies,
    expressions: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and age > 40")
    ] = None,
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate shares of the true answers; without an expression, every share."""
    design, counts, how = replies.design, replies.counts, replies.how
    if expressions:
        found = {text: estimate(design, counts, text, given, **how) for text in expressions}
    else:
        found = every_estimate(design, counts, given, replies.sample)
    print_estimates("share", found, as_json, "" if given is None else f"among those for whom {given}")
