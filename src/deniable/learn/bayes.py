"""Naive Bayes from disguised replies: every answer speaks for a class as if it were alone.

    class = the v with the largest  P(v) * product over questions of P(x | v)

P(v) and P(x and v) are estimated from replies and may come out negative, and then products change their sign. So
estimates are clipped at zero, and each class gets people added who answer like everybody, as many as the estimate's
own standard error: where replies tell little, a question says little.  Zhan and Matwin; Laplace

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Smoothing = Literal["auto", "laplace"] | None
ERRORS_ADDED = 2.0  # people added to each answer, in standard errors of the estimate, times the answer's share


def shares_of_classes(counts: Floats, smoothing: Smoothing) -> Floats:
    """P(v) from estimated people of each class (first axis)."""
    total = counts.sum(axis=0)
    if smoothing is None:
        return np.asarray(counts / total)
    kept = np.maximum(counts, 1.0)
    return np.asarray(kept / kept.sum(axis=0))


def shares_given_class(counts: Floats, stderrs: Floats, smoothing: Smoothing) -> Floats:
    """P(x | v) from estimated people of each answer and class, and the standard errors of these counts."""
    if smoothing is None:
        return np.asarray(counts / counts.sum(axis=0))
    kept = np.maximum(counts, 0.0)
    added = np.ones_like(counts) if smoothing == "laplace" else _like_everybody(counts, stderrs)
    return np.asarray((kept + added) / (kept + added).sum(axis=0))


def _like_everybody(counts: Floats, stderrs: Floats) -> Floats:
    """People who answer like everybody: twice the larger of one and the count's standard error."""
    total = counts.sum(axis=(0, 1))
    least = 1 / np.maximum(total, 2.0)
    share = np.clip(counts.sum(axis=1) / total, least, 1 - least)
    return np.asarray(ERRORS_ADDED * np.maximum(stderrs, 1.0) * share[:, None])
