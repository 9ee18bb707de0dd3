"""`deniable quantile DESIGN REPLIES Q SHARE...`: the numbers below which shares of the true numbers lie."""

from typing import Annotated

import typer

from deniable.cli.figures import print_estimates
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson
from deniable.inference.numbers import quantile


@of_sample
def command(
    replies: SampledReplies,
    question: Annotated[str, typer.Argument(metavar="Q", help="A number.")],
    shares: Annotated[list[float] | None, typer.Argument(metavar="[SHARE]...", help="0.5 is the median.")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate quantiles of a true number; its median if no share is given."""
    design, counts, how = replies.design, replies.counts, replies.how
    found = {f"{question}, {share:g}": quantile(design, counts, question, share, **how) for share in shares or [0.5]}
    print_estimates("quantile", found, as_json)
