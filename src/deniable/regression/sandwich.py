"""Variance between clusters within strata (sandwich errors).

Whatever a regression estimates is, but for a constant, a mean of what each respondent adds to it. Respondents who were
sampled together are one cluster, those who were sampled apart are strata, and the variance of the sum is

    sum over strata h of G_h / (G_h - 1) * sum over their clusters of (z - mean of z)^2,   times (n - 1) / (n - p)

Without strata and clusters this is the HC1 error, with clusters that of statsmodels and Stata. Kinds of versions are
strata too, since their sizes count as given.

legend: z sum of a cluster's contributions, G clusters of a stratum, n respondents, p coefficients
"""

from dataclasses import dataclass

import numpy as np

from deniable.inference.sampling.drawn import Drawn
from deniable.regression.outcome import Floats
from deniable.regression.replies import Ints


@dataclass(frozen=True)
class Units:
    """The people or clusters that were drawn, in their strata."""

    counts: Floats  # [i] respondents of each distinct reply
    strata: Ints  # [i]
    clusters: Ints | None = None  # [i]; each respondent by himself where there are none
    finite: bool = False  # whether the chance to be drawn is one over the weight, and takes off variance

    @classmethod
    def of(cls, counts: Floats, versions: Ints, drawn: Drawn | None) -> "Units":
        """Those of a sample; of a simple one, whose versions are strata."""
        return cls(counts, versions) if drawn is None else cls(counts, drawn.strata, drawn.clusters, drawn.finite)

    @property
    def n(self) -> float:
        """How many respondents there are."""
        return float(self.counts.sum())

    def covariance(self, added: Floats, coefficients: int) -> Floats:
        """The covariance of sums of what each respondent adds, [i, figure]."""
        strata = self.strata - self.strata.min(initial=0)  # kinds of versions that are rare are -1
        sums, sizes, own = added * self.counts[:, None], self.counts, strata
        square = sums.T @ added if self.clusters is None else None
        if self.clusters is not None:
            _, first, index = np.unique(self.clusters, return_index=True, return_inverse=True)
            sums = _summed(index, sums, len(first))
            own, sizes, square = strata[first], np.ones(len(first)), None
        groups = np.bincount(own, sizes)
        means = _summed(own, sums, len(groups)) / np.maximum(groups, 1)[:, None]
        factor = groups / np.maximum(groups - 1, 1)
        if square is None or len(groups) > 1:
            apart = (added if self.clusters is None else sums) - means[own]
            square = (apart * (sizes * factor[own])[:, None]).T @ apart
        else:
            square = factor[0] * (square - groups[0] * np.outer(means[0], means[0]))
        return np.asarray(square * (self.n - 1) / max(self.n - coefficients, 1.0))


def _summed(index: Ints, values: Floats, size: int) -> Floats:
    """Sums of rows that have the same index."""
    return np.stack([np.bincount(index, column, size) for column in values.T], axis=1)
