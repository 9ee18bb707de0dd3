"""Naive Bayes from disguised replies: every answer speaks for a class as if it were alone.

    class = the v with the largest  P(v) * product over questions of P(x | v)

P(v) and P(x and v) are estimated from replies and may come out negative, and then products change their sign. So
estimates are clipped at zero, and each class gets people added who answer like everybody, as many as the estimate's
own standard error: where replies tell little, a question says little.  Zhan and Matwin; Laplace

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.inference.parts import disguised, parts_of, undisguised
from deniable.survey.question import Question

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Smoothing = Literal["auto", "laplace"] | None
LEAST = 1e-300
ERRORS_ADDED = 2.0  # people added to each answer, in standard errors of the estimate, times the answer's share


def shares_of_classes(counts: Floats, smoothing: Smoothing) -> Floats:
    """P(v) from estimated people of each class (first axis)."""
    total = counts.sum(axis=0)
    if smoothing is None:
        return np.asarray(counts / total)
    kept = np.maximum(counts, 1.0)
    return np.asarray(kept / kept.sum(axis=0))


def shares_given_class(counts: Floats, stderr: float, smoothing: Smoothing) -> Floats:
    """P(x | v) from estimated people of each answer and class, and the usual standard error of such a count."""
    if smoothing is None:
        return np.asarray(counts / counts.sum(axis=0))
    kept = np.maximum(counts, 0.0)
    added = np.ones_like(counts) if smoothing == "laplace" else _like_everybody(counts, stderr)
    return np.asarray((kept + added) / (kept + added).sum(axis=0))


def _like_everybody(counts: Floats, stderr: float) -> Floats:
    """People who answer like everybody: twice the larger of one and the standard error, in every class."""
    total = counts.sum(axis=(0, 1))
    least = 1 / np.maximum(total, 2.0)
    share = np.clip(counts.sum(axis=1) / total, least, 1 - least)
    return np.asarray(ERRORS_ADDED * max(stderr, 1.0) * np.repeat(share[:, None], counts.shape[1], axis=1))


def even_stderr(design: Design, questions: Sequence[Question], n: float) -> float:
    """The standard error that an estimated count would have if all answers were equally frequent."""
    parts = parts_of(design, questions)
    even = np.full([len(question) for question in questions], n / np.prod([len(question) for question in questions]))
    squares = undisguised(disguised(even, parts), parts, np.square)
    return float(np.sqrt(np.max(squares - even**2 / n)))


def products(priors: Floats, chances: Sequence[Floats], cells: Cells) -> Floats:
    """P(v) times all P(x | v) for each record, as multiples of the largest: [record, v, ...].

    `cells` has one row per question; an answer that nobody had given (-1) says nothing.
    """
    logs = np.repeat(_log(priors)[None], cells.shape[1], axis=0)
    negative = np.repeat((priors < 0)[None], cells.shape[1], axis=0)
    for column, shares in zip(cells, chances, strict=True):
        known = column >= 0
        logs[known] += _log(shares)[column[known]]
        negative[known] ^= (shares < 0)[column[known]]
    scaled = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(np.where(negative, -scaled, scaled))


def _log(shares: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(np.abs(shares), LEAST)))
