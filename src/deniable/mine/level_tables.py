"""Reported tables of one level's sets of questions, where respondents answer different versions.

The sets of a level are counted together, as many in one pass as grouping sets have (collect/grouping.py), so that an
engine is asked a few times for each level and not once for each set. Sets that no version asks together tell nothing
about their items, and are not counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deniable.channel.design import Design
from deniable.collect.grouping import MAX_SETS
from deniable.count.counts import Counts, Distinct
from deniable.errors import NoReplies
from deniable.inference.invert.reported import Reported, needed_columns
from deniable.inference.invert.stacks import weights_of
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.sample import Sample
from deniable.mine.supports import Floats

Names = tuple[str, ...]  # of questions


@dataclass(frozen=True)
class LevelTables:
    """Counts of replies to different versions, and how the respondents were drawn."""

    design: Design
    counts: Counts
    sample: Sample | None = None

    def counted(self, many: Sequence[Names]) -> Iterator[tuple[Names, Distinct]]:
        """The replies that tell about each set of questions; only those of one pass are held at a time."""
        for start in range(0, len(many), MAX_SETS):
            some = many[start : start + MAX_SETS]
            needed = [needed_columns(self.design, self.counts, names, self.sample) for names in some]
            yield from zip(some, self.counts.tables(needed), strict=True)

    def reported(self, names: Names, replies: Distinct) -> Reported:
        """The reported table of these questions."""
        return Reported.of(self.design, replies, [self.design.question(name) for name in names], self.sample)

    def asked_together(self, names: Names) -> bool:
        """Whether, of each block of versions, some version asks all of these questions that it has."""
        return all(
            any(set(names) & set(block.names) <= set(version.names) for version in block.versions)
            for block in self.design.versioned
        )


def some_replies(reported: Reported, names: Names) -> Reported:
    """The table as it is, unless it counts nobody."""
    if not reported.table.sum():
        raise NoReplies(f"what replies tell of {', '.join(names)}")
    return reported


def lasting(reported: Reported) -> Reported:
    """The same table without what is large: inverses that were computed from it, and single replies."""
    stacks = [replace(stack) for stack in reported.stacks]
    return replace(reported, stacks=stacks, drawn=None, replies=None, cells=None)


def design_effects(reported: Reported, values: Floats) -> Floats:
    """The design effect of each figure [*true cell, figure]: 1 where people were drawn evenly."""
    if reported.drawn is None:
        return np.ones(values.shape[-1])
    weights, table = weights_of(values, reported.stacks), ReportedTable((), reported)
    return np.array([table.worth(weights[..., index]).effect for index in range(values.shape[-1])])
