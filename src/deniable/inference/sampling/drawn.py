"""Design-based variance of weighted figures, and what a sample is worth beside one drawn evenly.

A reply's signed weight for an expression is an unbiased reading of whether it holds for that person. So survey
statistics works on readings u as on zeros and ones:

    share     sum of d u / sum of d (Hajek), or over the population's size (Horvitz and Thompson)
    variance  sum over strata of m / (m - 1) times the sum over clusters of (total of z - its mean)^2

with z = d (u - share) / sum of d. In a finite population, people drawn with the chance 1/d take off that part of the
variance (Hajek and Rosen). It shrinks the sampling alone: every respondent's lottery is drawn anew, so what it adds on
average is added again.

legend: d sampling weight, u reading, z its part in the figure, m clusters (or people) of a stratum
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from deniable.errors import BadRequest
from deniable.inference.error import CONFIDENCE, Z

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
NEGLIGIBLE = 1e-18


@dataclass(frozen=True)
class DesignEffect:
    """The variance of a figure over that of as many people drawn evenly."""

    effect: float
    n: float  # people who replied

    def __str__(self) -> str:
        return (
            f"design effect {self.effect:.2f}: as exact as {self.n / self.effect:,.0f} replies of people drawn evenly"
        )


@dataclass(frozen=True)
class Worth:
    """What a weighted figure is worth: its standard error, and its design effect."""

    stderr: float
    effect: float  # variance over that of as many people drawn evenly
    wider: float  # interval, since few clusters tell their own spread badly
    scale: float  # of the figure, where weights do not add up to the population

    def design_effect(self, n: float) -> "DesignEffect":
        """What a reader should know of the sample."""
        return DesignEffect(self.effect, n)


@dataclass(frozen=True)
class Drawn:
    """How the people behind some distinct replies were drawn, one entry for each reply."""

    counts: Floats  # people who gave it
    weights: Floats  # d of each of them
    strata: Codes
    clusters: Codes | None  # None: everybody was drawn alone
    population: float | None
    finite: bool  # whether 1/d is the chance to be drawn, and takes off variance
    called: tuple[str, ...] = ()  # what the strata are called; none where all people are in one

    def __post_init__(self) -> None:
        units = self._units
        if self.clusters is not None or len(units) > 1:
            for stratum in np.flatnonzero((units == 1) & (np.bincount(self.strata, self.counts) > 0)):
                one, two = ("cluster", "clusters") if self.clusters is not None else ("person", "people")
                if not self.called:
                    raise BadRequest("the sample", f"at least two {two}", f"one {one}", "leave the clusters out")
                raise BadRequest("a stratum", f"at least two {two}", f"one {one} where {self.called[stratum]}",
                                 "merge it with another")  # fmt: skip

    @cached_property
    def _units(self) -> Floats:
        """How many people or clusters were drawn in each stratum."""
        if self.clusters is None:
            return np.asarray(np.bincount(self.strata, self.counts), dtype=float)
        first = np.unique(self.clusters, return_index=True)[1]
        return np.bincount(self.strata[first], minlength=int(self.strata.max(initial=0)) + 1).astype(float)

    @property
    def n(self) -> float:
        """How many people replied."""
        return float(self.counts.sum())

    @cached_property
    def total(self) -> float:
        """The sum of everybody's weight."""
        return float(self.counts @ self.weights)

    @cached_property
    def table_counts(self) -> Floats:
        """The people behind each reply, weighted, as many as replied."""
        return self.counts * self.weights * (self.n / self.total)

    def worth(self, reading: Floats, square: Floats, base: float = 1.0, *, counted: bool = False) -> Worth:
        """Of a mean of readings, over `base`; `square` reads the square of what they read without the lottery.

        With `counted` it is a total of readings over the population, or over nothing, not their mean.
        """
        share = self.table_counts / self.n
        centre = float(share @ reading)
        even = float(share @ (reading - centre) ** 2) / self.n
        own = reading if counted else reading - centre
        variance = self._sampling(self.weights * own) / self.total**2
        if self.finite:
            lottery = reading**2 - square
            variance += max(float((self.counts * self.weights) @ lottery), 0.0) / self.total**2
        scale = self.total / (self.population or 1.0) if counted else 1.0
        tiny = NEGLIGIBLE * max(float(np.abs(reading).max()), 1.0) ** 2
        found = self.compared(variance, even, tiny)
        return replace(found, stderr=scale * found.stderr / base, scale=scale)

    def compared(self, variance: float, even: float, tiny: float) -> Worth:
        """A figure of this variance, beside that of as many people drawn evenly, unless that is too tiny."""
        effect = variance / even if even > tiny else self.kish
        return Worth(float(np.sqrt(variance)), max(effect, NEGLIGIBLE), self._wider, 1.0)

    def scale_of(self, column: Floats) -> float:
        """What each person's weight is multiplied by, so that those who answer stand for all others."""
        index = int(np.argmax(column))
        return float(self.weights[index] / column[index])

    @property
    def kish(self) -> float:
        """The design effect that unequal weights alone have (Kish)."""
        return float(self.n * (self.counts @ self.weights**2) / self.total**2)

    @property
    def _wider(self) -> float:
        """Student's quantile over the normal one, by the degrees of freedom of clusters or people."""
        degrees = max(float(self._units.sum()) - float((self._units > 0).sum()), 1.0)
        return float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) / Z if self.clusters is not None else 1.0

    def _sampling(self, z: Floats) -> float:
        """The variance of a sum of z, drawn by strata and clusters."""
        if self.clusters is not None:
            sums = np.asarray(np.bincount(self.clusters, self.counts * z), dtype=float)
            first = np.unique(self.clusters, return_index=True)[1]
            return self._spread(sums, np.ones(len(sums)), self.strata[first])
        kept = 1 - 1 / np.maximum(self.weights, 1.0) if self.finite else np.ones(len(z))
        return self._spread(z, self.counts * kept, self.strata)

    def sampling_of(self, sums: Floats, people: Floats, squares: Floats) -> float:
        """The same from sums of z by cluster, or else by stratum, and of people and of z squared by stratum."""
        if self.clusters is not None:
            first = np.unique(self.clusters, return_index=True)[1]
            return self._spread(sums, np.ones(len(sums)), self.strata[first])
        spread = squares - sums**2 / np.where(people > 0, people, 1.0)
        return float((spread * self._units / np.maximum(self._units - 1, 1.0)).sum())

    def _spread(self, z: Floats, times: Floats, strata: Codes) -> float:
        groups = len(self._units)
        sizes = np.bincount(strata, times, groups)
        means = np.bincount(strata, times * z, groups) / np.where(sizes > 0, sizes, 1.0)
        spread = np.bincount(strata, times * (z - means[strata]) ** 2, groups)
        return float((spread * self._units / np.maximum(self._units - 1, 1.0)).sum())
