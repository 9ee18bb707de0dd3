"""What a collector believes after a report, who believed something before.

posterior[reported, true] = P(true | reported), by Bayes' rule from a prior over the true answers
"""

from collections.abc import Sequence

import numpy as np

from deniable.channel.chances import distribution
from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.errors import BadGroup


def posterior(channel: Channel, name: str, prior: Sequence[float] | None = None) -> Matrix:
    """P(true answer | reported answer), from a prior that is uniform unless given."""
    both = joint(channel, name, prior)
    total = both.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(both, total, out=np.zeros_like(both), where=total > 0))


def joint(channel: Channel, name: str, prior: Sequence[float] | None = None) -> Matrix:
    """P(reported and true answer), from a prior that is uniform unless given."""
    matrix = channel.matrix([name])
    cells = matrix.shape[1]
    if prior is not None and len(prior) != cells:
        raise BadGroup("the prior", name, f"it has {cells} answers, but {len(prior)} shares", "give one for each")
    believed = np.full(cells, 1 / cells) if prior is None else np.array(distribution(prior, f"the prior of {name}"))
    return np.asarray(matrix * believed)


def retention(channel: Channel, name: str) -> float:
    """The smallest chance, over true answers, that the report equals the truth."""
    true, reported = channel.question(name).answers, channel.reported(name).answers
    matrix = channel.matrix([name])
    kept = [matrix[reported.index(answer), cell] if answer in reported else 0.0 for cell, answer in enumerate(true)]
    return float(min(kept))
