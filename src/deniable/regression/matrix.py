"""Matrix of a formula's terms, for every pair of clear predictors and possible truths.

Most terms are products of something clear and something disguised, so that a column of the matrix is one too:

    x[(c, t), j] = A[c, j] * B[t, j]

and the matrix of all pairs, which may be large, need not be held. Whether that is so is seen from some of the rows.

legend: c combination of clear predictors, t possible truth of the others, j term
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deniable.errors import TooManyCells
from deniable.regression.outcome import Floats, Values
from deniable.regression.predicted import Predicted
from deniable.regression.replies import Ints, pieces
from deniable.regression.terms import Terms

SMALL = 2**18  # rows whose matrix is held without further ado
MAX_ENTRIES = 2**27  # of a matrix that is held: a gigabyte
CLOSE = 1e-10


@dataclass(frozen=True)
class TermMatrix:
    """The matrix of all pairs, or its two factors."""

    truths: int
    by_point: Values  # [c, j]; of all pairs where there is no other factor
    by_truth: Floats | None = None  # [t, j]

    @property
    def pairs(self) -> int:
        """How many rows it has."""
        return len(self.by_point) * (1 if self.by_truth is None else self.truths)

    def rows(self, pairs: Ints) -> Values:
        """Some of its rows."""
        if self.by_truth is None:
            return self.by_point[pairs]
        return self.by_point[pairs // self.truths] * self.by_truth[pairs % self.truths]

    def blocks(self) -> Iterator[tuple[slice, Values, Floats]]:
        """All rows in blocks that stay in the processor's cache: which they are, and two factors of their columns."""
        for rows in pieces(len(self.by_point)):
            x = self.by_point[rows]
            if self.by_truth is None:
                yield rows, x, np.ones(x.shape[1])
                continue
            for truth, factor in enumerate(self.by_truth):
                start = rows.start * self.truths + truth
                yield slice(start, rows.stop * self.truths, self.truths), x, factor

    def scaled(self, scale: Floats) -> "TermMatrix":
        """The same with its columns divided."""
        return TermMatrix(self.truths, self.by_point / scale, self.by_truth)


def matrix_of(terms: Terms, predicted: Predicted) -> TermMatrix:
    """The matrix of a formula's terms."""
    rows = predicted.points * predicted.truths
    if predicted.truths > 1 and rows > SMALL and not predicted.by_pair:
        found = _factored(terms, predicted)
        if found is not None:
            return found
    if rows * len(terms.names) > MAX_ENTRIES:
        raise TooManyCells([each.name for each in terms.variables], rows * len(terms.names), MAX_ENTRIES)
    return TermMatrix(predicted.truths, terms.matrix(predicted.rows(), rows))


def _factored(terms: Terms, predicted: Predicted) -> TermMatrix | None:
    """The factors of the matrix, if some of its rows show that it has them."""
    some, truths = predicted.sample(), predicted.truths
    table = terms.matrix(predicted.rows(some), len(some) * truths).reshape(len(some), truths, -1)  # [c, t, j]
    size = np.abs(table)
    there = size.max(axis=0)  # [t, j]
    if (there.max(axis=0) == 0).any():
        return None
    large = there > 0.1 * there.max(axis=0)
    usual = int(np.argmax(large.sum(axis=1)))  # the truth at which most columns are not zero
    chosen = np.where(large[usual], usual, there.argmax(axis=0))  # [j]
    columns = np.arange(table.shape[2])
    base = table[:, chosen, columns]  # [c, j]
    point = np.abs(base).argmax(axis=0)  # [j]
    by_truth = table[point, :, columns].T / base[point, columns]  # [t, j]
    if np.abs(base[:, None] * by_truth - table).max() > CLOSE * size.max():
        return None
    by_point = np.empty((predicted.points, table.shape[2]))
    for truth in np.unique(chosen):
        own = chosen == truth
        by_point[:, own] = terms.matrix(predicted.rows(truth=int(truth)), predicted.points)[:, own]
    return TermMatrix(truths, by_point, np.asarray(by_truth))
