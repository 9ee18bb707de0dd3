"""Beliefs after a whole reply: what the collector can know of one answer from everything that was sent.

Questions that share a draw are evidence of that draw, and so of each other's truth. The collector holds them all, so
every figure of privacy is about the whole reply. True answers are assumed to be independent with the given
shares. Groups are drawn independently, so only the question's own group counts:

    P(report r, the other reports, truth x) = prior(x) * sum over a of  kernel_a(r, x) * evidence_a
    evidence_a = P(a) * product over the other questions of P(report | a)

Evidence that differs only by a factor is equivalent and is added up: a group of similar questions has few kinds of
evidence, not one for each combination of reports.  Zhan and Matwin, section 4; Evfimievski, Gehrke and
Srikant 2003 (a belief that rises from rho1 to rho2 is a breach)

legend: a instruction, r report, x true cell, s kind of evidence
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf

import numpy as np

from deniable.channel.chances import chance, distribution
from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.errors import BadRequest
from deniable.survey.question import Question

Prior = float | Sequence[float]  # shares of the answers in order; one number is the second answer's share
Priors = Mapping[str, Prior]
MAX_KINDS = 2**12  # of evidence that are distinguished
DIGITS = 12  # in which kinds of evidence must agree to be one


@dataclass(frozen=True)
class Beliefs:
    """What a whole reply reveals about one of its questions."""

    prior: Matrix  # [x]
    surest: Matrix  # [x]  the surest belief in each answer that any reply can give
    pse: float  # how often a guess by the odds is wrong
    ratio: float  # by how much a reply can change the odds of one answer against another


def beliefs(channel: Channel, name: str, priors: Priors | None = None) -> Beliefs:
    """What replies to a whole group reveal about one of its questions, from priors that are uniform unless given."""
    believed = priors or {}
    others = [question for question in channel.group if question.name != name and not question.is_number]
    evidence = reduce(
        _extended,
        [_reports(channel, question) @ prior_of(question.plain, believed.get(question.name)) for question in others],
        channel.chances[None],
    )
    question = channel.question(name)
    prior = prior_of(question.plain, believed.get(name))
    chances = np.einsum("sa,rax->srx", evidence, _reports(channel, question)).reshape(-1, len(prior))
    return _from_chances(chances, prior)


def prior_of(question: Question, given: Prior | None = None, what: str = "prior") -> Matrix:
    """Shares of the true answers that a collector believes in beforehand; all alike unless given."""
    name = f"the {what} of {question.name}"
    cells = len(question)
    if given is None:
        return np.full(cells, 1 / cells)
    if isinstance(given, np.number):
        given = float(given)
    if isinstance(given, int | float) and cells == 2:
        given = (1 - chance(name, given), given)
    if isinstance(given, int | float) or len(given) != cells:
        raise BadRequest(name, f"{cells} shares, one for each answer", given, "correct it")
    return np.array(distribution(given, name))


def _reports(channel: Channel, question: Question) -> Matrix:
    """P(report | instruction, truth) as [r, a, x]."""
    return channel.kernels_of_answers(question).swapaxes(0, 1)


def _extended(evidence: Matrix, reports: Matrix) -> Matrix:
    """Evidence [s, a] with one more question's reports [r, a]: every kind with every report, alike ones added up."""
    both = (evidence[:, None, :] * reports[None, :, :]).reshape(-1, evidence.shape[1])
    both = both[both.sum(axis=1) > 0]
    mass = both.sum(axis=1)
    kinds, which = np.unique((both / mass[:, None]).round(DIGITS), axis=0, return_inverse=True)
    merged = np.zeros_like(kinds)
    np.add.at(merged, which.ravel(), both)
    return merged if len(merged) <= MAX_KINDS else _spread(merged)


def _spread(evidence: Matrix) -> Matrix:
    """Fewer kinds of evidence that reveal slightly more: apart from rounding, figures never look better than they are.

    Each kind is shared out among kinds whose mean it is. With two instructions these are its neighbours on a grid
    of odds from the least to the greatest; with more, the draw itself is given away.
    """
    if evidence.shape[1] > 2:
        return np.diag(evidence.sum(axis=0))
    certain = (evidence == 0).any(axis=1)
    mass, first = evidence.sum(axis=1), evidence[:, 0] / evidence.sum(axis=1)
    odds = np.log(first[~certain]) - np.log1p(-first[~certain])
    grid = np.unique(1 / (1 + np.exp(-np.linspace(odds.min(), odds.max(), MAX_KINDS // 2))))
    above = np.clip(np.searchsorted(grid, first[~certain]), 1, len(grid) - 1)
    part = np.clip((first[~certain] - grid[above - 1]) / (grid[above] - grid[above - 1]), 0, 1)
    shared = np.bincount(above, part * mass[~certain], len(grid))
    shared += np.bincount(above - 1, (1 - part) * mass[~certain], len(grid))
    kept = shared > 0
    return np.vstack([evidence[certain], (shared[:, None] * np.column_stack([grid, 1 - grid]))[kept]])


def _from_chances(chances: Matrix, prior: Matrix) -> Beliefs:
    """Figures from P(whole reply | truth), [reply, x]."""
    joint = chances * prior
    total = joint.sum(axis=1, keepdims=True)
    joint, chances, total = joint[total[:, 0] > 0], chances[total[:, 0] > 0], total[total > 0][:, None]
    posterior = joint / total
    right = float((joint * posterior).sum())
    least, greatest = chances.min(axis=1), chances.max(axis=1)
    ratio = inf if (least <= 0).any() else float((greatest / least).max())
    return Beliefs(prior, posterior.max(axis=0), max(0.0, 1 - right), ratio)
