"""True predictors of every pair of clear predictors and possible truths.

legend: c combination of clear predictors, t possible truth of the others
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from deniable.frame.columns import Column
from deniable.regression.replies import Ints

SAMPLE = 32  # points from which it is seen how terms are made


@dataclass(frozen=True)
class Predicted:
    """True predictors: what depends on c alone, on t alone, and on both."""

    points: int
    truths: int
    by_point: Mapping[str, Column]  # [c]
    by_truth: Mapping[str, Column]  # [t]
    by_pair: Mapping[str, Column]  # [(c, t)]

    def with_column(self, name: str, value: float | int) -> "Predicted":
        """The same, with one value of a predictor for everybody."""
        own = {**{key: column for key, column in self.by_point.items() if key != name},
               name: np.full(self.points, value)}  # fmt: skip
        truth = {key: column for key, column in self.by_truth.items() if key != name}
        pair = {key: column for key, column in self.by_pair.items() if key != name}
        return Predicted(self.points, self.truths, own, truth, pair)

    def moved(self, name: str, by: float, numbers: Column) -> "Predicted":
        """The same, with a number moved; `numbers` are those of its own column."""

        def changed(columns: Mapping[str, Column]) -> dict[str, Column]:
            return {key: numbers + by if key == name else column for key, column in columns.items()}

        return Predicted(
            self.points, self.truths, changed(self.by_point), changed(self.by_truth), changed(self.by_pair)
        )

    def column(self, name: str) -> Column:
        """A predictor, as it is held."""
        return next(columns[name] for columns in (self.by_point, self.by_truth, self.by_pair) if name in columns)

    def rows(self, points: Ints | None = None, truth: int | None = None) -> dict[str, Column]:
        """The columns of all pairs, of some points only, or of one truth only."""
        some = np.arange(self.points) if points is None else points
        truths = np.arange(self.truths) if truth is None else np.array([truth])
        found = {name: np.repeat(column[some], len(truths)) for name, column in self.by_point.items()}
        found |= {name: np.tile(column[truths], len(some)) for name, column in self.by_truth.items()}
        pairs = (some[:, None] * self.truths + truths).ravel()
        return found | {name: column[pairs] for name, column in self.by_pair.items()}

    def sample(self, every: Collection[str] = ()) -> Ints:
        """Some points, such that every answer to a clear predictor occurs, and every number of those named."""
        found = [np.linspace(0, self.points - 1, min(SAMPLE, self.points)).astype(np.intp)]
        found += [
            np.unique(column, return_index=True)[1]
            for name, column in self.by_point.items()
            if column.dtype.kind != "f" or name in every
        ]
        return np.unique(np.concatenate(found))
