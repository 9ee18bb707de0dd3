"""Pieces of a regression's replies, each of which adds to its sums (count/pieces.py)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.frame.columns import Column
from deniable.regression.records import Records, records_of
from deniable.regression.replies import Ints, UsedReplies, likewise
from deniable.regression.sandwich import Units
from deniable.regression.variables import Explained, Variable


@dataclass(frozen=True)
class Piece:
    """What some replies say of the truth, and how their people were drawn."""

    records: Records
    units: Units


@dataclass(frozen=True)
class PieceMaker:
    """Makes a piece of any replies, where all of them are known in outline."""

    design: Design
    used: UsedReplies  # of the outline
    units: Units  # likewise
    outcome: Explained
    predictors: tuple[Variable, ...]
    weights: str | None
    groups: tuple[str, ...]  # the columns of strata and clusters; none of a simple sample

    def __call__(self, replies: Distinct) -> Piece | None:
        """The piece; none where no reply counts."""
        used = likewise(self.design, replies, self.used)
        sampling = np.ones(len(used.counts)) if self.weights is None else used.replies.columns[self.weights]
        if (there := sampling > 0).sum() < len(there):
            kept = [each[there] for each in used.reports]
            used, sampling = replace(used, replies=used.replies.only(there), reports=kept), sampling[there]
        if not len(used.counts):
            return None
        rows = same_rows(self._keys(self.used), self._keys(used))
        records = records_of(self.design, used, self.outcome, self.predictors, sampling)
        return Piece(records, self.units.likewise(used.counts, rows))

    def _keys(self, used: UsedReplies) -> list[Column]:
        """What tells how a reply's people were drawn."""
        return [used.replies.columns[name] for name in self.groups] if self.groups else [used.kinds]


def same_rows(known: Sequence[Column], asked: Sequence[Column]) -> Ints:
    """For each row of some columns a known one that has the same values, which there must be."""
    old, new = np.zeros(len(known[0]), np.int64), np.zeros(len(asked[0]), np.int64)
    for before, now in zip(known, asked, strict=True):
        values, codes = np.unique(before, return_inverse=True)
        pairs, old = np.unique(old * len(values) + codes, return_inverse=True)
        new = np.searchsorted(pairs, new * len(values) + np.searchsorted(values, now))
    first = np.unique(old, return_index=True)[1]
    return np.asarray(first[new])
