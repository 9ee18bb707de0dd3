"""Reported tables of one level's sets of questions, where respondents answer different versions.

The sets of a level are counted many at a time, so that an engine is asked a few times for each level and not once for
each set. Sets that no version asks together tell nothing about their items, and are not counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deniable.channel.design import Design
from deniable.collect.grouping import MAX_SETS
from deniable.count.counts import Counts, Distinct
from deniable.errors import NoAnswers
from deniable.inference.invert.reported import Reported, needed_columns
from deniable.inference.invert.stacks import weights_of
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.sample import Sample
from deniable.mine.supports import Floats

Names = tuple[str, ...]  # of questions
AT_ONCE = MAX_SETS  # sets whose tables are held together: as many as an engine counts in one pass


@dataclass(frozen=True)
class LevelTables:
    """Counts of replies to different versions, and how the respondents were drawn."""

    design: Design
    counts: Counts
    sample: Sample | None = None

    def counted(self, many: Sequence[Names]) -> Iterator[tuple[Names, Distinct]]:
        """The replies that tell about each set of questions; only those of some are held at a time."""
        for start in range(0, len(many), AT_ONCE):
            some = many[start : start + AT_ONCE]
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
        raise NoAnswers(names)
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
