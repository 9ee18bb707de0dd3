"""Unbiased readings of numbers under noise: of a true number, and of its square, from what was reported.

    noise added:   x = z - m,      (x - a)^2 = (z - m - a)^2 - sd^2           m, sd of the noise
    multiplied:    x = z / m1,     (x - a)^2 = z^2 / m2 - 2 a z / m1 + a^2    m1, m2 mean and mean square of the factors

legend: z what was reported, x what is true
"""

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.noise import UNIT
from deniable.survey.question import Question

Floats = NDArray[np.float64]


def number_readings(channel: Channel, question: Question, reported: Floats) -> Floats:
    """The true number of each reply, right on average."""
    if channel.factors is not None:
        return np.asarray(reported / (channel.factors.mean / UNIT))
    return np.asarray(reported - average_noise(channel, question))


def square_readings(channel: Channel, question: Question, reported: Floats, about: float) -> Floats:
    """The squared distance of each reply's true number from a value, right on average."""
    numbers = number_readings(channel, question, reported)
    if channel.factors is not None:
        squares = reported**2 / (channel.factors.sd / UNIT) ** 2
        return np.asarray(squares - 2 * about * numbers + about**2)
    sd = 0.0 if channel.noise is None or question.range is None else channel.noise.sd * question.range.step
    return (numbers - about) ** 2 - sd**2


def average_noise(channel: Channel, question: Question) -> float:
    """What the noise adds to a number on average: nothing but for the rounding of chances."""
    return 0.0 if channel.noise is None or question.range is None else channel.noise.mean * question.range.step


def noise_variance(channel: Channel, question: Question, square: float) -> float:
    """The variance of a reading of numbers whose mean square is this."""
    if channel.factors is not None:
        return square * ((channel.factors.sd / channel.factors.mean) ** 2 - 1)
    if channel.noise is None or question.range is None:
        return 0.0
    return (channel.noise.sd**2 - channel.noise.mean**2) * question.range.step**2
