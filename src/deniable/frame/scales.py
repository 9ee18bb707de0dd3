"""Order of answers: the one that a file has, that of a known scale, or that of the numbers in them.

A csv has words in no order. Sorted as text, "daily" would come before "never", and "10 to 19" before "5 to 9".
"""

import re
from collections.abc import Iterable, Sequence

SCALES = (
    ("never", "rarely", "seldom", "yearly", "monthly", "sometimes", "weekly", "often", "daily", "always"),
    ("none", "a little", "some", "much", "a lot", "all"),
    ("very low", "low", "medium", "middle", "high", "very high"),
    ("very bad", "bad", "poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "neutral", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("not at all", "slightly", "several days", "moderately", "more than half the days", "very", "nearly every day"),
)
MIN_STEPS = 3  # of a scale: "bad" and "good" alone may be anything


def in_order(words: Iterable[str], given: Sequence[str] = ()) -> tuple[list[str], bool]:
    """The answers in order, and whether the order means something.

    >>> in_order({"weekly", "daily", "never"})
    (['never', 'weekly', 'daily'], True)
    >>> in_order({"10 to 19", "5 to 9", "20 or more"})
    (['5 to 9', '10 to 19', '20 or more'], False)
    """
    found = set(words)
    if given:
        return sorted(found, key=given.index), False
    for scale in SCALES:
        if len(found) >= MIN_STEPS and {word.lower() for word in found} <= set(scale):
            return sorted(found, key=lambda word: scale.index(word.lower())), True
    return sorted(found, key=_by_number), False


def _by_number(word: str) -> list[tuple[bool, float, str]]:
    """Runs of digits count as numbers, everything else as text."""
    return [
        (not part.isdecimal(), float(part) if part.isdecimal() else 0.0, part)
        for part in re.split(r"(\d+)", word)
        if part
    ]
