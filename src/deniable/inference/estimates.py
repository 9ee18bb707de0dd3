"""Estimates of the truth, and the tables that learners may ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, isfinite, log10
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.inference.error import OUTSIDE, Moments, Z
from deniable.inference.invert.stack import Table
from deniable.inference.sampling.drawn import DesignEffect
from deniable.notebook import notebook_html

ROUGH_WIDTH, FEW_WIDTH = 0.1, 0.3  # half-widths to be expected of a share's interval, above which its note says so
FEW = 20  # replies to a number, below which its mean and its quantiles rest on too few
SLACK = 1e-9
SMOOTHED = "reconstructed: peaks narrower than the noise are smoothed away"  # of numbers under noise


@dataclass(frozen=True)
class Estimate:
    """A figure about the true answers, with its standard error and 95 % interval.

    n is the number it rests on: the replies, or under a condition the estimated number of respondents who meet it.
    Where method is "inverse" the value is unbiased, so it may lie outside the limits of what is possible; low and
    high are clipped to those.
    """

    value: float
    stderr: float
    low: float
    high: float
    n: int
    method: str
    half_width: float | None = None  # of a share's interval, to be expected at an even truth; None of other figures
    limits: tuple[float, float] = (0.0, 1.0)  # of what is possible
    caveat: str = ""
    design_effect: DesignEffect | None = None  # of people who were not drawn evenly

    @property
    def too_few(self) -> bool:
        """Whether it is not to be used: its interval is expected to span most of what is possible."""
        return self.n < FEW if self.half_width is None else self.half_width > FEW_WIDTH

    @property
    def rough(self) -> bool:
        """Whether its interval is expected to be wide."""
        return self.half_width is not None and ROUGH_WIDTH < self.half_width <= FEW_WIDTH

    @property
    def grade(self) -> str:
        """Whether it is to be used with care, or not at all, as far as the design and the number of replies tell."""
        return "too few" if self.too_few else "rough" if self.rough else ""

    @property
    def note(self) -> str:
        """What a reader must know before using the figure."""
        notes = [self.grade] if self.grade else []
        slack = SLACK * min(1.0, self.limits[1] - self.limits[0])
        if not self.limits[0] - slack <= self.value <= self.limits[1] + slack:
            notes.append("outside the possible: interval clipped")
        effect = "" if self.design_effect is None else str(self.design_effect)
        return "; ".join(filter(None, [*notes, self.caveat, effect]))

    def saying(self, *caveats: str) -> Self:
        """The same, with these words in its note."""
        return replace(self, caveat="; ".join(each for each in (self.caveat, *caveats) if each))

    @property
    def _digits(self) -> int:
        """Four, or as many as a narrow range needs."""
        width = self.limits[1] - self.limits[0]
        return max(4, 3 - floor(log10(width))) if isfinite(width) else 4

    @property
    def figures(self) -> tuple[str, str, str, str]:
        """Value, standard error and the ends of the interval as people read them."""
        value, stderr, low, high = (
            f"{each:.{self._digits}f}" for each in (self.value, self.stderr, self.low, self.high)
        )
        return value, stderr, low, high

    def __repr__(self) -> str:
        return f"<Estimate {self}>"

    def _repr_html_(self) -> str:
        return notebook_html("estimate", self)

    def __str__(self) -> str:
        value, stderr, low, high = self.figures
        text = f"{value} ± {stderr}, 95 % interval {low} to {high}, n = {self.n:,}"
        return f"{text} ({self.note})" if self.note else text


def share_estimate(weights: Moments, outside: float = inf) -> Estimate:
    """A share from the moments of its weights over the replies; of its interval, see `within_possible`."""
    low, high = within_possible(weights.mean, weights.interval(), outside)
    found = float(found_half_width(weights.stderr, weights.n))
    return Estimate(weights.mean, weights.stderr, low, high, round(weights.n), "inverse", found)


def within_possible(value: float, ends: tuple[float, float], outside: float = OUTSIDE) -> tuple[float, float]:
    """A share's interval, clipped; an estimate outside the possible counts as one by at most so many errors outside.

    Otherwise the interval of one that lies far outside would have no width, as if it were certain.
    """
    reach = abs(value) + 1
    if isfinite(outside):  # an interval without width times infinity is no number
        reach = min(outside * (ends[1] - ends[0]) / (2 * Z), reach)
    moved = float(np.clip(value, -reach, 1 + reach)) - value
    low, high = np.clip([ends[0] + moved, ends[1] + moved], 0.0, 1.0)
    return float(low), float(high)


def found_half_width(stderr: Table | float, n: float) -> Table:
    """Half-widths as replies show them, for shares whose design alone does not tell: never below those in the clear."""
    return np.asarray(Z * np.maximum(stderr, 0.5 / np.sqrt(max(n, 1.0))))


def grades(half_widths: Table) -> dict[str, NDArray[np.bool_]]:
    """Which of many shares are too few, and which rough."""
    few = half_widths > FEW_WIDTH
    return {"too few": few, "rough": (half_widths > ROUGH_WIDTH) & ~few}


def joined_notes(notes: Mapping[str, NDArray[np.bool_]], count: int) -> list[str]:
    """The notes of many figures, of which each holds for some."""
    found = [""] * count
    for note, mask in notes.items():
        for index in np.flatnonzero(mask).tolist():
            found[index] = f"{found[index]}; {note}" if found[index] else note
    return found


@dataclass(frozen=True)
class TrueTable:
    """Estimated counts of true answers, and the variance of each; cells may be negative."""

    names: tuple[str, ...]
    counts: Table
    variance: Table


class Estimates(Protocol):
    """Estimated tables of the truth."""

    @property
    def design(self) -> Design:
        """The design that the replies were disguised under."""
        ...

    def table(self, names: Sequence[str], given: Mapping[str, int] | None = None) -> TrueTable:
        """The table of these questions, among those whose answers to others are these cells."""
        ...
