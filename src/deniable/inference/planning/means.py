"""Spread of the mean of a number: n times the variance of its estimate.

    spread = sd^2 + noise^2                                 the number's own spread, and that of the noise added to it
    spread = sum over v of c_v^2 / s_v (sd^2 + noise_v^2)   over versions v that are drawn, by their precision
    spread = (sd^2 + noise^2) E[w^2] / g^2                  among a share g, whose weights are w, independent of it

legend: s_v planned share of version v, c_v its weight in the mean; without sd the worst is taken, half of the people at
either end of the range
"""

import numpy as np

from deniable.channel.block import Block
from deniable.deniability.asked import ways_of
from deniable.errors import NotIdentified
from deniable.inference.number_readings import noise_variance
from deniable.inference.over_versions import precision_of
from deniable.survey.question import Question


def mean_spread(block: Block, question: Question, sd: float | None) -> float:
    """The spread of the mean over all, as a number of this standard deviation has it, or the worst number."""
    assert question.range is not None
    sd = (question.range.high - question.range.low) / 2 if sd is None else sd
    square = question.range.high**2  # at most: what factors do to a number grows with it
    ways = ways_of(block)[question.name]
    planned = dict(zip(block.version_names, block.shares.tolist(), strict=True))
    sizes = np.array([sum(planned[name] for name in way.versions) for way in ways])
    if block.chosen and not block.asked_by_all(question.name):
        raise NotIdentified(f"the mean of {question.name}", "not every version asks it", "ask it in every version")
    own = np.array([sd**2 + noise_variance(way.channel, question, square) for way in ways])
    parts = sizes * (1.0 if block.chosen else np.array([precision_of(way.channel, question) for way in ways]))
    parts = parts / parts.sum()
    return float((parts**2 / sizes) @ own)
