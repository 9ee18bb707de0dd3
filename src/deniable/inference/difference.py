"""Difference of a share between two groups of people, or between two versions of a survey: `dn.difference`.

The standard error is that of the difference itself: a disguised reply may count for both groups. The interval puts
together those of the two shares (the method of variance estimates recovery; Zou and Donner 2008), so it holds for rare
answers as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from scipy.special import ndtr

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.errors import BadRequest
from deniable.frame.columns import Missing
from deniable.inference.error import z_of
from deniable.inference.estimates import Estimate
from deniable.inference.invert.stack import Table
from deniable.inference.invert.stacks import weights_of
from deniable.inference.query.expression import Truths
from deniable.inference.query.query import query_of
from deniable.inference.ratio import Ratio
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.drawn import DesignEffect
from deniable.inference.sampling.sample import Sample, SampleArguments, sampled_counts


@dataclass(frozen=True, repr=False)
class Difference(Estimate):
    """A difference of two shares, and the test of the hypothesis that there is none."""

    first: Estimate | None = None
    second: Estimate | None = None

    @property
    def z(self) -> float:
        """The difference in standard errors."""
        return z_of(self.value, self.stderr)

    @property
    def p(self) -> float:
        """The chance of so large a difference, either way, if there is none."""
        return float(2 * ndtr(-abs(self.z)))

    def __str__(self) -> str:
        text, note = Estimate.__str__(replace(self, caveat="", design_effect=None, half_width=0.0)), self.note
        return f"{text}, z = {self.z:.2f}, p = {self.p:.4g}" + (f" ({note})" if note else "")


def difference(
    design: Design,
    replies: Any,
    expression: str,
    between: tuple[str, str],
    *,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Difference:
    """The share for whom the expression holds, in the first of two groups minus in the second.

    Groups are the people for whom one or the other of two expressions holds, or who were given one or the other of two
    versions, by their names.
    """
    pair = list(between) if isinstance(between, Sequence) and not isinstance(between, str) else []
    if len(pair) != 2 or not all(isinstance(each, str) for each in pair) or pair[0] == pair[1]:
        raise BadRequest("between", "two expressions, or two versions", between, "name two groups of people")
    design, sample = Sample.of(design, replies, **how)
    counts = sampled_counts(design, replies, missing, sample)
    arms = [block for block in design.versioned if set(pair) <= {version.name for version in block.versions}]
    if arms:
        return _of_arms(design, counts, expression, arms[0], pair, sample)
    query = query_of(design, expression, *pair)
    reported = ReportedTable.of(design, counts, query.questions, sample)
    what, one, other = query.masks
    if reported.method == "bayes":
        raise BadRequest("the difference", "without numbers under noise", expression, "compare the two shares")
    shares = [reported.share(what & group, group) for group in (one, other)]
    readings = [_reading(reported, what & group, group) for group in (one, other)]
    apart = readings[0] - readings[1]
    errors = [reported.spread(each) for each in (*readings, apart)]
    return _compared(shares[0], shares[1], errors, reported.spread_effect(apart))


def _reading(reported: ReportedTable, mask: Truths, given: Truths) -> Table:
    """What each report says about a share among some, centred."""
    of, base = (weights_of(each.astype(float), reported.stacks) for each in (mask, given))
    return Ratio.of(reported.reported, of, base).linearised


def _of_arms(
    design: Design, counts: Counts, expression: str, block: Block, pair: Sequence[str], sample: Sample | None
) -> Difference:
    """Between the people who were given one or the other version: two samples."""
    names = [*design.columns_of(question.name for question in query_of(design, expression).questions)]
    column = str(block.column)
    beside = [] if sample is None else sample.names
    replies = counts.distinct(list(dict.fromkeys([*names, column, *beside])), answered=False)
    found = []
    for name in pair:
        index = next(each for each, version in enumerate(block.versions) if version.name == name)
        kept = replies.only(replies.columns[column] == index)
        alone = Distinct({each: kept.columns[each] for each in kept.columns if each != column}, kept.counts)
        own = design.alone(block, index)
        query = query_of(own, expression)
        found.append(ReportedTable.of(own, alone, query.questions, sample).share(query.masks[0]))
    errors = [each.stderr for each in found]
    effects = zip(pair, (each.design_effect for each in found), strict=True)
    compared = _compared(found[0], found[1], [*errors, float(np.hypot(errors[0], errors[1]))])
    return compared.saying(*(f"{name}: {effect}" for name, effect in effects if effect is not None))


def _compared(
    one: Estimate, other: Estimate, errors: Sequence[float], effect: DesignEffect | None = None
) -> Difference:
    """The difference of two estimates with these standard errors and that of the difference; its design effect."""
    value, product = one.value - other.value, errors[0] * errors[1]
    together = (errors[0] ** 2 + errors[1] ** 2 - errors[2] ** 2) / (2 * product) if product > 0 else 0.0
    below = _apart(one.value - one.low, other.high - other.value, together)
    above = _apart(one.high - one.value, other.value - other.low, together)
    widths = [each.half_width for each in (one, other) if each.half_width is not None]
    notes = "; ".join(dict.fromkeys(each.caveat for each in (one, other) if each.caveat))
    return Difference(value, errors[2], max(value - below, -1.0), min(value + above, 1.0), one.n + other.n, one.method,
                      max(widths, default=None), (-1.0, 1.0), notes, effect, one, other)  # fmt: skip


def _apart(one: float, other: float, together: float) -> float:
    """How far the end of a difference's interval lies from it, from those of its two parts and their correlation."""
    return float(np.sqrt(max(one**2 + other**2 - 2 * together * one * other, 0.0)))
