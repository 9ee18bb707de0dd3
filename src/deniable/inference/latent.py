"""The hidden draw as the missing datum: who told the truth?

Where a few groups of questions are told or inverted as a whole, people's answers hang together so much that the
draw of nearly everybody can be guessed. Expectation and maximisation take turns: given a model of the true
answers, how likely is each draw behind each reply; given the draws, what is the model. The model is a dependence
tree: every answer hangs on one other.  Chow and Liu 1968; Dempster, Laird and Rubin 1977

This is why one draw for several questions protects nobody; see the privacy report.

legend: m distinct replies, f combinations of flips, q questions (the target last)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.special import logsumexp

from deniable.inference.records import Records

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
MOST_GROUPS = 6
ROUNDS = 30
MOVED = 1e-3  # of a log-likelihood term, below which a round is the last
LEAST_SHARE = 0.003
LAPLACE = 0.25  # added to each pair cell
LEAST_WEIGHT = 1e-6


@dataclass(frozen=True)
class DependenceTree:
    """A model of the true answers: each question's chances given the one it hangs on (none: its own shares)."""

    parents: tuple[int | None, ...]
    chances: tuple[Floats, ...]  # [parent cell, cell], or [1, cell]

    def log_chance(self, cells: Cells) -> Floats:
        """The logarithm of the chance of each record, given one row of cells per question."""
        total = np.zeros(cells.shape[1:])
        for question, (parent, chances) in enumerate(zip(self.parents, self.chances, strict=True)):
            above = 0 if parent is None else cells[parent]
            total += np.log(chances)[above, cells[question]]
        return total


def true_records(
    replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float], guess: Records | None = None
) -> Records:
    """Expected true records behind the replies: each reply un-flipped in all ways, by how likely they are.

    Of several starts (what the answers' chief direction says about the draws; the inverse margins; a first guess of
    the true records) the one that ends with the highest likelihood is kept.
    """
    flips = _flips(replies, groups)
    prior = _log_prior(groups, thetas)
    starts = [_chief_direction(replies, groups, thetas), _inverse_margins(replies, groups, thetas)]
    if guess is not None:
        starts.append(fit_dependence_tree(np.array(guess.cells), guess.times, guess.sizes))
    ends = [_climb(replies, flips, prior, start) for start in starts]
    _, posterior = max(ends, key=lambda end: end[0])
    weights = (posterior * replies.times[:, None]).ravel()
    kept = weights > LEAST_WEIGHT
    return Records(tuple(flips.reshape(len(flips), -1)[:, kept]), replies.sizes, weights[kept])


def _flips(replies: Records, groups: Sequence[Sequence[int]]) -> Cells:
    """Each reply in every way it could be un-flipped: [q, m, f]."""
    ways = np.repeat(np.array(replies.cells)[:, :, None], 2 ** len(groups), axis=2)
    for place, group in enumerate(groups):
        flipped = (np.arange(2 ** len(groups)) >> place & 1).astype(bool)
        for question in group:
            ways[question][:, flipped] ^= 1
    return ways


def _log_prior(groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> Floats:
    flipped = np.arange(2 ** len(groups))[:, None] >> np.arange(len(groups)) & 1
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(flipped == 1, np.log1p(-np.asarray(thetas)), np.log(thetas)).sum(axis=1))


def _climb(replies: Records, flips: Cells, prior: Floats, model: DependenceTree) -> tuple[float, Floats]:
    """Expectation and maximisation in turn: the log-likelihood and the posterior of the flips."""
    before = np.full(len(replies.times), -np.inf)
    for _ in range(ROUNDS):
        joint = model.log_chance(flips) + prior
        terms = logsumexp(joint, axis=1)
        posterior = np.exp(joint - terms[:, None])
        if np.abs(terms - before).max() < MOVED:
            break
        before = terms
        weights = (posterior * replies.times[:, None]).ravel()
        model = fit_dependence_tree(flips.reshape(len(flips), -1), weights, replies.sizes)
    return float(terms @ replies.times), posterior


def fit_dependence_tree(cells: Cells, weights: Floats, sizes: Sequence[int]) -> DependenceTree:
    """The tree whose pairs tell most about each other, rooted at the target."""
    pairs = _pair_tables(cells, weights, sizes)
    information = np.array([[_information(pairs[one][two]) if one < two else 0.0 for two in range(len(sizes))]
                            for one in range(len(sizes))])  # fmt: skip
    spanning = minimum_spanning_tree(-(information + 1e-9 * np.triu(np.ones_like(information), 1)))
    root = len(sizes) - 1
    _, above = breadth_first_order(spanning, root, directed=False)
    parents = [None if question == root else int(above[question]) for question in range(len(sizes))]
    chances = []
    for question, parent in enumerate(parents):
        other = question - 1 if question else 1
        table = pairs[other][question].sum(axis=0)[None] if parent is None else pairs[parent][question]
        chances.append(table / table.sum(axis=1, keepdims=True))
    return DependenceTree(tuple(parents), tuple(chances))


def _pair_tables(cells: Cells, weights: Floats, sizes: Sequence[int]) -> list[list[Floats]]:
    """The table of every two questions, a little smoothed; by one matrix product over indicators."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    shown = np.zeros((starts[-1], cells.shape[1]), dtype=np.float32)
    for question, start in enumerate(starts[:-1]):
        shown[start + cells[question], np.arange(cells.shape[1])] = 1
    counted = ((shown * weights.astype(np.float32)) @ shown.T).astype(float) + LAPLACE
    spans = [slice(start, stop) for start, stop in pairwise(starts)]
    return [[counted[one, two] for two in spans] for one in spans]


def _information(table: Floats) -> float:
    """Mutual information of a table's rows and columns."""
    shares = table / table.sum()
    return float((shares * np.log(shares / np.outer(shares.sum(axis=1), shares.sum(axis=0)))).sum())


def _independent(shares: Sequence[Floats]) -> DependenceTree:
    return DependenceTree((None,) * len(shares), tuple(each[None] for each in shares))


def _shares(cells: Cells, times: Floats, size: int) -> Floats:
    return np.asarray(np.clip(np.bincount(cells, times, minlength=size) / times.sum(), LEAST_SHARE, 1 - LEAST_SHARE))


def _chief_direction(replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> DependenceTree:
    """Flips leave second moments as they are, so their chief direction parts told replies from inverted ones."""
    cells = np.array(replies.cells)
    for group, theta in zip(groups, thetas, strict=True):
        signs = 2.0 * np.array([replies.cells[question] for question in group]) - 1
        _, vectors = np.linalg.eigh((signs * replies.times) @ signs.T)
        truthful = vectors[:, -1] @ signs > 0
        share = replies.times[truthful].sum() / replies.times.sum()
        if (share > 0.5) != (theta > 0.5):
            truthful = ~truthful
        for question in group:
            cells[question, ~truthful] ^= 1
    return _independent([_shares(each, replies.times, size) for each, size in zip(cells, replies.sizes, strict=True)])


def _inverse_margins(replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> DependenceTree:
    """Each question's shares by inversion."""
    told = {question: theta for group, theta in zip(groups, thetas, strict=True) for question in group}
    shares = []
    for question, size in enumerate(replies.sizes):
        reported = np.bincount(replies.cells[question], replies.times, minlength=size) / replies.times.sum()
        if question in told:
            yes = (reported[1] - 1 + told[question]) / (2 * told[question] - 1)
            reported = np.array([1 - yes, yes])
        clipped = np.clip(reported, LEAST_SHARE, 1 - LEAST_SHARE)
        shares.append(clipped / clipped.sum())
    return _independent(shares)
