"""Numbers in the clear by their moments: two replace those of all respondents with the same reply.

A mean and its interval depend on the numbers of equal replies by how many there are and by their first three moments.
So an engine works these out, and two numbers that have the same stand for all: the nodes of Gauss' quadrature, which
lie between the least and the greatest,

    m - a  and  m + b,   a b = v,   b - a = s / v,   shares b / (a + b) and a / (a + b)

legend: m mean, v variance, s third central moment
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct, tally
from deniable.count.cut import Cut, CutsNumbers, cuts_of_many
from deniable.count.merged import together
from deniable.survey.question import Question

Floats = NDArray[np.float64]
NO_ANSWER = -1  # the cell of numbers outside the range


@dataclass(frozen=True)
class NumberMoments:
    """Distinct replies, separated by the cell of a number, with the moments of the numbers that came with each."""

    replies: Distinct
    cells: Floats  # [reply], NaN where the number is missing
    least: Floats
    most: Floats
    mean: Floats
    variance: Floats
    third: Floats  # central

    def with_numbers(self, name: str) -> Distinct:
        """The replies with two numbers for each."""
        there = ~np.isnan(self.cells)
        missing = self.replies.only(~there)
        figures = (self.least, self.most, self.mean, self.variance, self.third)
        low, high, share = two_numbers(*(each[there] for each in figures))
        some = self.replies.only(there)
        parts = ((low, some.counts * share), (high, some.counts * (1 - share)))
        found = [Distinct({**some.columns, name: numbers}, counts) for numbers, counts in parts]
        nobody = np.full(len(missing.counts), np.nan)
        whole = together([Distinct({**missing.columns, name: nobody}, missing.counts), *found])
        return whole.only(whole.counts > 0)


def moments_in(found: pa.Table, replies: Distinct, centre: float) -> NumberMoments:
    """Those in an engine's answer: behind columns and counts the cell, the ends, mean, variance, and the mean cube.

    The cube is that of the distance from a centre near all numbers.
    """
    columns = [column.to_numpy().astype(float) for column in found.columns[len(replies.names) + 1 :]]
    cells, least, most, mean, variance, cube = columns
    with np.errstate(invalid="ignore", over="ignore"):  # infinite ones are refused
        apart = mean - centre
        third = cube - apart**3 - 3 * apart * variance
    return NumberMoments(replies, cells, least, most, mean, variance, third)


@runtime_checkable
class SumsNumbers(CutsNumbers, Protocol):
    """Counts whose engine also works out moments of numbers."""

    def moments(self, names: Sequence[str], name: str, cut: Cut) -> NumberMoments | None:
        """The moments of a number of equal replies; none where the engine cannot tell."""
        ...


@dataclass(frozen=True)
class SummedCounts(ABC):
    """Counts in which few numbers stand for very many."""

    counts: Counts

    @property
    def n(self) -> int:
        return self.counts.n

    @property
    def names(self) -> Sequence[str]:
        return self.counts.names

    def distinct(self, names: Sequence[str], answered: bool = True) -> Distinct:
        return self.tables([names])[0].answered(answered)

    def tables(self, many: Sequence[Sequence[str]]) -> list[Distinct]:
        found = [self._summed(names) for names in many]
        rest = [names for names, each in zip(many, found, strict=True) if each is None]
        counted = iter(self.counts.tables(rest) if rest else ())
        return [next(counted) if each is None else each for each in found]

    def table(self, questions: Sequence[Question]) -> Floats:
        return tally(self.distinct([question.name for question in questions]), questions)

    @abstractmethod
    def _summed(self, names: Sequence[str]) -> Distinct | None:
        """The replies of everybody with the few numbers; none where they must be told as they are."""


@dataclass(frozen=True)
class MomentCounts(SummedCounts):
    """Counts in which two numbers of each cell stand for all."""

    name: str
    number: Cut

    def _summed(self, names: Sequence[str]) -> Distinct | None:
        if self.name not in names or not isinstance(self.counts, SumsNumbers):
            return None
        found = self.counts.moments([each for each in names if each != self.name], self.name, self.number)
        if found is None:
            return None
        if (found.cells == NO_ANSWER).any():
            self.counts.cut({self.name: self.number}).distinct(names)  # which refuses them
            return None
        return found.with_numbers(self.name).distinct(names, answered=False)


def by_moments(counts: Counts, design: Design, question: Question, kept: Collection[str] = ()) -> Counts:
    """Counts that tell of a number in the clear, perhaps newly cut, no more than its cell and what a mean needs.

    Only where an engine holds many different ones; elsewhere they are told as they are.
    """
    for name, cut in cuts_of_many(counts, design, [question], kept).items():
        return MomentCounts(counts, name, cut)
    return counts


def two_numbers(
    least: Floats, most: Floats, mean: Floats, variance: Floats, third: Floats
) -> tuple[Floats, Floats, Floats]:
    """Two numbers with these moments, and the share of the first: [reply].

    Rounding may spoil the third moment; mean and variance stay right.
    """
    below, above = np.maximum(mean - least, 0.0), np.maximum(most - mean, 0.0)
    v = np.maximum(np.minimum(variance, below * above), 0.0)
    skew = _over(third, v)
    b = np.minimum((skew + np.sqrt(skew**2 + 4 * v)) / 2, above)
    a = np.minimum(_over(v, b), below)
    b = np.minimum(_over(v, a), above)
    share = np.where(a + b > 0, _over(b, a + b), 1.0)
    return np.clip(mean - a, least, most), np.clip(mean + b, least, most), share


def _over(one: Floats, other: Floats) -> Floats:
    """A quotient, nothing where there is nothing to divide by."""
    return np.divide(one, other, out=np.zeros_like(one), where=other > 0)
