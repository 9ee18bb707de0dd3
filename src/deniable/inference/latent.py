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
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.special import logsumexp, xlogy

from deniable.count.packed import MOST_KEYS
from deniable.inference.records import Records

Floats = NDArray[np.float64]
Cells = NDArray[np.integer[Any]]
MOST_GROUPS = 6
ROUNDS = 30
MOVED = 1e-3  # of a log-likelihood term, below which a round is the last
LEAST_SHARE = 0.003
LAPLACE = 0.25  # added to each pair cell
LEAST_WEIGHT = 1e-6
SAMPLE = 2**16  # distinct replies from which the model is learnt


@dataclass(frozen=True)
class DependenceTree:
    """A model of the true answers: each question's chances given the one it hangs on (none: its own shares)."""

    parents: tuple[int | None, ...]
    chances: tuple[Floats, ...]  # [parent cell, cell], or [1, cell]

    def log_chance(self, cells: Cells) -> Floats:
        """The logarithm of the chance of each record, given one row of cells per question."""
        total = np.zeros(cells.shape[1:])
        for question, (parent, chances) in enumerate(zip(self.parents, self.chances, strict=True)):
            above = 0 if parent is None else cells[parent].astype(np.intp)
            total += np.log(chances).ravel().take(above * chances.shape[1] + cells[question])
        return total


def true_records(
    replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float], guess: Records | None = None
) -> Records:
    """Expected true records behind the replies: each reply un-flipped in all ways, by how likely they are.

    Of several starts (what the answers' chief direction says about the draws; the inverse margins; a first guess of
    the true records) the one that ends with the highest likelihood is kept. Very many replies are learnt from by a
    sample of them.
    """
    some = _sample(replies)
    prior = _log_prior(groups, thetas)
    starts = [_chief_direction(some, groups, thetas), _inverse_margins(some, groups, thetas)]
    if guess is not None:
        starts.append(Candidates.of(guess, []).refit(np.ones((len(guess.times), 1)), guess.times))
    candidates = Candidates.of(some, groups)
    _, model = max((_climb(some, candidates, prior, start) for start in starts), key=lambda end: end[0])
    pieces = [_unflipped(replies.part(slice(start, start + SAMPLE)), groups, prior, model)
              for start in range(0, len(replies.times), SAMPLE)]  # fmt: skip
    cells = tuple(np.concatenate(columns) for columns in zip(*[piece.cells for piece in pieces], strict=True))
    return Records(cells, replies.sizes, np.concatenate([piece.times for piece in pieces]))


def _sample(replies: Records) -> Records:
    if len(replies.times) <= SAMPLE:
        return replies
    return replies.part(np.random.default_rng(0).choice(len(replies.times), SAMPLE, replace=False))


def _unflipped(replies: Records, groups: Sequence[Sequence[int]], prior: Floats, model: DependenceTree) -> Records:
    """Each reply un-flipped in all ways that are likely, given a model of the truth."""
    candidates = Candidates.of(replies, groups)
    _, posterior = candidates.explain(model, prior)
    weights = (posterior * replies.times[:, None]).ravel()
    kept = weights > LEAST_WEIGHT
    truths = candidates.which.ravel()[kept]
    return Records(tuple(column[truths] for column in candidates.cells), replies.sizes, weights[kept])


@dataclass(frozen=True)
class Candidates:
    """The true records that may stand behind some replies, each once."""

    cells: Cells  # [q, truth]
    which: NDArray[np.intp]  # [m, f]: the truth behind each reply, un-flipped in each way
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, replies: Records, groups: Sequence[Sequence[int]]) -> "Candidates":
        """Un-flip every reply in every way."""
        flips = np.arange(2 ** len(groups))
        ways = np.repeat(np.array(replies.cells)[:, :, None], len(flips), axis=2)
        for place, group in enumerate(groups):
            ways[list(group)] ^= (flips >> place & 1).astype(ways.dtype)
        cells, shape = ways.reshape(len(ways), -1), ways.shape[1:]
        if prod(replies.sizes) > MOST_KEYS:
            return cls(cells, np.arange(cells.shape[1]).reshape(shape), replies.sizes)
        keys, which = np.unique(np.ravel_multi_index(tuple(cells), replies.sizes), return_inverse=True)
        return cls(np.array(np.unravel_index(keys, replies.sizes)), which.reshape(shape), replies.sizes)

    def explain(self, model: "DependenceTree", prior: Floats) -> tuple[Floats, Floats]:
        """The logarithm of each reply's chance, and the posterior of its flips."""
        joint = model.log_chance(self.cells)[self.which] + prior
        terms = logsumexp(joint, axis=1)
        return terms, np.exp(joint - terms[:, None])

    def refit(self, posterior: Floats, times: Floats) -> "DependenceTree":
        """The model of the truth, if the flips were as likely as that."""
        weights = np.bincount(self.which.ravel(), (posterior * times[:, None]).ravel(), minlength=self.cells.shape[1])
        counted = (self._shown * weights.astype(np.float32)) @ self._shown.T
        return fit_dependence_tree(counted.astype(float) + LAPLACE, self.sizes)

    @cached_property
    def _shown(self) -> NDArray[np.float32]:
        """Which answers each truth has: one row per answer of each question."""
        starts = np.cumsum([0, *self.sizes])
        shown = np.zeros((starts[-1], self.cells.shape[1]), dtype=np.float32)
        for column, start in zip(self.cells, starts[:-1], strict=True):
            shown[start + column.astype(np.intp), np.arange(len(column))] = 1
        return shown


def _log_prior(groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> Floats:
    flipped = np.arange(2 ** len(groups))[:, None] >> np.arange(len(groups)) & 1
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(flipped == 1, np.log1p(-np.asarray(thetas)), np.log(thetas)).sum(axis=1))


def _climb(
    replies: Records, candidates: Candidates, prior: Floats, model: DependenceTree
) -> tuple[float, DependenceTree]:
    """Expectation and maximisation in turn: the log-likelihood that a model reaches, and the model."""
    before = np.full(len(replies.times), -np.inf)
    for turn in range(ROUNDS):
        terms, posterior = candidates.explain(model, prior)
        if np.abs(terms - before).max() < MOVED or turn == ROUNDS - 1:
            break
        before = terms
        model = candidates.refit(posterior, replies.times)
    return float(terms @ replies.times), model


def fit_dependence_tree(counted: Floats, sizes: Sequence[int]) -> DependenceTree:
    """The tree whose pairs tell most about each other, rooted at the target.

    `counted` has the table of every two questions, as a matrix of blocks.
    """
    spanning = minimum_spanning_tree(-np.triu(_information(counted, sizes) + 1e-9, 1))
    root = len(sizes) - 1
    _, above = breadth_first_order(spanning, root, directed=False)
    spans = [slice(start, stop) for start, stop in pairwise(np.cumsum([0, *sizes]))]
    parents = [None if question == root else int(above[question]) for question in range(len(sizes))]
    chances = []
    for question, parent in enumerate(parents):
        other = spans[question - 1 if question else 1]
        table = counted[other, spans[question]].sum(axis=0)[None]
        if parent is not None:
            table = counted[spans[parent], spans[question]]
        chances.append(table / table.sum(axis=1, keepdims=True))
    return DependenceTree(tuple(parents), tuple(chances))


def _information(counted: Floats, sizes: Sequence[int]) -> Floats:
    """Mutual information of every two questions, times n, from the matrix of all their tables."""
    owner = np.repeat(np.eye(len(sizes)), sizes, axis=0)  # [column, question]
    margins, totals = counted @ owner, owner.T @ counted @ owner
    of_margins = owner.T @ xlogy(margins, margins)
    return np.asarray(owner.T @ xlogy(counted, counted) @ owner - of_margins - of_margins.T + xlogy(totals, totals))


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
