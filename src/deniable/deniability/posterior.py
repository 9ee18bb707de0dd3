"""Posterior beliefs about one answer, after the report to that question alone.

posterior[reported, true] = P(true | reported), by Bayes' rule from a prior over the true answers. What the whole reply
tells about the same answer is in `whole`.
"""

import numpy as np

from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.deniability.whole import Prior, prior_of


def posterior(channel: Channel, name: str, prior: Prior | None = None) -> Matrix:
    """P(true answer | reported answer), from a prior that is uniform unless given."""
    both = joint(channel, name, prior)
    total = both.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(both, total, out=np.zeros_like(both), where=total > 0))


def joint(channel: Channel, name: str, prior: Prior | None = None) -> Matrix:
    """P(reported and true answer), from a prior that is uniform unless given."""
    return np.asarray(channel.matrix([name]) * prior_of(channel.question(name), prior))


def retention(channel: Channel, name: str) -> float:
    """The smallest chance, over true answers, that the report equals the truth."""
    true, reported = channel.question(name).answers, channel.reported(name).answers
    matrix = channel.matrix([name])
    kept = [matrix[reported.index(answer), cell] if answer in reported else 0.0 for cell, answer in enumerate(true)]
    return float(min(kept))
