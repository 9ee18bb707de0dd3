"""Patterns that no question shows alone.

A question may tell nothing by itself and much together with another: it is the old and rich, and the young and poor,
who differ from the rest. Before a tree gives up at a node, it looks one question further. Hundreds of pairs are
looked at, so a pattern must stand out by 4 standard errors: by chance one in a hundred pure nodes would show one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deniable.inference.branch import Branch
from deniable.learn.noise import is_pattern
from deniable.learn.purity import Split

Floats = NDArray[np.float64]
Splitter = Callable[[int, Floats], Split | None]
Z_DEEPER = 4.0
MOST_TRIED = 10  # pairs, those that gain most
LEAST_PEOPLE = 2 * Z_DEEPER**2  # fewer could not show it even undisguised
MOST_LOOKS = 2e8  # rows times pairs of questions


class Pair(NamedTuple):
    """A split, a second one below one of its parts, and what both gain for everybody at the node."""

    gain: float
    first: Split
    below: Branch
    second: Split


def buried_split(branch: Branch, questions: int, split: Splitter) -> Split | None:
    """The split below which another question tells something beyond noise, if there is one."""
    people = float(np.maximum(branch.target(), 0).sum())
    if people < LEAST_PEOPLE or branch.size * questions**2 > MOST_LOOKS:
        return None
    pairs = sorted(_pairs(branch, questions, split), key=lambda pair: -pair.gain)
    for pair in pairs[:MOST_TRIED]:
        if is_pattern(*pair.below.parted(pair.second.question, pair.second.parts), z=Z_DEEPER):
            return pair.first
    return None


def _pairs(branch: Branch, questions: int, split: Splitter) -> list[Pair]:
    """For every question and every part of its answers, the best second question."""
    found = []
    for question in range(questions):
        first = split(question, np.maximum(branch.table(question), 0))
        for part in first.parts if first is not None else ():
            below = branch.narrow(question, part)
            people = float(np.maximum(below.target(), 0).sum())
            seconds = [split(other, np.maximum(below.table(other), 0)) for other in range(questions)]
            best = max((each for each in seconds if each is not None), key=lambda each: each.gain, default=None)
            if first is not None and best is not None:
                found.append(Pair(best.gain * people, first, below, best))
    return found
