"""Privacy of a single entry as Zhan and Matwin define it: how often a guess by odds at one question is wrong.

The collector sees a report, works out how likely each true answer is, and guesses each as often as it is likely:

    PSE = 1 - sum over r, x of  J[r, x]^2 / J[r],      J[r, x] = P(x) P(r | x)

It is 0 where reports give the answer away, and at most what a guess without any report gets wrong. Here it is about one
question whose report stands alone, as in the paper; questions that share a draw tell more together (`whole`).

Zhan and Matwin, section 4, corrected: their print has (1 - Wy) where Wy belongs and lacks a factor 2 Wy, which shows
only where Wy is not 1/2.
"""

import numpy as np

from deniable.channel.channel import Channel
from deniable.deniability.posterior import joint
from deniable.deniability.whole import Prior


def pse(channel: Channel, name: str, prior: Prior | None = None) -> float:
    """How often the answer to one question is guessed wrongly, from a prior that is uniform unless given."""
    both = joint(channel, name, prior)
    reported = both.sum(axis=1, keepdims=True)
    right = np.divide(both**2, reported, out=np.zeros_like(both), where=reported > 0).sum()
    return max(0.0, 1 - float(right))
