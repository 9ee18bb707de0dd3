"""How unlikely shares of replies are, whatever people truly answer.

A report's chance has bounds. Since every reply's own chance lies within them, the tail of the binomial distribution at
the bound is an upper limit for any truth, so the rate of false alarms is what it says.

An unbiased estimate of the true share of two answers at once is negative only by chance, whose size Bernstein's
inequality bounds, with the variance of the replies:

    P(share <= -d)  <=  exp(-n d^2 / (2 (v + w d / 3)))

Negative shares of less than one in twenty give no warning. Questions, or pairs of them, that have the same lottery are
looked at together.

legend: k question or pair of questions, r reported cell, x true cell; n replies, d how far an estimate lies below 0,
v variance and w width of one reply's weight
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc

from deniable.survey.question import Question

MIN_NEGATIVE = 0.05  # of all people: a smaller negative share may be a few replies that are wrong

Floats = NDArray[np.float64]
Words = Callable[[int], str]  # of a cell


def words_of(*questions: Question) -> Words:
    """The answers that a cell of one question stands for, or of several at once."""
    sizes = [len(question) for question in questions]

    def words(cell: int) -> str:
        cells = np.unravel_index(cell, sizes)
        return " and ".join(repr(each.answers[int(one)]) for each, one in zip(questions, cells, strict=True))

    return words


@dataclass(frozen=True)
class Shares:
    """How often each report came, and the bounds of its chance."""

    names: Sequence[tuple[str, ...]]  # [k]
    words: Sequence[Words]  # [k]
    counts: Floats  # [k, r]
    low: Floats  # [r]
    high: Floats  # [r]

    @classmethod
    def of(cls, name: str, words: Words, counts: Floats, low: Floats, high: Floats) -> Self:
        """The reports to one question: [r]."""
        return cls([(name,)], [words], counts[None], low, high)

    @property
    def tests(self) -> int:
        """How many bounds shares could break."""
        return len(self.names) * int((self.low > 0).sum() + (self.high < 1).sum())

    def tails(self) -> Floats:
        """The chance of so many replies or more (or so few or fewer), with the nearest possible chance: [k, r]."""
        n = self.counts.sum(axis=1, keepdims=True)
        many, few = self.counts > n * self.high, self.counts < n * self.low
        found = np.ones(self.counts.shape)
        for beyond, bound, tail, more in ((many, self.high, betainc, 0), (few, self.low, betaincc, 1)):
            if beyond.any():
                counts, others = self.counts[beyond], (n - self.counts)[beyond]
                found[beyond] = tail(counts + more, others + 1 - more, np.broadcast_to(bound, beyond.shape)[beyond])
        return found

    def distance(self, which: int, cell: int) -> float:
        """How many standard errors a share lies beyond its bounds."""
        n = float(self.counts[which].sum())
        share = float(self.counts[which, cell]) / n
        bound = min(max(share, float(self.low[cell])), float(self.high[cell]))
        return abs(share - bound) / sqrt(max(bound * (1 - bound), 1e-12) / n)

    def sentence(self, which: int, cell: int) -> str:
        """What looks wrong."""
        names, n = self.names[which], self.counts[which].sum()
        return (
            f"{'question' if len(names) == 1 else 'questions'} {' and '.join(map(repr, names))}: "
            f"{self.counts[which, cell] / n:.2%} of {n:,.0f} replies say {self.words[which](cell)}, but under this "
            f"design {self.low[cell]:.2%} to {self.high[cell]:.2%} do, whatever the truth"
        )


@dataclass(frozen=True)
class TrueShares:
    """Estimated true shares of one question's answers or of two questions' at once."""

    names: Sequence[tuple[str, ...]]  # [k]
    words: Sequence[Words]  # [k]
    counts: Floats  # [k, r]
    weights: Floats  # [x, r]  of each report in the estimate of each share

    @property
    def tests(self) -> int:
        """How many shares could be negative."""
        return len(self.names) * len(self.weights)

    def tails(self) -> Floats:
        """The chance, at most, of an estimate so far below a share of none: [k, x]."""
        share, variance = self._moments()
        below = np.maximum(-share, 0.0)
        width, n = np.ptp(self.weights, axis=1), self.counts.sum(axis=1, keepdims=True)
        tails = np.exp(-n * below**2 / (2 * (variance + width * below / 3) + 1e-300))
        return np.asarray(np.where(below < MIN_NEGATIVE, 1.0, tails))

    def distance(self, which: int, cell: int) -> float:
        """How many standard errors a share lies below none."""
        share, variance = (each[which, cell] for each in self._moments())
        return float(-share / sqrt(max(variance, 1e-12) / self.counts[which].sum()))

    def sentence(self, which: int, cell: int) -> str:
        """What looks wrong."""
        share = self._moments()[0][which, cell]
        return (
            f"questions {' and '.join(map(repr, self.names[which]))}: by these replies {share:.2%} of people would "
            f"truly answer {self.words[which](cell)}, which chance does not explain"
        )

    def _moments(self) -> tuple[Floats, Floats]:
        chances = self.counts / self.counts.sum(axis=1, keepdims=True)
        share = chances @ self.weights.T
        return share, np.maximum(chances @ self.weights.T**2 - share**2, 0.0)
