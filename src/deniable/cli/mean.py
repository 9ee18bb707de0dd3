"""`deniable mean DESIGN REPLIES Q`: the average of a true number."""

from typing import Annotated

import typer

from deniable.cli.arguments import Clusters, DesignFile, MissingCells, Population, Replies, Strata, Weights, sampled
from deniable.cli.figures import print_estimates
from deniable.cli.show import AsJson
from deniable.inference.numbers import mean


def command(
    path: DesignFile,
    replies: Replies,
    question: Annotated[str, typer.Argument(metavar="Q", help="A number.")],
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate the average of a true number."""
    design, counts, how = sampled(path, replies, missing, weights, strata, clusters, population)
    found = {question: mean(design, counts, question, given, **how)}
    print_estimates("mean", found, as_json, "" if given is None else f"among those for whom {given}")
