"""Weighted replies: two weights replace those of all respondents with the same reply.

Weights that are nearly all different would make every respondent a reply of its own. But whatever a sample tells
depends on the weights of equal replies (of one stratum and cluster) by four sums alone: of 1/d, of one, of d, of d^2.
So an engine adds these up, and two weights that have the same sums stand for all: the nodes of Gauss' quadrature, which
lie between the least weight and the greatest. With the measure 1/d the sums are its moments m0, m1, m2 and m3, and

    nodes are the roots of x^2 - p x + q,   p = (m0 m3 - m1 m2) / D,  q = (m1 m3 - m2^2) / D,  D = m0 m2 - m1^2

legend: d weight, m sums, x node
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.count.chunked import pieces_of
from deniable.count.counts import Counts, Distinct
from deniable.count.cut import MANY, Cut, CutsNumbers
from deniable.count.merged import together
from deniable.count.moments import NumberMoments, SummedCounts, SumsNumbers
from deniable.count.pieces import Pieces

Floats = NDArray[np.float64]

EQUAL = 1e-9  # D relative to m1^2, below which it may be the rounding of the sums


@dataclass(frozen=True)
class WeightSums:
    """Distinct replies, separated by the sign of their weights, with the sums of these."""

    replies: Distinct
    least: Floats  # [reply] weight, NaN where it is missing
    most: Floats  # [reply] weight
    inverses: Floats  # [reply] sum of 1 / d of positive weights, as all that follow
    sums: Floats
    squares: Floats

    def with_weights(self, name: str) -> Distinct:
        """The replies with two weights for each; with the one that they have where it is not positive."""
        own = np.where(np.isinf(self.squares), np.inf, self.least)  # which whoever weighs refuses
        positive = (own > 0) & np.isfinite(own)
        rest = Distinct({**self.replies.columns, name: own}, self.replies.counts).only(~positive)
        some = self.replies.only(positive)
        sums = np.array([self.inverses, self.replies.counts, self.sums, self.squares])[:, positive]
        nodes, counts = two_weights(sums, self.least[positive], self.most[positive])
        both = (Distinct({**some.columns, name: each}, people) for each, people in zip(nodes, counts, strict=True))
        found = together([rest, *both])
        return together([found.only(found.counts > 0), self._too_small(some, name, positive)])

    def _too_small(self, some: Distinct, name: str, positive: NDArray[np.bool_]) -> Distinct:
        """The least weights below one, with a count of zero: where people are counted, such weights are refused."""
        least = self.least[positive]
        return Distinct({**some.columns, name: least}, np.zeros(len(least))).only(least < 1)


def weight_sums_in(found: pa.Table, replies: Distinct) -> WeightSums:
    """Those in an engine's answer: behind the columns and the counts the ends and the three sums."""
    columns = [column.to_numpy().astype(float) for column in found.columns[len(replies.names) + 1 :]]
    return WeightSums(replies, *columns)


@runtime_checkable
class SumsWeights(Protocol):
    """Counts whose engine adds up weights."""

    def many_values(self, name: str, most: int) -> bool:
        """Whether there are more different weights than so many."""
        ...

    def weight_sums(self, names: Sequence[str], weights: str) -> WeightSums | None:
        """The sums of the weights of equal replies; none where the engine cannot tell."""
        ...


@dataclass(frozen=True)
class WeightedCounts(SummedCounts):
    """Counts in which few weights stand for very many."""

    weights: str

    def pieces(self, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
        return pieces_of(self.counts, names, measured, weights)

    def cut(self, cuts: Mapping[str, Cut]) -> Counts:
        """The same, with numbers cut."""
        return replace(self, counts=self.counts.cut(cuts)) if isinstance(self.counts, CutsNumbers) else self

    def many_values(self, name: str, most: int) -> bool:
        """Whether there are more different numbers than so many."""
        return isinstance(self.counts, SumsWeights) and self.counts.many_values(name, most)

    def moments(self, names: Sequence[str], name: str, cut: Cut) -> NumberMoments | None:
        """The moments of a number of equal replies, with each of their weights."""
        return self.counts.moments(names, name, cut) if isinstance(self.counts, SumsNumbers) else None

    @cached_property
    def _are_many(self) -> bool:
        return isinstance(self.counts, SumsWeights) and self.counts.many_values(self.weights, MANY)

    def _summed(self, names: Sequence[str]) -> Distinct | None:
        if self.weights not in names or not self._are_many:
            return None
        assert isinstance(self.counts, SumsWeights)
        found = self.counts.weight_sums([name for name in names if name != self.weights], self.weights)
        return None if found is None else found.with_weights(self.weights).distinct(names, answered=False)


def two_weights(sums: Floats, least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Two weights with the same four sums, [sum, reply], as all, and how many people have each: [node, reply].

    Where rounding has its way, people and the sum of their weights are right first of all.
    """
    m0, m1, m2, m3 = sums
    mean, size = m2 / m1, m0 * m2 - m1**2
    alike = size <= EQUAL * m1**2
    size = np.where(alike, 1.0, size)
    p, q = (m0 * m3 - m1 * m2) / size, (m1 * m3 - m2**2) / size
    high = (p + np.sqrt(np.maximum(p**2 - 4 * q, 0.0))) / 2
    low = np.clip(q / np.where(high > 0, high, 1.0), least, mean)
    high = np.clip(high, mean, most)
    alike |= ~(high > low)
    low, high = np.where(alike, mean, low), np.where(alike, mean + 1, high)
    people = np.where(alike, 0.0, m1 * (mean - low) / (high - low))
    return np.array([low, high]), np.array([m1 - people, people])
