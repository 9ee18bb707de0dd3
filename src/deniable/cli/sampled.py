"""Commands on the replies of a sample: the arguments that all of them take, declared once.

DESIGN REPLIES [its own] --weights --strata --clusters --population --missing [--html] [--json]
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Annotated, Any

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, MissingCells, Replies, counted, keep_apart
from deniable.count.counts import Counts
from deniable.inference.sampling.sample import Sample, SampleArguments, summed_weights

Weights = Annotated[str | None, typer.Option(metavar="COLUMN", help="Weights of people who were not drawn evenly.")]
Strata = Annotated[str | None, typer.Option(metavar="COLUMN", help="The strata that people were drawn from.")]
Clusters = Annotated[str | None, typer.Option(metavar="COLUMN", help="The clusters that people were drawn in.")]
Population = Annotated[
    str | None, typer.Option(metavar="SIZE", help="The population's size, or the column of each stratum's.")
]
LAST = ("html", "as_json")  # options that come after the shared ones

Command = Callable[..., None]


@dataclass(frozen=True)
class SampledReplies:
    """The design in a file, the counted replies to it, and how their respondents were drawn."""

    design: Design
    counts: Counts
    how: SampleArguments

    @property
    def sample(self) -> Sample | None:
        """How respondents were drawn; none if nothing was said."""
        return Sample.of(self.design, self.counts, **self.how)[1]


def of_sample(command: Command) -> Command:
    """A command that is given sampled replies, as one that reads them: its other arguments stay its own."""
    first, *own = signature(command).parameters.values()
    design, replies, *options = signature(_read).parameters.values()
    ending = [each for each in own if each.name in LAST]
    before = [each for each in own if each.name not in LAST]

    @wraps(command)
    def run(**given: Any) -> None:
        keep_apart(given["path"], given["replies"], given.get("html"))
        read = _read(**{each.name: given.pop(each.name) for each in (design, replies, *options)})
        command(**{first.name: read}, **given)

    parameters = [design, replies, *before, *options, *ending]
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _read(
    path: DesignFile,
    replies: Replies,
    weights: Weights = None,
    strata: Strata = None,
    clusters: Clusters = None,
    population: Population = None,
    missing: MissingCells = "skip",
) -> SampledReplies:
    """What the shared arguments name."""
    how = how_drawn(weights, strata, clusters, population)
    design, sample = Sample.of(Design.load(path, check_text=False), replies, **how)
    counts = counted(design, replies, missing, weights=summed_weights(design, sample))
    return SampledReplies(design, counts, how)


def how_drawn(weights: str | None, strata: str | None, clusters: str | None, population: str | None) -> SampleArguments:
    """How respondents were drawn; the population is a number or a column."""
    how = SampleArguments(weights=weights, strata=strata, clusters=clusters, population=population)
    with suppress(ValueError, TypeError):
        how["population"] = float(population)  # type: ignore[arg-type]  # a column's name is none
    return how
