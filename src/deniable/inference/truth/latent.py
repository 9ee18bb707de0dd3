"""Latent draws: expectation maximisation over who told the truth.

Where a few groups of questions are answered truly or inverted as a whole, answers depend on each other so much that
nearly everybody's draw can be guessed. The two steps: given a model of the true answers, the chance of each draw
behind each reply; given the draws, the model. The model is a dependence tree: every answer depends on one other.
Chow and Liu 1968; Dempster, Laird and Rubin 1977

This is why one draw for several questions protects nobody; see the privacy report.

legend: m distinct replies, f combinations of flips, q questions (the target last)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.count.packed import MAX_KEYS, pack
from deniable.inference.population.records import Cells, Floats, Records
from deniable.inference.truth.dependence import DependenceTree, fit_dependence_tree, independent
from deniable.inference.truth.packed_records import PackedRecords
from deniable.inference.truth.turned import doubtful_turn
from deniable.inference.truth.unbiased import MIN_SHARE, UnbiasedMoments

MAX_GROUPS = 6
ROUNDS = 30
MOVED = 1e-3  # of a log-likelihood term, below which a round is the last
MIN_WEIGHT = 1e-6
SAMPLE = 2**16  # distinct replies from which the model is learnt, at most
WORK = 2**29  # products of one round of learning; wider questionnaires are learnt from fewer replies


@dataclass(frozen=True)
class Unflipped:
    """The records that may be behind some replies, each once, and which of them each combination of flips gives."""

    cells: Cells  # [q, record]
    which: NDArray[np.intp]  # [f, m]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, replies: Records, groups: Sequence[Sequence[int]]) -> Self:
        """Each reply in every way it could be un-flipped."""
        ways = [np.array(replies.cells) for _ in range(2 ** len(groups))]
        for way, cells in enumerate(ways):
            flipped = [question for index, group in enumerate(groups) if way >> index & 1 for question in group]
            cells[flipped] ^= 1
        every = np.hstack(ways)
        if prod(replies.sizes) > MAX_KEYS:
            which = np.arange(every.shape[1])
        else:
            keys = pack(list(every), replies.sizes, np.dtype(np.int64))
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
            every = every[:, first]
        return cls(every, which.reshape(len(ways), -1), replies.sizes)

    @cached_property
    def packed(self) -> PackedRecords:
        """The records, looked at again in every round."""
        return PackedRecords(self.cells, self.sizes)

    def explain(self, model: DependenceTree, prior: Floats) -> tuple[Floats, Floats]:
        """The logarithm of each reply's chance, and the posterior of its flips: [f, m]."""
        joint = self.packed.log_chance(model).take(self.which)
        joint += prior[:, None]
        highest = joint.max(axis=0)
        posterior = np.exp(np.subtract(joint, highest, out=joint), out=joint)
        likelihood = posterior.sum(axis=0)
        posterior /= likelihood
        return highest + np.log(likelihood), posterior

    def weights(self, posterior: Floats) -> Floats:
        """How many people each record has, from how many each reply has in each way."""
        return np.bincount(self.which.ravel(), posterior.ravel(), minlength=self.cells.shape[1]).astype(float)


@dataclass(frozen=True)
class HiddenDraws:
    """Expected true records behind the replies: each reply un-flipped in all ways, by how likely they are."""

    records: Records
    contradicted: tuple[int, ...]  # questions whose unbiased shares or table they contradict, if any


@dataclass(frozen=True)
class End:
    """Where expectation and maximisation came to rest."""

    likelihood: float
    model: DependenceTree
    contradicted: tuple[int, ...]


def guess_draws(replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> HiddenDraws:
    """Who told the truth, by a model of the true answers.

    Of several starts (what the answers' chief direction says about the draws; the inverse margins; the inverse pair
    tables) the likeliest end is kept, of those that agree with the unbiased estimates if any does. Very many replies
    are learnt from by a sample of them.
    """
    some, prior = _sample(replies, len(groups)), _log_prior(groups, thetas)
    unflipped, unbiased = Unflipped.of(some, groups), UnbiasedMoments.of(some, groups, thetas)
    starts = (
        _chief_direction(some, groups, thetas),
        _inverse_margins(some, groups, thetas),
        fit_dependence_tree(unbiased.cautious(), some.sizes),
    )
    ends = [_climb(some, unflipped, unbiased, prior, start) for start in starts]
    best = max(ends, key=lambda end: (not end.contradicted, end.likelihood))
    if some is replies:
        return HiddenDraws(_expected(replies, unflipped, prior, best.model), best.contradicted)
    parts = [replies.part(slice(start, start + SAMPLE)) for start in range(0, len(replies.counts), SAMPLE)]
    found = [_expected(part, Unflipped.of(part, groups), prior, best.model) for part in parts]
    cells = tuple(np.concatenate(columns) for columns in zip(*[each.cells for each in found], strict=True))
    counts = np.concatenate([each.counts for each in found])
    return HiddenDraws(Records(cells, replies.sizes, counts), best.contradicted)


def _sample(replies: Records, groups: int) -> Records:
    """As many of the replies as can be learnt from, drawn once and for all."""
    columns = 1 + sum(size - 1 for size in replies.sizes)
    most = min(SAMPLE, max(1000, WORK // (columns**2 * 2**groups)))
    if len(replies.counts) <= most:
        return replies
    return replies.part(np.random.default_rng(0).choice(len(replies.counts), most, replace=False))


def _expected(replies: Records, unflipped: Unflipped, prior: Floats, model: DependenceTree) -> Records:
    """The records behind some replies, as often as the model expects them."""
    expected = unflipped.explain(model, prior)[1] * replies.counts
    weights = unflipped.weights(np.where(expected > MIN_WEIGHT, expected, 0))
    kept = weights > 0
    return Records(tuple(unflipped.cells[:, kept]), replies.sizes, weights[kept])


def _log_prior(groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> Floats:
    flipped = np.arange(2 ** len(groups))[:, None] >> np.arange(len(groups)) & 1
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(flipped == 1, np.log1p(-np.asarray(thetas)), np.log(thetas)).sum(axis=1))


def _climb(
    replies: Records, unflipped: Unflipped, unbiased: UnbiasedMoments, prior: Floats, model: DependenceTree
) -> End:
    """Expectation and maximisation in turn, the model held to what is unbiased."""
    before = np.full(len(replies.counts), -np.inf)
    for left in range(ROUNDS, 0, -1):
        terms, posterior = unflipped.explain(model, prior)
        products = unflipped.packed.products(unflipped.weights(posterior * replies.counts))
        if np.abs(terms - before).max() < MOVED or left == 1:
            break
        before = terms
        model = fit_dependence_tree(unbiased.held(products), replies.sizes)
    contradicted = unbiased.contradicted(products) or doubtful_turn(replies, unbiased, products)
    return End(float(terms @ replies.counts), model, contradicted)


def _shares(cells: Cells, counts: Floats, size: int) -> Floats:
    return np.asarray(np.clip(np.bincount(cells, counts, minlength=size) / counts.sum(), MIN_SHARE, 1 - MIN_SHARE))


def _chief_direction(replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> DependenceTree:
    """Flips leave second moments as they are, so their chief direction separates true replies from inverted ones."""
    cells = np.array(replies.cells)
    for group, theta in zip(groups, thetas, strict=True):
        signs = 2.0 * np.array([replies.cells[question] for question in group]) - 1
        _, vectors = np.linalg.eigh((signs * replies.counts) @ signs.T)
        truthful = vectors[:, -1] @ signs > 0
        share = replies.counts[truthful].sum() / replies.counts.sum()
        if (share > 0.5) != (theta > 0.5):
            truthful = ~truthful
        for question in group:
            cells[question, ~truthful] ^= 1
    return independent([_shares(each, replies.counts, size) for each, size in zip(cells, replies.sizes, strict=True)])


def _inverse_margins(replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> DependenceTree:
    """Each question's shares by inversion."""
    theta_of = {question: theta for group, theta in zip(groups, thetas, strict=True) for question in group}
    shares = []
    for question, size in enumerate(replies.sizes):
        reported = np.bincount(replies.cells[question], replies.counts, minlength=size) / replies.counts.sum()
        if question in theta_of:
            yes = (reported[1] - 1 + theta_of[question]) / (2 * theta_of[question] - 1)
            reported = np.array([1 - yes, yes])
        clipped = np.clip(reported, MIN_SHARE, 1 - MIN_SHARE)
        shares.append(clipped / clipped.sum())
    return independent(shares)
