"""Truth shrunk towards the pairwise model: pseudo-Bayes estimates of all combinations of answers.

The pairwise model knows no pattern of three questions; the likeliest records (`em.joint`) know every coincidence.
Between them lie the likeliest records of the replies and of K people more, who were asked in the clear and answer as
the pairwise model says:

    x <- (n x * M'(y / M x) + K x0) / (n + K)

Bishop, Fienberg and Holland 1975, chapter 12, where nothing is disguised

legend: x true shares, x0 those of the pairwise model, y reported shares, M the disguise, n replies
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deniable.inference.em.em import Operator, maximised, never
from deniable.inference.truth.pairs import PairwiseModel

Floats = NDArray[np.float64]
ROUNDS = 40  # of which the last ten move less than a hundredth of all people


def shrunk(model: PairwiseModel, reported: Floats, operator: Operator, prior: float) -> PairwiseModel:
    """The chances of all combinations; `reported` counts the replies of each combination of reports, `prior` is K."""
    found = maximised(reported[..., None], model.chances[..., None], operator, never, ROUNDS, prior=prior)
    return replace(model, chances=found[..., 0])
