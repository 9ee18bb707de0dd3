"""`deniable quantile DESIGN REPLIES Q SHARE...`: the numbers below which shares of the true numbers lie."""

from typing import Annotated

import typer

from deniable.cli.arguments import Clusters, DesignFile, MissingCells, Population, Replies, Strata, Weights, sampled
from deniable.cli.figures import print_estimates
from deniable.cli.show import AsJson
from deniable.inference.numbers import quantile


def command(
    path: DesignFile,
    replies: Replies,
    question: Annotated[str, typer.Argument(metavar="Q", help="A number.")],
    shares: Annotated[list[float] | None, typer.Argument(metavar="[SHARE]...", help="0.5 is the median.")] = None,
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate quantiles of a true number; its median if no share is given."""
    design, counts, how = sampled(path, replies, missing, weights, strata, clusters, population)
    found = {f"{question}, {share:g}": quantile(design, counts, question, share, **how) for share in shares or [0.5]}
    print_estimates("quantile", found, as_json)
