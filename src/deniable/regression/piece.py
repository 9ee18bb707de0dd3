"""Pieces of a regression's replies, each of which adds to its sums (count/pieces.py)."""

from dataclasses import dataclass, replace

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.count.merged import same_rows
from deniable.frame.columns import Column
from deniable.regression.outcome import Floats
from deniable.regression.records import Records, records_of
from deniable.regression.replies import UsedReplies, likewise
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
    weights: str | None  # their column, if it tells them alone
    groups: tuple[str, ...]  # the columns of strata, clusters and a population; none of a simple sample
    sampling: Floats  # [i] weights in the sample, of the outline
    scale: float  # of weights in their column

    def __call__(self, replies: Distinct) -> Piece | None:
        """The piece; none where no reply counts."""
        used = likewise(self.design, replies, self.used)
        if self.weights is not None and not (there := used.replies.columns[self.weights] > 0).all():
            used = replace(used, replies=used.replies.only(there), reports=[each[there] for each in used.reports])
        if not len(used.counts):
            return None
        rows = same_rows(self._keys(self.used), self._keys(used))
        sampling = self.sampling[rows] if self.weights is None else self.scale * used.replies.columns[self.weights]
        records = records_of(self.design, used, self.outcome, self.predictors, sampling)
        return Piece(records, self.units.likewise(used.counts, rows))

    def _keys(self, used: UsedReplies) -> list[Column]:
        """What tells how a reply's people were drawn."""
        return [used.replies.columns[name] for name in self.groups] if self.groups else [used.kinds]
