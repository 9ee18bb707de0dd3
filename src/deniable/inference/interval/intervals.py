"""Intervals of figures of some reported tables, and how wide they are to be expected.

legend: the last axis of a table counts tables
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Protocol

import numpy as np

from deniable.inference.em.em import sums as totals
from deniable.inference.interval.score import ScoreTest, Z
from deniable.inference.interval.smoothed import even_truth, smoothed_truth
from deniable.inference.interval.weights import RATIO, SHARE, Powers, PowerSums
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stack import Stack, Table


class Weights(Protocol):
    """The weights of some figures under some stacks."""

    def summed(self, x: Table, powers: Sequence[Powers]) -> PowerSums: ...


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
    def _parts(self) -> list[tuple[Table, list[Stack], Table]]:
        """Shares of the people who chose each version, their stacks, and their smoothed truth."""
        parts = Reported(self.reported[..., 0], self.stacks).by_choice(self.reported)
        return [(share, stacks, smoothed_truth(tables, stacks)) for share, tables, stacks in parts]

    def interval(
        self, means: tuple[Table, Table], weights: Callable[[list[Stack]], Weights], ratio: bool
    ) -> tuple[Table, Table]:
        """The ends of the intervals of figures [*figure, table] with these means of a and b."""
        powers = RATIO if ratio else SHARE
        parts = [weights(stacks).summed(x, powers).times(share) for share, stacks, x in self._parts]
        return ScoreTest(*means, reduce(PowerSums.plus, parts), self.n).interval()

    def expected(self, weights: Callable[[list[Stack]], Weights], ratio: bool) -> Table:
        """Half the width that intervals would have if all combinations of answers were equally frequent."""
        powers = RATIO if ratio else SHARE
        parts = [weights(stacks).summed(even_truth(stacks), powers).times(share) for share, stacks, _ in self._parts]
        even = reduce(PowerSums.plus, parts)
        total = even.shares[0] + even.shares[1]
        test = ScoreTest(even.shares[0], total, even, self.n)
        return np.asarray(Z * np.sqrt(test.moments(even.shares[0] / total)[0] / self.n) / total)
