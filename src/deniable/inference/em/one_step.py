"""One-step correction of reconstructed shares.

Expectation maximisation stops before it fits noise, and so leaves a bias in sums over many cells, such as the people
in some leaves of a tree. One step towards an unbiased estimate takes most of it away:

    corrected = sum of f x  +  mean of w over the replies  -  mean of w under x

where w are weights of the reports that a ridge inverse of the disguise gives to the sum f. The weaker the ridge, the
less bias is left and the more variance comes in. Each axis is scaled by the square roots of its own shares, so that
singular values are correlations between truth and report, whatever the cells and bins.
Tikhonov 1963; Bickel et al. 1993, section 7.8 (one-step estimators)

legend: x true shares [x1, x2, ...], w weights [b1, b2, ...], f which cells are summed [x1, x2, ...]; s singular value
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from deniable.channel.instruction import Matrix
from deniable.inference.em.em import FLOOR
from deniable.inference.invert.stack import Table, along

EVEN = 0.1  # the part of each axis that is taken to be even, so that cells which seem empty count a little


@dataclass(frozen=True)
class RidgeInverse:
    """The disguise of a table in terms of its singular vectors, one triple (left, values, right) for each axis."""

    axes: tuple[tuple[Matrix, Matrix, Matrix], ...]
    margins: tuple[Matrix, ...]  # the true shares of each axis

    @classmethod
    def of(cls, matrices: Sequence[Matrix], shares: Table) -> "RidgeInverse":
        """For true shares like these; the matrices are [bin, cell]."""
        margins = []
        for axis in range(shares.ndim):
            margin = shares.sum(axis=tuple(other for other in range(shares.ndim) if other != axis))
            margins.append((1 - EVEN) * margin / max(float(margin.sum()), FLOOR) + EVEN / len(margin))
        return cls(tuple(map(_scaled, matrices, margins)), tuple(margins))

    @cached_property
    def values(self) -> Table:
        """The singular values, one axis for each question."""
        return reduce(np.multiply.outer, [values for _, values, _ in self.axes])

    def weights(self, sums: Table, ridge: float) -> Table:
        """The weights of each report for a sum over true cells."""
        found = self._coefficients(sums) * self.values / (self.values**2 + ridge)
        for axis, (left, _, _) in enumerate(self.axes):
            found = along(found, (axis,), left, (len(left),))
        return found

    def hidden(self, sums: Table, ridge: float) -> Table:
        """What the weights do not see of a sum, as coefficients of length one in terms of true people."""
        mean = float(reduce(np.multiply.outer, self.margins).ravel() @ sums.ravel())
        return self._coefficients(sums - mean) * ridge / (self.values**2 + ridge)

    def _coefficients(self, sums: Table) -> Table:
        for axis, (_, _, right) in enumerate(self.axes):
            sums = along(sums, (axis,), right, (len(right),))
        return sums


def _scaled(matrix: Matrix, margin: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Singular vectors of an axis whose truth and report are scaled by the roots of their shares."""
    true, reported = np.sqrt(margin), np.sqrt(np.maximum(matrix @ margin, FLOOR))
    left, values, right = np.linalg.svd(matrix * true / reported[:, None], full_matrices=False)
    return left / reported[:, None], values, right * true
