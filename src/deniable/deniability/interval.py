"""Interval privacy: in how wide an interval a number under noise can lie.

If a report lets the truth be placed in an interval of width w with confidence c, the privacy at c is w.
Agrawal and Srikant 2000, table 1 (whose 6.8 standard deviations at 99.9 % are a misprint of 6.58)

    confidence          50 %         95 %        99.9 %
    discretization    0.5 W       0.95 W      0.999 W      W: width of an interval
    uniform          0.5 * 2h    0.95 * 2h    0.999 * 2h   h: half-width
    gaussian         1.349 sd     3.92 sd      6.58 sd
"""

from itertools import pairwise
from math import floor, log10

import numpy as np

from deniable.channel.channel import Channel
from deniable.channel.noise import UNIT, Noise
from deniable.survey.question import Question

CONFIDENCES = (0.5, 0.95, 0.999)


def interval_privacy(channel: Channel, question: Question, confidence: float) -> float:
    """The width, in the question's own unit, that holds the truth with this confidence; 0 in the clear."""
    limits = question.range
    assert limits is not None, "only numbers have interval privacy"
    if channel.noise is not None:
        return channel.noise.width(confidence) * limits.step
    if channel.factors is not None:
        low, high = factor_span(channel.factors, confidence)
        return limits.low * (1 / low - 1 / high)  # of the least number: of larger ones it is wider
    if not limits.by_interval:
        return 0.0
    return confidence * min(high - low for low, high in pairwise(limits.edges))


def factor_span(factors: Noise, confidence: float) -> tuple[float, float]:
    """The factors between which one is drawn with this confidence, as many below as above."""
    reached = np.cumsum(factors.chances)
    ends = np.searchsorted(reached, [(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = (factors.first + ends) / UNIT
    return float(low), float(high)


def width_word(width: float) -> str:
    """A width in three digits and in full, never wider than the truth: 36.4, 6,000, 0.012."""
    if width <= 0:
        return "0"
    digits = 2 - floor(log10(width))
    cut = floor(width * 10.0**digits * (1 + 1e-9)) / 10.0**digits
    word = f"{cut:,.{max(digits, 0)}f}"
    return word.rstrip("0").rstrip(".") if "." in word else word
