"""Sizes of versions: how many replies each has, beside its planned share, so that drop-out can be seen.

Nobody counts who opens the page: that would be one more request, which tells of people who chose not to reply. Versions
are drawn with known chances, so replies alone show at which version people stayed less often than at the others:

    stayed_v = (n_v / share_v) / ((n - n_v) / (1 - share_v))      its logarithm has variance 1 / n_v + 1 / (n - n_v)

legend: v version, n replies
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.inference.invert.reported import sizes_note

Z = 1.959964  # of a 95 % interval
MAX_ROWS = 12  # of a table; of more versions, those that are furthest from their plan


@dataclass(frozen=True)
class Size:
    """One version: its planned share (None where respondents choose), and its replies."""

    name: str
    planned: float | None
    replies: int
    share: float
    stayed: tuple[float, float, float] | None = None  # against all other versions: estimate, low, high; 1 is as often


@dataclass(frozen=True)
class BlockSizes:
    """The versions of one block, or those furthest from their plan."""

    column: str
    rows: tuple[Size, ...]
    versions: int
    note: str = ""  # where chance does not explain the sizes

    @property
    def left_out(self) -> int:
        """How many versions are not shown."""
        return self.versions - len(self.rows)


def version_sizes(design: Design, counts: Counts) -> list[BlockSizes]:
    """The sizes of the versions of each block."""
    return [_sizes(block, counts) for block in design.versioned]


def _sizes(block: Block, counts: Counts) -> BlockSizes:
    column = str(block.column)
    found = counts.distinct([column], answered=False)
    replies = np.bincount(found.columns[column], found.counts, len(block.versions))
    shares = replies / max(replies.sum(), 1)
    planned: Sequence[float | None] = [None] * len(shares) if block.chosen else block.shares.tolist()
    far = -shares if block.chosen else -np.abs(shares - block.shares)
    shown = sorted(np.argsort(far, kind="stable")[:MAX_ROWS].tolist())
    rows = [
        Size(block.versions[index].name, planned[index], round(replies[index]), shares[index],
             None if block.chosen else stayed(float(replies[index]), float(replies.sum()), float(block.shares[index])))
        for index in shown
    ]  # fmt: skip
    return BlockSizes(column, tuple(rows), len(block.versions), sizes_note([block], found))


def stayed(replies: float, everybody: float, share: float) -> tuple[float, float, float] | None:
    """How often people with a version stayed until they sent, against those with any other, and its 95 % interval."""
    others = everybody - replies
    if replies <= 0 or others <= 0 or not 0 < share < 1:
        return None
    ratio = replies / share / (others / (1 - share))
    factor = exp(Z * sqrt(1 / replies + 1 / others))
    return ratio, ratio / factor, ratio * factor
