"""Shrinkage of estimates towards a prior, each by its own signal to noise.

    kept = signal / (signal + noise)

This is the posterior mean for a prior of variance `signal` and replies whose error has the variance `noise`.

Shares have a uniform prior and shrink towards even ones. An answer's dependence on the class,
N(x, v) - N(x) N(v) / n, shrinks towards zero: a priori each answer explains an equal part of the class, and all of them
together slightly more than all of it, because answers are redundant. Where answers clearly depend on the class (a
chi-square test over the tables of all questions together), nothing is shrunk.

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from deniable.learn.tree.significance import tail

Floats = NDArray[np.float64]
Z_PLAIN = 3.0  # standard errors: one survey in 370 without any dependence passes, and loses accuracy
EXPLAINED = 1.25  # times the class, by all answers together; in eight data sets .3 to 7 times
MIN_SHARE = 0.25  # times its usual standard error: no answer counts as rarer, which would give it too much weight


def towards_even(counts: Floats, stderr: float) -> Floats:
    """Shares of estimated people (first axis), nearer to even ones the larger the counts' usual standard error."""
    even, total = 1 / len(counts), _total(counts.sum(axis=0))
    signal = even * (1 - even) / (len(counts) + 1)  # the variance of a share under the uniform prior
    shares = even + (counts / total - even) * signal / (signal + (stderr / total) ** 2)
    return np.asarray(np.clip(shares, 0.0, 1.0))


def are_dependent(tables: Sequence[Floats], stderrs: Sequence[float]) -> NDArray[np.bool_]:
    """Whether the tables of all questions by class together plainly contradict independence.

    `stderrs` are the usual standard errors of each table's dependences.
    """
    freedom = [(table.shape[0] - 1) * (table.shape[1] - 1) for table in tables]
    squares = [
        free * np.mean(_dependence(table) ** 2, axis=(0, 1)) / max(stderr, 1.0) ** 2
        for free, table, stderr in zip(freedom, tables, stderrs, strict=True)
    ]
    return np.asarray(chdtrc(max(sum(freedom), 1), sum(squares)) < tail(Z_PLAIN))


def dependence_kept(answers: Floats, classes: Floats, stderr: Floats | float, informative: int) -> Floats:
    """How much of a table's dependences is kept: [x, v].

    Given are the shares of answers and classes, the usual standard error of a dependence as a share of all people,
    and `informative`, the number of answers that may depend on the class, over all questions.
    """
    x, v = answers[:, None], classes[None]
    signal = x * (1 - x) * v * (1 - v) * EXPLAINED / informative
    return np.asarray(signal / (signal + stderr**2))


def with_dependence(counts: Floats, classes: Floats, kept: Floats | float, stderr: float) -> Floats:
    """So many people of each class by answer, with part of the estimated dependence.

    `stderr` is usual for people of an answer.
    """
    least = MIN_SHARE * np.maximum(stderr, 1 / MIN_SHARE) / np.maximum(counts.sum(axis=(0, 1)), 2.0)
    answers = share_of_answers(counts, np.minimum(least, 0.5 / len(counts)))
    return np.asarray(answers[:, None] * classes + kept * (counts - answers[:, None] * counts.sum(axis=0)))


def share_of_answers(counts: Floats, least: Floats | float | None = None) -> Floats:
    """The share of each answer whatever the class: at least (and at most all but) one person's, or `least`."""
    total = _total(counts.sum(axis=(0, 1)))
    least = 1 / np.maximum(total, 2.0) if least is None else least
    return np.asarray(np.clip(counts.sum(axis=1) / total, least, 1 - least))


def _dependence(counts: Floats) -> Floats:
    rows, columns = counts.sum(axis=1)[:, None], counts.sum(axis=0)
    return np.asarray(counts - rows * columns / _total(counts.sum(axis=(0, 1))))


def _total(people: Floats) -> Floats:
    return np.where(people == 0, 1.0, people)
