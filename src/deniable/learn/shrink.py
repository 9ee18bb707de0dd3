"""Shrinkage of estimates towards a prior, each by its own signal to noise.

    kept = signal / (signal + noise)

This is the posterior mean for a prior of variance `signal` and replies whose error has the variance `noise`.

Shares have a uniform prior and shrink towards even ones. An answer's dependence on the class,
N(x, v) - N(x) N(v) / n, shrinks towards zero. A priori all answers together explain the class E times, for they are
redundant; each answer an equal part, but rare ones less (by the root of their odds), and all of them less where one
class is plainly larger than the others, so that answers cannot tell it well:

    signal(x, v) = E x (1 - x) v (1 - v) min(1, x / (1 - x))^.5 (second / first)^2.5 / answers

E is learnt from the tables of all questions together (empirical Bayes): each sum of squared dependences is chi-square
distributed with the variance signal + noise, and E has a log-normal prior. So many weak dependences count together,
and where a class is plainly the largest, evidence that may be noise does not overrule it.

Where answers clearly depend on the class (a chi-square test over all tables together), the tables are believed, but for
those that may be noise: each is judged by its own sum of squares, and loses part of what is expected to be noise.

legend: x answers (first axis) and their shares, v classes (second axis) and theirs; first, second: the two largest
shares of classes; further axes are many tables at once
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, softmax

from deniable.learn.tree.significance import tail

Floats = NDArray[np.float64]
Z_PLAIN = 4.0  # standard errors; noise that passes is not shrunk, and costs much accuracy
EXPLAINED = 6.0  # times the class, by all answers together; in eight data sets .3 to 7 times
EVENNESS = 2.5  # power of the ratio of the two largest classes
CAUTION = 0.7  # standard errors by which the largest class may seem too large
SPREAD = 0.5  # of the logarithm of EXPLAINED
STEPS = np.linspace(-3, 3, 25)
STRENGTHS = EXPLAINED * np.exp(SPREAD * STEPS)  # values of E that are believed possible
DOUBT = 0.4  # the part of a plain table's expected noise that is taken off; all of it would take signal, too
RATIOS = np.geomspace(0.02, 2_000, 60)  # of signal to noise, all equally likely before
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
    found = [_chi_square(table, stderr) for table, stderr in zip(tables, stderrs, strict=True)]
    freedom, squares = zip(*found, strict=True)
    return _is_plain(sum(freedom), sum(squares))


def expected_signal(answers: Floats, classes: Floats, stderr: Floats | float, informative: int) -> Floats:
    """The variance of a table's dependences a priori, if E is one: [x, v], as a share of all people.

    Given are the shares of answers and classes, the usual standard error of the latter, and `informative`, the number
    of answers that may depend on the class, over all questions.
    """
    x, v = answers[:, None], classes[None]
    second, first = np.sort(classes, axis=0)[-2:]
    even = np.minimum((second + CAUTION * stderr) / np.maximum(first - CAUTION * stderr, second), 1.0)
    rare = np.sqrt(x / np.maximum(x, 1 - x))
    return np.asarray(x * (1 - x) * v * (1 - v) * rare * even**EVENNESS / informative)


def belief(tables: Sequence[Floats], signals: Sequence[Floats], stderrs: Sequence[float]) -> Floats:
    """The chance of each of the STRENGTHS (first axis) after all tables: signals are those for E = 1."""
    logs = -(STEPS.reshape(-1, *[1] * (tables[0].ndim - 2)) ** 2) / 2
    for table, signal, stderr in zip(tables, signals, stderrs, strict=True):
        freedom, squares = _chi_square(table, stderr)
        ratio = signal.mean(axis=(0, 1)) * (table.sum(axis=(0, 1)) / max(stderr, 1.0)) ** 2
        variance = 1 + np.multiply.outer(STRENGTHS, ratio)
        logs = logs - freedom / 2 * np.log(variance) - squares / 2 / variance
    return np.asarray(softmax(logs, axis=0))


def dependence_kept(signal: Floats, stderr: Floats | float, strengths: Floats) -> Floats:
    """How much of a table's dependences is kept: [x, v].

    The signal is that for E = 1, `stderr` the usual standard error of a dependence as a share of all people, and
    `strengths` the belief.
    """
    parts = [
        chance * each * signal / (each * signal + stderr**2) for each, chance in zip(STRENGTHS, strengths, strict=True)
    ]
    return np.asarray(sum(parts))


def plainly_kept(table: Floats, stderr: float) -> Floats:
    """How much of a table's dependences is kept where answers plainly depend on the class; of a plain table all."""
    freedom, squares = _chi_square(table, stderr)
    variance = 1 + RATIOS.reshape(-1, *[1] * (table.ndim - 2))
    chances = softmax(-freedom / 2 * np.log(variance) - squares / 2 / variance, axis=0)
    noise = np.sum(chances / variance, axis=0)
    return np.asarray(1 - DOUBT * np.where(_is_plain(freedom, squares), 0.0, noise))


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


def _chi_square(counts: Floats, stderr: float) -> tuple[int, Floats]:
    """Degrees of freedom, and the sum of squared dependences in standard errors, as many as there are degrees."""
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return freedom, freedom * np.mean(_dependence(counts) ** 2, axis=(0, 1)) / max(stderr, 1.0) ** 2


def _is_plain(freedom: int, squares: Floats) -> NDArray[np.bool_]:
    """Whether noise has so large a sum of squares only once in thousands of surveys."""
    return np.asarray(chdtrc(max(freedom, 1), squares) < tail(Z_PLAIN))


def _dependence(counts: Floats) -> Floats:
    rows, columns = counts.sum(axis=1)[:, None], counts.sum(axis=0)
    return np.asarray(counts - rows * columns / _total(counts.sum(axis=(0, 1))))


def _total(people: Floats) -> Floats:
    return np.where(people == 0, 1.0, people)
