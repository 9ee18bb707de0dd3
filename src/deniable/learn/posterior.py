"""People of a cell that are likeliest after their noisy estimate.

An estimate c of t people has a variance that grows with them, and part of which other people's lotteries cause:

    V(t) = others + own t          own is 1 and others 0 where everybody is asked in the clear

A priori people are gamma distributed around what independence expects, e, with the weight k of so many people asked in
the clear. The likeliest t, by quasi-likelihood, solves

    (c - t) / V(t) + k (1/t - 1/e) = 0

which is a quadratic equation with one positive root. In the clear it adds k people to each cell, (c + k) / (1 + k/e);
where noise is all there is, it is e. An estimate of less than nobody is a small t, the smaller the farther from zero.
The weights of a class add up to one person, whatever the number of answers.

That is if anybody of the class gives the answer at all. A priori it is as likely that nobody does. The estimate then is
noise around zero, whose variance is that of others; if somebody does, any number up to about e is as likely:

    odds of nobody = density of c around 0 / (1 / e)          k is divided by 1 + these odds

So where many are expected and next to nobody is found, the answer all but rules out the class. Only the part of the
noise that counting people has makes a difference: under the noise of lotteries, nobody and a few look alike.
Perks 1947; Wedderburn 1974
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Noise = Callable[[Floats], tuple[Floats, Floats]]  # of a table's cells if these people were the truth: own, others
WEIGHT_OF_CLASS = 1.0  # people asked in the clear
STEP = 8**-0.5  # of what a person counts: where nobody is found, not even one person is


def same_noise(stderr: float, people: Floats) -> tuple[Floats, Floats]:
    """Noise of one standard error in every cell, on top of that of counting people."""
    return np.ones_like(people), np.full_like(people, stderr**2)


in_the_clear: Noise = partial(same_noise, 0.0)


def weight_of_cells(counts: Floats, expected: Floats, own: Floats, others: Floats, may_be_empty: bool = True) -> Floats:
    """The weight k of what independence expects in each cell; smaller in cells where there may be nobody."""
    weight = np.full_like(expected, WEIGHT_OF_CLASS / len(counts))
    if not may_be_empty:
        return weight
    variance = np.maximum(others + (STEP * own) ** 2, 1e-12 * expected**2)
    density = np.exp(-(np.maximum(counts, 0.0) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    counting = own * expected / np.maximum(own * expected + others, 1e-300)
    return np.asarray(weight / (1 + counting * density * expected))


def likeliest_people(counts: Floats, expected: Floats, own: Floats, others: Floats, weight: Floats) -> Floats:
    """The likeliest people of each answer (first axis) and class, given estimates of them."""
    square, linear = 1 + weight * own / expected, counts + weight * (own - others / expected)
    root = np.sqrt(linear**2 + 4 * square * weight * others)
    larger = np.abs(linear) + root  # no difference of nearly equal numbers
    return np.asarray(np.where(linear > 0, larger / (2 * square), 2 * weight * others / np.maximum(larger, 1e-300)))
