"""Look-ahead of one question: splits that pay only with a second one below.

Two questions may predict the class together although neither does so alone: if the old and rich and the young and poor
differ from everybody else, neither age nor income shows it. So before a tree stops at a node, it tries each question
with every second question below each of its answers.

    gain of a pair  =  (gain of the second split)  times  (respondents below the first split's part)

Hundreds of pairs are tried, so the second split must be significant at 4 standard errors: by chance alone, one in a
hundred nodes without any pattern would be split.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from deniable.inference.population.pair_tables import PairTables
from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.significance import are_patterns, is_pattern
from deniable.learn.tree.splitter import Split, Splitter, gains_of_each

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


def lookahead_split(node: Subpopulation, firsts: Sequence[Split], splits: Splitter) -> Split | None:
    """The split below which a second one is significant, of several the one with the largest gain; None if none is."""
    respondents = float(np.maximum(node.target(), 0).sum())
    firsts = firsts if respondents >= MIN_RESPONDENTS else []
    if len(firsts) ** 2 > MAX_PAIRS or node.size * len(firsts) ** 2 > MAX_WORK:
        return None
    together = node.pair_tables() if firsts else None
    if together is not None:
        return _of_pairs(together, node, firsts, splits)
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


def _of_pairs(pairs: PairTables, node: Subpopulation, firsts: Sequence[Split], splits: Splitter) -> Split | None:
    """The same as `lookahead_split` from the tables of all pairs, where every question has two answers."""
    tables, above = np.maximum(pairs.tables, 0), node.tables()  # [first, answer, second, answer, class]
    gains, possible = gains_of_each(tables.reshape(-1, *tables.shape[3:]), splits.impurity)
    gains = np.where(possible, gains, -np.inf).reshape(tables.shape[:3])
    own = np.arange(len(gains))
    gains[own, :, own] = -np.inf
    first = np.repeat([pairs.questions.index(split.question) for split in firsts], 2)  # [pair]
    cell = np.tile([0, 1], len(firsts))
    second = gains[first, cell].argmax(axis=1)  # the best below
    gain = gains[first, cell, second]
    people = np.concatenate([np.maximum(above[split.question], 0).sum(axis=1) for split in firsts])
    order = np.argsort(-np.where(gain > -np.inf, gain * people, -np.inf), kind="stable")
    tested = order[gain[order] > -np.inf][:MAX_TESTED]
    if not len(tested):  # as where one question is left
        return None
    found = are_patterns(*pairs.with_covariance(first[tested], cell[tested], second[tested]), Z_LOOKAHEAD)
    return next((firsts[pair // 2] for pair, passes in zip(tested.tolist(), found, strict=True) if passes), None)
