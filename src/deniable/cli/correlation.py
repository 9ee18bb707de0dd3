"""`deniable correlation DESIGN REPLIES Q1 Q2`: how closely two true numbers or answers go together."""

from typing import Annotated

import typer

from deniable.cli.arguments import Clusters, DesignFile, MissingCells, Population, Replies, Strata, Weights, sampled
from deniable.cli.figures import print_estimates
from deniable.cli.show import AsJson
from deniable.inference.correlation import correlation


def command(
    path: DesignFile,
    replies: Replies,
    first: Annotated[str, typer.Argument(metavar="Q1", help="A number, or a question of two answers.")],
    second: Annotated[str, typer.Argument(metavar="Q2", help="Another one.")],
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate the correlation of two true numbers, or answers with values."""
    design, counts, how = sampled(path, replies, missing, weights, strata, clusters, population)
    print_estimates("correlation", {f"{first}, {second}": correlation(design, counts, first, second, **how)}, as_json)
