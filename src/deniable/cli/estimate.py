"""`deniable estimate DESIGN REPLIES [EXPR...]`: shares of the true answers; without an expression, every share."""

from typing import Annotated

import typer

from deniable.cli.arguments import Clusters, DesignFile, MissingCells, Population, Replies, Strata, Weights, sampled
from deniable.cli.figures import print_estimates
from deniable.cli.show import AsJson
from deniable.inference.every import every_estimate
from deniable.inference.sampling.sample import Sample
from deniable.inference.shares import estimate


def command(
    path: DesignFile,
    replies: Replies,
    expressions: Annotated[
        list[str] | None, typer.Argument(metavar="[EXPR]...", help="smokes == 'yes' and age > 40")
    ] = None,
    given: Annotated[str | None, typer.Option(metavar="EXPR", help="Only among those for whom this holds.")] = None,
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
    as_json: AsJson = False,
) -> None:
    """Estimate shares of the true answers; without an expression, every share."""
    design, counts, how = sampled(path, replies, missing, weights, strata, clusters, population)
    if expressions:
        found = {text: estimate(design, counts, text, given, **how) for text in expressions}
    else:
        found = every_estimate(design, counts, given, Sample.of(design, counts, **how)[1])
    print_estimates("share", found, as_json, "" if given is None else f"among those for whom {given}")
