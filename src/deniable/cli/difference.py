"""`deniable difference DESIGN REPLIES EXPR GROUP1 GROUP2`: a share in one group minus that in another."""

from typing import Annotated

import typer

from deniable.cli.figures import print_estimates
from deniable.cli.sampled import SampledReplies, of_sample
from deniable.cli.show import AsJson, say
from deniable.inference.difference import difference


@of_sample
def command(
    replies: SampledReplies,
    expression: Annotated[str, typer.Argument(metavar="EXPR", help="smokes == 'yes'")],
    first: Annotated[str, typer.Argument(metavar="GROUP1", help="sex == 'Female', or the name of a version.")],
    second: Annotated[str, typer.Argument(metavar="GROUP2", help="sex == 'Male', or the name of another version.")],
    as_json: AsJson = False,
) -> None:
    """Estimate how much a share differs between two groups of people or two versions, and test it."""
    design, counts, how = replies.design, replies.counts, replies.how
    found = difference(design, counts, expression, (first, second), **how)
    print_estimates("difference", {f"{expression}: {first} minus {second}": found}, as_json)
    if not as_json:
        say(f"z = {found.z:.2f}, p = {found.p:.4g}")
