"""Variance between clusters within strata (sandwich errors).

Whatever a regression estimates is, but for a constant, a mean of what each respondent adds to it. Respondents who were
sampled together are one cluster, those who were sampled apart are strata, and the variance of the sum is

    sum over strata h of G_h / (G_h - 1) * sum over their clusters of (z - mean of z)^2,   times (n - 1) / (n - p)

Without strata and clusters this is the HC1 error, with clusters that of statsmodels and Stata. Kinds of versions are
strata too, since their sizes count as given.

legend: z sum of a cluster's contributions, G clusters of a stratum, n respondents, p coefficients
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from deniable.count.pieces import Pieces, in_one_pass
from deniable.inference.sampling.drawn import Drawn
from deniable.regression.outcome import Floats
from deniable.regression.replies import Ints


@dataclass(frozen=True)
class Units:
    """The people or clusters that were drawn, in their strata."""

    counts: Floats  # [i] respondents of each distinct reply
    strata: Ints  # [i]
    clusters: Ints | None = None  # [i]; each respondent alone where there are none
    finite: bool = False  # whether the chance to be drawn is one over the weight, and takes off variance

    @classmethod
    def of(cls, counts: Floats, versions: Ints, drawn: Drawn | None) -> "Units":
        """Those of a sample; of a simple one, whose versions are strata."""
        if drawn is None:
            return cls(counts, versions - versions.min(initial=0))  # kinds of versions that are rare are -1
        return cls(counts, drawn.strata, drawn.clusters, drawn.finite)

    def likewise(self, counts: Floats, rows: Ints) -> "Units":
        """Those of other replies, of which each was drawn as one of these."""
        return Units(counts, self.strata[rows], None if self.clusters is None else self.clusters[rows], self.finite)

    @property
    def n(self) -> float:
        """How many respondents there are."""
        return float(self.counts.sum())

    @cached_property
    def sizes(self) -> Floats:
        """[stratum] how many people or clusters were drawn."""
        if self.clusters is None:
            return np.bincount(self.strata, self.counts).astype(float)
        return np.bincount(self.stratum_of_cluster).astype(float)

    @cached_property
    def stratum_of_cluster(self) -> Ints:
        """[cluster]."""
        assert self.clusters is not None
        return np.asarray(self.strata[np.unique(self.clusters, return_index=True)[1]])

    def covariances(
        self, pieces: Pieces[Any], many: Sequence[Callable[[Any], Floats]], coefficients: int
    ) -> list[Floats]:
        """The covariances of sums of what each respondent adds, [i, figure] of a piece, which has such units too.

        Several of them, each by itself, take one pass over the replies.
        """
        factor = self.sizes / np.maximum(self.sizes - 1, 1)
        few = (self.n - 1) / max(self.n - coefficients, 1.0)
        if self.clusters is not None:
            own = self.stratum_of_cluster
            by_cluster = in_one_pass(pieces, [partial(_by_cluster, added, len(own)) for added in many])
            return [few * self._between(sums, factor) for (sums,) in by_cluster]
        by_person = in_one_pass(pieces, [partial(_by_person, added, factor) for added in many])
        weights = (factor / np.maximum(self.sizes, 1))[:, None]
        return [few * np.asarray(square - (sums * weights).T @ sums) for square, sums in by_person]

    def _between(self, sums: Floats, factor: Floats) -> Floats:
        """The square of what clusters add, apart from the mean of their stratum."""
        own = self.stratum_of_cluster
        apart = sums - (summed(own, sums, len(factor)) / np.maximum(self.sizes, 1)[:, None])[own]
        return np.asarray((apart * factor[own][:, None]).T @ apart)


def _by_cluster(added: Callable[[Any], Floats], size: int, piece: Any) -> tuple[Floats]:
    """[cluster, figure] sums."""
    return (summed(piece.units.clusters, added(piece) * piece.units.counts[:, None], size),)


def _by_person(added: Callable[[Any], Floats], factor: Floats, piece: Any) -> tuple[Floats, Floats]:
    """The square of what people add, times the factor of their stratum, and its sums [stratum, figure]."""
    own, units = added(piece), piece.units
    sums = own * units.counts[:, None]
    return (sums * factor[units.strata][:, None]).T @ own, summed(units.strata, sums, len(factor))


def summed(index: Ints, values: Floats, size: int) -> Floats:
    """Sums of rows that have the same index."""
    return np.stack([np.bincount(index, column, size) for column in values.T], axis=1)
