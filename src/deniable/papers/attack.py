"""What a collector recovers from replies who knows how the true answers are spread in the population.

The papers give no measure of the privacy that groups bring, so here is one that needs no simulation. A reply r of
Warner groups can come from the truths x = r with some groups inverted. The best guess is the likeliest, and

    recovered = sum over r of max over x of P(x) P(r | x)

is the chance that it names the whole record rightly; for one answer, the maximum is over that answer alone. The
privacy of a record, or of an answer, is the chance that the guess is wrong.

legend: each record is a whole number, one bit per question
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Recovered:
    """How often the best guess is right: about whole records, and about one answer (mean over the questions)."""

    record: float
    answer: float


def recovered(people: pd.DataFrame, groups: Sequence[Sequence[str]], theta: float) -> Recovered:
    """What the best guess recovers of two-answer questions under one Warner draw per group."""
    names = list(people.columns)
    packed = people.to_numpy().astype(np.int64) @ (1 << np.arange(len(names)))
    records, counts = np.unique(packed, return_counts=True)
    flips, chances = _flips([[names.index(name) for name in group] for group in groups], theta)
    replies, which = np.unique((records[:, None] ^ flips).ravel(), return_inverse=True)
    joint = (counts[:, None] / counts.sum() * chances).ravel()
    truths = np.repeat(records, len(flips))
    best = np.zeros(len(replies))
    np.maximum.at(best, which, joint)
    answers = [_one_answer(truths >> index & 1, which, joint, len(replies)) for index in range(len(names))]
    return Recovered(float(best.sum()), float(np.mean(answers)))


def _flips(groups: Sequence[Sequence[int]], theta: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every combination of inverted groups as bits, and its chance."""
    flips, chances = np.zeros(1, dtype=np.int64), np.ones(1)
    for group in groups:
        bits = sum(1 << index for index in group)
        flips = np.concatenate([flips, flips ^ bits])
        chances = np.concatenate([chances * theta, chances * (1 - theta)])
    return flips, chances


def _one_answer(bits: NDArray[np.int64], which: NDArray[np.int64], joint: NDArray[np.float64], replies: int) -> float:
    likely = np.bincount(which * 2 + bits, joint, minlength=2 * replies).reshape(replies, 2)
    return float(likely.max(axis=1).sum())
