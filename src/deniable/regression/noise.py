"""Numbers under noise as predictors: signed weights at shifted numbers.

A reported number is r = a + N with noise N of known moments. Any polynomial of the truth up to the fifth degree is then
unbiasedly read off three shifted reports, of which two are complex:

    E[(1 - w) f(r) + w/2 f(r + iz) + w/2 f(r - iz)] = f(a),        z^2 = (6 v^2 - m) / v,   w = v / z^2

So squares lose the noise's variance, products of the number with anything else need no correction, and the equations
of a linear regression with the number and its square are exactly unbiased. For a logit it is Novick and Stefanski's
corrected score (2002) with three nodes, whose error is of sixth order in the coefficient times the noise's standard
deviation.

legend: v, m second and fourth moment of the noise; z, w shift and weight of the nodes; i imaginary unit
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from deniable.channel.channel import Channel
from deniable.regression.outcome import Floats
from deniable.survey.question import Question

SIGNS = (0, 1, -1)  # of the shift, node by node


@dataclass(frozen=True)
class Nodes:
    """Where a number under noise is looked at, for each reply: its mean, the shift and the weight of the shifted."""

    numbers: Floats  # [c] reports less the noise's mean
    shift: Floats  # [c]
    weight: Floats  # [c]


def shift_and_weight(channel: Channel, question: Question) -> tuple[float, float, float]:
    """The mean of a channel's noise, and the shift and weight of its nodes."""
    noise, limits = channel.noise, question.range
    if noise is None or limits is None:
        return 0.0, 0.0, 0.0
    steps = np.arange(noise.first, noise.last + 1) * limits.step
    mean = float(noise.chances @ steps)
    second, fourth = (float(noise.chances @ (steps - mean) ** power) for power in (2, 4))
    square = (6 * second**2 - fourth) / second
    return mean, float(np.sqrt(square)), second / square


def node_signs(numbers: int) -> list[tuple[int, ...]]:
    """The nodes of so many numbers together: each one's sign."""
    return list(product(SIGNS, repeat=numbers))


def node_weights(nodes: list[Nodes], rows: int) -> Floats:
    """The weight of each node: [c, node]."""
    found = np.ones((rows, len(node_signs(len(nodes)))))
    for column, signs in enumerate(node_signs(len(nodes))):
        for each, sign in zip(nodes, signs, strict=True):
            found[:, column] *= each.weight / 2 if sign else 1 - each.weight
    return found
