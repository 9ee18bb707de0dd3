"""Estimates from the replies to each version, put together.

What needs no table of the truth, such as the mean of numbers under noise, is estimated from the replies to each version
as if that were the whole survey. Versions that were drawn stand for the same people: their figures are weighted by
precision. Versions that were chosen stand for their own people: their figures add up, weighted by size.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.special import ndtri

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.errors import NoReplies, NotIdentified
from deniable.inference.error import CONFIDENCE
from deniable.inference.estimates import Estimate

Figure = Callable[[Design, Counts], Estimate]  # of a design without versions and the replies to it


def mean_over_versions(design: Design, counts: Counts, names: Sequence[str], figure: Figure) -> Estimate:
    """A mean that needs these questions, from the replies to all versions that ask them."""
    blocks = [block for block in design.versioned if set(block.names) & set(names)]
    replies = counts.distinct(design.columns_of(names), answered=False)
    found = [(figure(part, some), some.n) for part, some in _by_version(design, blocks, replies, names) if some.n]
    if not found:
        raise NoReplies(f"what replies tell of {', '.join(names)}")
    chosen = [block.chosen for block in blocks]
    if any(chosen) and not all(chosen):
        raise NotIdentified(f"the mean over {', '.join(names)}", "some of it is asked in versions that are drawn, some "
                            "in versions that are chosen", "ask about them one by one")  # fmt: skip
    return _added([each for each, _ in found], [n for _, n in found]) if all(chosen) else _pooled([x for x, _ in found])


def _by_version(
    design: Design, blocks: Sequence[Block], replies: Distinct, names: Sequence[str]
) -> Iterator[tuple[Design, Distinct]]:
    """The design as each choice of versions asks it, and the replies to that."""
    others = [block.channels[0] for block in design.blocks if block.is_plain and set(block.names) & set(names)]
    for chosen in product(*(range(len(block.versions)) for block in blocks)):
        versions = [block.versions[index] for block, index in zip(blocks, chosen, strict=True)]
        channels = [*others, *(channel for version in versions for channel in version.channels)]
        if not set(names) <= {name for channel in channels for name in channel.names}:
            if any(block.chosen for block in blocks):
                lacking = f"the version {versions[0].name!r} does not ask all of it"
                raise NotIdentified(f"the mean over {', '.join(names)}", lacking, "ask it in every version")
            continue
        rows = np.logical_and.reduce(
            [replies.columns[str(block.column)] == index for block, index in zip(blocks, chosen, strict=True)]
        )
        some = replies.only(rows)
        yield Design(channels, check_text=False), Distinct({name: some.columns[name] for name in names}, some.counts)


def _pooled(found: Sequence[Estimate]) -> Estimate:
    """Figures about the same people, weighed by their precision."""
    precision = np.array([1 / max(each.stderr, 1e-300) ** 2 for each in found])
    weights = precision / precision.sum()
    value = float(weights @ [each.value for each in found])
    return _with(found, value, float(np.sqrt(1 / precision.sum())))


def _added(found: Sequence[Estimate], sizes: Sequence[int]) -> Estimate:
    """Figures about different people, who add up."""
    shares, values = np.array(sizes) / sum(sizes), np.array([each.value for each in found])
    value = float(shares @ values)
    within = float(shares**2 @ np.array([each.stderr for each in found]) ** 2)
    return _with(found, value, float(np.sqrt(within + shares @ (values - value) ** 2 / sum(sizes))))


def _with(found: Sequence[Estimate], value: float, stderr: float) -> Estimate:
    margin = float(ndtri((1 + CONFIDENCE) / 2)) * stderr
    low, high = np.clip([value - margin, value + margin], *found[0].limits)
    n = sum(each.n for each in found)
    notes = dict.fromkeys(each.caveat for each in found if each.caveat)
    made = replace(found[0], value=value, stderr=stderr, low=float(low), high=float(high), n=n, caveat="")
    return made.saying(*notes)
