"""Intervals of figures of some reported tables, and how wide they are to be expected.

legend: the last axis of a table counts tables
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Protocol

import numpy as np

from deniable.inference.em.em import sums as totals
from deniable.inference.error import Z
from deniable.inference.interval.score import ScoreTest
from deniable.inference.interval.smoothed import even_truth, smoothed_truth
from deniable.inference.interval.weights import PowerSums
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stack import Stack, Table


class Weights(Protocol):
    """The weights of some figures."""

    def summed(self, x: Table, parts: bool = True) -> PowerSums: ...


Figures = Callable[[Sequence[Stack]], Weights]  # what is asked, under the stacks of those who chose alike


@dataclass(frozen=True)
class ScoreIntervals:
    """Reported tables [*report, table] and the stacks that disguised them."""

    reported: Table
    stacks: list[Stack]

    @cached_property
    def n(self) -> Table:
        """[table] replies."""
        return np.maximum(totals(self.reported), 1.0)

    @cached_property
    def _people(self) -> list[tuple[Table, Table, list[Stack]]]:
        """Shares, tables and stacks of the people who chose each version; of everybody where nothing is chosen."""
        return Reported(self.reported[..., 0], self.stacks).by_choice(self.reported)

    @cached_property
    def _truths(self) -> list[Table]:
        """The smoothed truth of each."""
        return [smoothed_truth(tables, stacks) for _, tables, stacks in self._people]

    def interval(self, of: Table, base: Table, figures: Figures) -> tuple[Table, Table]:
        """The ends of the intervals of figures [*figure, table] with these means of a and b."""
        return ScoreTest(of, base, self._summed(figures, self._truths), self.n).interval()

    def expected(self, figures: Figures) -> Table:
        """Half the width that intervals would have if all combinations of answers were equally frequent."""
        even = self._summed(figures, [even_truth(stacks) for _, _, stacks in self._people], parts=False)
        total = even.shares[0] + even.shares[1]
        variance = ScoreTest(even.shares[0], total, even, self.n).unmoved(even.shares[0] / total)
        return np.asarray(Z * np.sqrt(np.maximum(variance, 0.0) / self.n) / total)  # what holds for all has none

    def _summed(self, figures: Figures, truths: Sequence[Table], parts: bool = True) -> PowerSums:
        found = [
            figures(stacks).summed(x, parts).times(share)
            for (share, _, stacks), x in zip(self._people, truths, strict=True)
        ]
        return reduce(PowerSums.plus, found)
