"""Look-ahead of one question: splits that pay only with a second one below.

Two questions may predict the class together although neither does so alone: if the old and rich and the young and poor
differ from everybody else, neither age nor income shows it. So before a tree stops at a node, it tries each question
with every second question below each of its answers.

    gain of a pair  =  (gain of the second split)  times  (respondents below the first split's part)

Hundreds of pairs are tried, so the second split must be significant at 4 standard errors: by chance alone, one in a
hundred nodes without any pattern would be split.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.significance import is_pattern
from deniable.learn.tree.splitter import Split

Splitter = Callable[[Subpopulation], list[Split]]
Z_LOOKAHEAD = 4.0
MAX_TESTED = 10  # pairs with the largest gains
MIN_RESPONDENTS = 2 * Z_LOOKAHEAD**2  # fewer could not be significant even if undisguised
MAX_WORK = 2e8  # rows times pairs of questions
MAX_PAIRS = 1024  # of questions: among more, 4 standard errors are nothing rare


class Pair(NamedTuple):
    """A split, a second split below one of its parts, and the gain of the second over all respondents of the node."""

    gain: float
    first: Split
    below: Subpopulation
    second: Split


def lookahead_split(node: Subpopulation, splits: Splitter) -> Split | None:
    """The split below which a second one is significant, of several the one with the largest gain; None if none is."""
    respondents = float(np.maximum(node.target(), 0).sum())
    firsts = splits(node) if respondents >= MIN_RESPONDENTS else []
    if len(firsts) ** 2 > MAX_PAIRS or node.size * len(firsts) ** 2 > MAX_WORK:
        return None
    pairs = [_best_below(below, first, splits) for first in firsts for below in node.split(first.question, first.parts)]
    found = sorted((pair for pair in pairs if pair), key=lambda pair: -pair.gain)
    for pair in found[:MAX_TESTED]:
        second = pair.second
        if is_pattern(*pair.below.table_with_covariance(second.question, second.parts), second.grouped, Z_LOOKAHEAD):
            return pair.first
    return None


def _best_below(below: Subpopulation, first: Split, splits: Splitter) -> Pair | None:
    """The best second split below one part of the first; None if no question separates the respondents there."""
    best = max(splits(below), key=lambda split: split.gain, default=None)
    if best is None:
        return None
    return Pair(best.gain * float(np.maximum(below.target(), 0).sum()), first, below, best)
