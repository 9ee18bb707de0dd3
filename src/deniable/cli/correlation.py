"""`deniable correlation DESIGN REPLIES Q1 Q2`: how closely two true numbers or answers go together."""

from typing import Annotated

import typer

from deniable.cli.figures import print_estimates
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson
from deniable.inference.correlation import correlation


@of_sample
def command(
    replies: SampledReplies,
    first: Annotated[str, typer.Argument(metavar="Q1", help="A number, or a question of two answers.")],
    second: Annotated[str, typer.Argument(metavar="Q2", help="Another one.")],
    as_json: AsJson = False,
) -> None:
    """Estimate the correlation of two true numbers, or answers with values."""
    design, counts, how = replies.design, replies.counts, replies.how
    print_estimates("correlation", {f"{first}, {second}": correlation(design, counts, first, second, **how)}, as_json)
