"""Means of numbers from the replies to each version, put together.

The mean of reported numbers needs no table of the truth: noise averages out, and only a condition needs weights. Within
a version the mean of weight times number, and the mean weight, are unbiased. They are added up over versions, and the
mean is the ratio of the two sums, once:

    mean = sum over v of c_v * mean(w x) / sum over v of c_v * mean(w)

Versions that were drawn stand for the same people, and c_v is what their precision will be, as far as the design alone
tells. Versions that were chosen stand for their own people, and c_v is their share of the replies. Where people were
not drawn evenly, all these means and shares are weighted, and what each reply adds to the mean is a reading u, whose
mean has the variance that the sample gives it:

    u = c_v / s_v * (w x - mean * w, minus its own average in a version that was drawn)

legend: v version, x number, w weight of a reply for the condition (1 without one), s_v the version's share of replies
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.errors import BadRequest, NoAnswers, NobodyMet, NotIdentified
from deniable.inference.error import NOBODY, Z
from deniable.inference.estimates import Estimate
from deniable.inference.number_readings import noise_variance
from deniable.inference.sampling.drawn import Drawn, Worth
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import Question

MAX_COMBINATIONS = 4096  # of versions of several blocks
TINY = 1e-300
Floats = NDArray[np.float64]


def precision_of(channel: Channel, question: Question) -> float:
    """The precision of one reply's number, if numbers were spread evenly over their range."""
    assert question.range is not None
    low, high = question.range.low, question.range.high
    square = (low**2 + low * high + high**2) / 3
    return 1 / ((high - low) ** 2 / 12 + noise_variance(channel, question, square))


@dataclass(frozen=True)
class VersionMean:
    """The replies to one version: how many gave each, weight times number and weight of each, and what it tells."""

    counts: Floats
    products: Floats
    weights: Floats
    precision: float  # of one reply, as the design tells it
    clear: bool = False  # whether nothing of it is disguised

    @property
    def n(self) -> float:
        """How many replies there are."""
        return float(self.counts.sum())

    def mean(self, values: Floats) -> float:
        """The mean over its replies."""
        return float(self.counts @ values / max(self.n, TINY))


Read = Callable[[Design, Distinct], VersionMean]  # the replies to one version, under its own design


def mean_over_versions(
    design: Design,
    counts: Counts,
    names: Sequence[str],
    read: Read,
    limits: tuple[float, float],
    sample: Sample | None = None,
) -> Estimate:
    """The mean of a number minus its least one, from the replies to all versions that ask what it needs."""
    blocks = [block for block in design.versioned if set(block.names) & set(names)]
    if len({block.chosen for block in blocks}) > 1:
        raise NotIdentified(f"the mean over {', '.join(names)}", "some of it is asked in versions that are drawn, some "
                            "in versions that are chosen", "ask about them one by one")  # fmt: skip
    beside = [] if sample is None else sample.names
    replies = counts.distinct(list(dict.fromkeys([*design.columns_of(names), *beside])), answered=False)
    parts = [each for each in _by_version(design, blocks, replies, names, beside) if each[1].counts.sum()]
    if not parts:
        raise NoAnswers(names)
    found, chosen = [read(part, some) for part, some in parts], blocks[0].chosen
    if sample is None:
        return _put_together(found, chosen, limits)
    columns = {name: np.concatenate([some.columns[name] for _, some in parts]) for name in beside}
    drawn = sample.drawn(Distinct(columns, np.concatenate([each.counts for each in found])))
    ends = np.cumsum([len(each.counts) for each in found])[:-1]
    weighted = zip(found, np.split(drawn.table_counts, ends), strict=True)
    return _put_together([replace(each, counts=own) for each, own in weighted], chosen, limits, drawn)


def _put_together(
    found: Sequence[VersionMean], chosen: bool, limits: tuple[float, float], drawn: Drawn | None = None
) -> Estimate:
    n = sum(each.n for each in found)
    shares = np.array([each.n * (1.0 if chosen else each.precision) for each in found])
    shares = shares / shares.sum()
    met = float(shares @ [each.mean(each.weights) for each in found])
    if met <= NOBODY:
        raise NobodyMet(met)
    ratio = float(shares @ [each.mean(each.products) for each in found]) / met
    rests = [each.products - ratio * each.weights for each in found]
    if drawn is None:
        stderr, wider, effect = sqrt(_variance(found, shares, rests, chosen)) / met, 1.0, None
    else:
        worth = _worth(found, shares, rests, chosen, drawn, met)
        stderr, wider, effect = worth.stderr, worth.wider, worth.design_effect(drawn.n)
    margin = Z * stderr * wider
    value, low, high = limits[0] + ratio, *np.clip(limits[0] + np.array([ratio - margin, ratio + margin]), *limits)
    return Estimate(value, stderr, float(low), float(high), round(n * met), "inverse", limits=limits,
                    design_effect=effect)  # fmt: skip


def _variance(found: Sequence[VersionMean], shares: Floats, rests: Sequence[Floats], chosen: bool) -> float:
    """The variance of the sum over versions of c_v times the mean of what is left."""
    means = np.array([each.mean(rest) for each, rest in zip(found, rests, strict=True)])
    inside = [each.mean((rest - mean) ** 2) for each, rest, mean in zip(found, rests, means, strict=True)]
    within = sum(share**2 * own / max(each.n - 1, 1) for each, share, own in zip(found, shares, inside, strict=True))
    between = float(shares @ means**2) / sum(each.n for each in found) if chosen else 0.0
    return float(within) + between


def _worth(
    found: Sequence[VersionMean], shares: Floats, rests: Sequence[Floats], chosen: bool, drawn: Drawn, met: float
) -> Worth:
    """What the sample is worth for the mean, by each reply's reading u."""
    readings, squares = [], []
    for each, share, rest in zip(found, shares, rests, strict=True):
        own = rest - (0.0 if chosen else each.mean(rest))
        readings.append(own * share * drawn.n / max(each.n, TINY))
        squares.append(readings[-1] ** 2 if each.clear else np.zeros(len(own)))
    return drawn.worth(np.concatenate(readings), np.concatenate(squares), met)


def _by_version(
    design: Design, blocks: Sequence[Block], replies: Distinct, names: Sequence[str], beside: Sequence[str]
) -> Iterator[tuple[Design, Distinct]]:
    """The design as each choice of versions asks it, and the complete replies to that."""
    if np.prod([float(len(block.versions)) for block in blocks]) > MAX_COMBINATIONS:
        raise BadRequest(
            "versions of what a mean needs", f"at most {MAX_COMBINATIONS:,} in all", "more", "ask for less"
        )
    others = [block.channels[0] for block in design.blocks if block.is_plain and set(block.names) & set(names)]
    for indices in product(*(range(len(block.versions)) for block in blocks)):
        versions = [block.versions[index] for block, index in zip(blocks, indices, strict=True)]
        rows = np.logical_and.reduce(
            [replies.columns[str(block.column)] == index for block, index in zip(blocks, indices, strict=True)]
        )
        if not rows.any():
            continue
        channels = [*others, *(channel for version in versions for channel in version.channels)]
        if not set(names) <= {name for channel in channels for name in channel.names}:
            if blocks[0].chosen:
                lacking = f"the version {versions[0].name!r} does not ask all of it"
                raise NotIdentified(f"the mean over {', '.join(names)}", lacking, "ask it in every version")
            continue
        some = replies.only(rows)
        own = Distinct({name: some.columns[name] for name in (*names, *beside)}, some.counts).answered()
        yield Design(channels, check_text=False), own
