"""Order of answers: the one that a file has, that of a known scale, that of amounts, or that of the numbers in them.

A csv has words in no order. Sorted as text, "daily" would come before "never", and "10 to 19" before "5 to 9".
"""

import re
from collections.abc import Iterable, Sequence

from deniable.frame.amounts import by_amount, by_rate

NEITHER = ("neither", "neutral", "undecided")


def _twice(*steps: str, words: tuple[str, str], middle: Sequence[str]) -> tuple[str, ...]:
    """A scale of two sides: the steps of the first, the middle, and those of the second in reverse."""
    down, up = ([step.format(word) for step in steps] for word in words)
    return (*down, *middle, *NEITHER, *reversed(up))


QUALITY = ("very bad", "bad", "poor", "fair", "good", "very good", "excellent")
SATISFACTION = _twice(
    "extremely {0}",
    "completely {0}",
    "very {0}",
    "{0}",
    "rather {0}",
    "fairly {0}",
    "somewhat {0}",
    "slightly {0}",
    words=("dissatisfied", "satisfied"),
    middle=("neither satisfied nor dissatisfied",),
)
SCALES = (
    ("none", "a little", "some", "much", "a lot", "all"),
    ("very low", "low", "medium", "middle", "high", "very high"),
    QUALITY,
    _twice(
        "strongly {0}",
        "{0} strongly",
        "completely {0}",
        "{0}",
        "mostly {0}",
        "tend to {0}",
        "rather {0}",
        "somewhat {0}",
        "slightly {0}",
        words=("disagree", "agree"),
        middle=("neither agree nor disagree",),
    ),
    SATISFACTION,
    _twice("very {0}", "{0}", "rather {0}", "somewhat {0}", words=("unlikely", "likely"), middle=()),
    ("not at all", "slightly", "several days", "moderately", "more than half the days", "very", "nearly every day"),
)
WORST_FIRST = (QUALITY, SATISFACTION)
MIN_STEPS = 3  # of a scale: "bad" and "good" alone may be anything


def in_order(words: Iterable[str], given: Sequence[str] = ()) -> tuple[list[str], bool]:
    """The answers in order, and whether the order means something.

    >>> in_order({"weekly", "daily", "never"})
    (['never', 'weekly', 'daily'], True)
    >>> in_order({"10 to 19", "5 to 9", "20 or more"})
    (['5 to 9', '10 to 19', '20 or more'], True)
    >>> in_order({"team 10", "team 9", "team 11"})
    (['team 9', 'team 10', 'team 11'], False)
    """
    found = set(words)
    if given:
        return sorted(found, key=given.index), False
    enough = len(found) >= MIN_STEPS
    for scale in SCALES:
        if enough and {word.lower() for word in found} <= set(scale):
            return sorted(found, key=lambda word: scale.index(word.lower())), True
    if enough and (sorted_words := by_rate(found)) is not None:
        return sorted_words, True
    if (sorted_words := by_amount(found)) is not None:
        return sorted_words, enough
    return sorted(found, key=_by_number), False


def rather_denied(answers: Sequence[str]) -> str:
    """Of an ordered scale the answer that most people would rather deny: the most, or the worst.

    >>> rather_denied(["never", "weekly", "daily"]), rather_denied(["daily", "weekly", "never"])
    ('daily', 'daily')
    >>> rather_denied(["very bad", "bad", "good", "very good"])
    'very bad'
    """
    known, ordered = in_order(answers)
    downwards = ordered and known == list(answers)[::-1]
    worst_first = any({word.lower() for word in answers} <= set(scale) for scale in WORST_FIRST)
    return answers[0] if downwards != worst_first else answers[-1]


def _by_number(word: str) -> list[tuple[bool, float, str]]:
    """Runs of digits count as numbers, everything else as text."""
    return [
        (not part.isdecimal(), float(part) if part.isdecimal() else 0.0, part)
        for part in re.split(r"(\d+)", word)
        if part
    ]
