"""Heaped numbers, noticed from replies under noise.

People round: their age to tens, their income to thousands. Most of them then sit on a few points, and a reconstruction,
which is smooth, puts them between. Numbers that are multiples of a unit swing with its period, and noise damps the
swing by a factor that is known, so the share who round is estimated without any reconstruction:

    heaped = mean over replies of cos(2 pi y / u) / damping,        damping = mean of cos(2 pi noise / u)

A smooth truth that is spread over more than the unit (by its standard deviation) has hardly such a swing: an even one
.09 at most, an exponential one .16. So a unit is named only where the share who round exceeds a fifth by more than
chance explains. Where noise damps a unit's swing to nothing, nothing can be noticed.

A pile on one number, as of people who earn nothing, is a multiple of a unit too, or nearly. But it swings with *every*
period, while people who round are out of step with periods that are no multiples of theirs.

legend: y reported number, u unit
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from deniable.channel.design import Design
from deniable.channel.noise import Noise
from deniable.count.counts import Distinct, is_answered
from deniable.survey.question import Question
from deniable.survey.range import Range

FALSE_ALARMS = 1e-3  # for each number, if its truth is smooth
TOLERATED = 0.2  # share who round that a smooth truth may mimic
MIN_REPLIES = 100
FINEST = 50  # units of the finest kind in the range: rounding to less does not matter
OUT_OF_STEP = (1.0 / 0.62, 2.0, 1.0 / 0.38)  # units that people who round to one do not swing with

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Heaps:
    """A unit whose multiples people round to, and the estimated share who do."""

    unit: float | None  # none if they do not round, but many have the same number
    share: float

    def words(self, name: str) -> str:
        """What people seem to do."""
        if self.unit is None:
            return f"many people seem to have the same {name}"
        return f"people seem to round {name} to multiples of {self.unit:g}"


def heaping_note(design: Design, replies: Distinct, questions: Sequence[Question]) -> str:
    """A note on those of some numbers under noise that people seem to round."""
    notes = []
    for question in questions:
        if design.block(question.name).is_plain and design.channel(question.name).noise is not None:
            heaps = heaps_of(design, replies, question)
            if heaps is not None:
                notes.append(f"{heaps.words(question.name)}, which reconstructions smooth away: ask it by interval")
    return "; ".join(notes)


def heaps_of(design: Design, replies: Distinct, question: Question) -> Heaps | None:
    """The coarsest unit that people round a number under noise to, or a pile; none if the replies do not show any."""
    noise, limits = design.channel(question.name).noise, question.range
    assert noise is not None
    assert limits is not None
    given = is_answered(replies.columns[question.name])
    n = float(replies.counts[given].sum())
    if n < MIN_REPLIES:
        return None
    numbers, counts = _tallied(limits, replies.columns[question.name][given], replies.counts[given])
    mean = float(counts @ numbers) / n
    spread = float(counts @ (numbers - mean) ** 2) / n - (noise.sd * limits.step) ** 2
    swings = _Swings(numbers, counts, noise, limits)
    able = [
        unit
        for unit in _units(limits, np.sqrt(max(spread, 0.0)))
        if abs(swings.damping(unit)) * np.sqrt(2 * n) * (1 - TOLERATED) > _needed(1)
    ]
    piled = None
    for unit in able:  # the coarsest first
        share, stderr = swings.share(unit)
        if share - TOLERATED > _needed(len(able)) * stderr:
            pile = swings.pile(unit)
            if pile < share / 2:
                return Heaps(unit, min(share, 1.0))
            piled = piled or Heaps(None, min(pile, 1.0))
    return piled


def _tallied(limits: Range, numbers: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Each reported number once, to the step of its question, and how many replies have it."""
    points = limits.points(numbers)
    lowest = int(points.min())
    found = np.bincount(points - lowest, counts).astype(float)  # of thousands of steps: there is no need to sort
    there = np.flatnonzero(found)
    return np.asarray(limits.low + (there + lowest) * limits.step), found[there]


@dataclass(frozen=True)
class _Swings:
    """How reported numbers swing with a period."""

    numbers: Floats
    counts: Floats
    noise: Noise
    limits: Range

    def damping(self, unit: float) -> complex:
        """The mean of exp(2 pi i noise / unit): real for noise that is symmetric."""
        steps = np.arange(self.noise.first, self.noise.last + 1) * self.limits.step
        return complex(self.noise.chances @ np.exp(2j * np.pi * steps / unit))

    def share(self, unit: float) -> tuple[float, float]:
        """The estimated share who round to a unit, and its standard error."""
        swing, n = (np.exp(2j * np.pi * self.numbers / unit) / self.damping(unit)).real, float(self.counts.sum())
        share = float(self.counts @ swing) / n
        return share, float(np.sqrt(self.counts @ (swing - share) ** 2)) / n

    def pile(self, unit: float) -> float:
        """The share who may have the same number: the least swing out of step, as far as noise damps that less."""
        able = [each * unit for each in OUT_OF_STEP if abs(self.damping(each * unit)) >= abs(self.damping(unit))]
        sizes = [
            abs(complex(self.counts @ np.exp(2j * np.pi * self.numbers / each)) / self.damping(each)) for each in able
        ]
        return min(sizes, default=0.0) / float(self.counts.sum())


def _needed(units: int) -> float:
    """Standard errors that a share must lie above what is tolerated, if so many units are looked at."""
    return float(-ndtri(FALSE_ALARMS / units))


def _units(limits: Range, spread: float) -> Iterator[float]:
    """Units that people may round to: one, two or five times a power of ten, the coarsest first."""
    width = limits.high - limits.low
    finest = max(width / FINEST, 2.0 if limits.integer else 0.0)
    for power in range(floor(log10(width)), floor(log10(finest)) - 1, -1):
        for digit in (5, 2, 1):
            if finest <= digit * 10.0**power <= spread:
                yield digit * 10.0**power
