"""One-step lookahead: patterns that no single question shows.

A question may predict nothing by itself and much together with another, as where the old and rich and the young and
poor differ from the rest. Before a tree stops at a node, it looks one question further. Hundreds of pairs are tried,
so a pattern must exceed 4 standard errors: by chance one pure node in a hundred shows one.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.significance import is_pattern
from deniable.learn.tree.splitter import Split

Splitter = Callable[[Subpopulation], list[Split]]
Z_DEEPER = 4.0
MAX_TRIED = 10  # pairs, those that gain most
MIN_PEOPLE = 2 * Z_DEEPER**2  # fewer could not reach it even undisguised
MAX_LOOKS = 2e8  # rows times pairs of questions


class Pair(NamedTuple):
    """A split, a second one below one of its parts, and the second one's gain times its people."""

    gain: float
    first: Split
    below: Subpopulation
    second: Split


def buried_split(branch: Subpopulation, splits: Splitter) -> Split | None:
    """The split below which another question separates the classes beyond noise, if there is one."""
    people = float(np.maximum(branch.target(), 0).sum())
    firsts = splits(branch) if people >= MIN_PEOPLE else []
    if branch.size * len(firsts) ** 2 > MAX_LOOKS:
        return None
    pairs = [_best_below(branch, first, part, splits) for first in firsts for part in first.parts]
    found = sorted((pair for pair in pairs if pair), key=lambda pair: -pair.gain)
    for pair in found[:MAX_TRIED]:
        if is_pattern(*pair.below.parted(pair.second.question, pair.second.parts), z=Z_DEEPER):
            return pair.first
    return None


def _best_below(branch: Subpopulation, first: Split, part: Sequence[int], splits: Splitter) -> Pair | None:
    """The best second question for one part of the first one's answers."""
    below = branch.restrict(first.question, part)
    best = max(splits(below), key=lambda split: split.gain, default=None)
    if best is None:
        return None
    return Pair(best.gain * float(np.maximum(below.target(), 0).sum()), first, below, best)
