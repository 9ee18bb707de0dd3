"""Sizes of versions: how many replies each has, beside its planned share, so that drop-out can be seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.inference.invert.reported import sizes_note

MAX_ROWS = 12  # of a table; of more versions, those that are furthest from their plan


@dataclass(frozen=True)
class Size:
    """One version: its planned share (None where respondents choose), and its replies."""

    name: str
    planned: float | None
    replies: int
    share: float


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
    rows = [Size(block.versions[index].name, planned[index], round(replies[index]), shares[index]) for index in shown]
    return BlockSizes(column, tuple(rows), len(block.versions), sizes_note([block], found))
