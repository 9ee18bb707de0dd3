"""Feasible tables: the one place where negative cells are removed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deniable.channel.design import Design
from deniable.inference.estimates import Estimates, TrueTable
from deniable.inference.invert.stack import Table


@dataclass(frozen=True)
class FeasibleEstimates:
    """Tables without negative cells, made from any others; one decision takes all its margins from one table."""

    raw: Estimates

    @property
    def design(self) -> Design:
        return self.raw.design

    def table(self, names: Sequence[str], given: Mapping[str, int] | None = None) -> TrueTable:
        """Negative cells become empty, and the rest shrinks so that the total stays."""
        table = self.raw.table(names, given)
        return TrueTable(table.names, feasible(table.counts), table.variance)


def feasible(counts: Table) -> Table:
    """The same total without negative cells; nothing at all where the total is not positive."""
    kept = np.maximum(counts, 0.0)
    total = float(counts.sum())
    return kept * (total / kept.sum()) if total > 0 else np.zeros_like(counts)
