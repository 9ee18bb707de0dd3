"""Totals: how many people of the population something is true of (Horvitz and Thompson)."""

from dataclasses import replace
from typing import Any

from deniable.channel.design import Design
from deniable.frame.columns import Missing
from deniable.inference.estimates import Estimate
from deniable.inference.query.query import query_of
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.sample import Sample, sampled_counts


def total(
    design: Design,
    replies: Any,
    expression: str,
    *,
    weights: str,
    strata: str | None = None,
    clusters: str | None = None,
    missing: Missing = "skip",
) -> Estimate:
    """The number of people in the population for whom the expression truly holds.

    Weights are one over everybody's chance to be drawn: so many people of the population each respondent stands for.
    Those who were not asked, or did not answer, are stood for by those who did.
    """
    design, sample = Sample.of(design, replies, weights=weights, strata=strata, clusters=clusters)
    assert sample is not None
    query = query_of(design, expression)
    counts = sampled_counts(design, replies, missing, sample)
    everybody = replace(sample.weighing(design, replies), total=True)
    reported = ReportedTable.of(design, counts, query.questions, everybody)
    found, people = reported.share(query.masks[0]), reported.population
    ends = {name: people * getattr(found, name) for name in ("value", "stderr", "low", "high")}
    return replace(found, limits=(0.0, people), **ends)
