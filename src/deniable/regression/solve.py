"""Newton's method, with steps that are never too long.

Coefficients are those of predictors scaled to a root mean square of one, so that a step of 2 is long whatever the
predictors' units are.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deniable.regression.outcome import Floats

MAX_STEP = 2.0
MAX_STEPS = 100
CLOSE = 1e-8  # of a step: the root is found
TOO_FAR = 18.0  # of a coefficient: odds of a hundred million to one, without end in sight
MIN_RATIO = 1e-12  # of curvatures in different directions


@dataclass(frozen=True)
class Root:
    """Coefficients at which the score vanishes, or where the search for them ended."""

    b: Floats
    steps: int
    converged: bool
    runs_off: bool  # some coefficient has no finite value


Look = Callable[[Floats], tuple[Floats, Floats]]  # score and information at some coefficients
Worth = Callable[[Floats], float]


def root_of(look: Look, start: Floats, feasible: Callable[[Floats], bool], worth: Worth | None, linear: bool) -> Root:
    """The root of a score; with `worth`, a log-likelihood, no step makes that smaller."""
    b, value = start, -np.inf if worth is None else worth(start)
    for count in range(1, MAX_STEPS + 1):
        score, information = look(b)
        step = _step(score, information)
        longest = float(np.abs(step).max(initial=0.0))
        if longest > MAX_STEP and not linear:
            step = step * (MAX_STEP / longest)
        b, value, moved = _moved(b, step, feasible, worth, value)
        if longest < CLOSE * max(1.0, float(np.abs(b).max(initial=0.0))) or not moved or linear:
            return Root(b, count, moved or longest < 1e-4, False)
        if not linear and float(np.abs(b).max()) > TOO_FAR:
            return Root(b, count, False, True)
    return Root(b, MAX_STEPS, False, False)


def _step(score: Floats, information: Floats) -> Floats:
    """Newton's step; along a direction of the wrong curvature, away from it."""
    sizes, directions = np.linalg.eigh((information + information.T) / 2)
    sizes = np.maximum(np.abs(sizes), np.abs(sizes).max(initial=0.0) * MIN_RATIO + 1e-300)
    return np.asarray(directions @ ((directions.T @ score) / sizes))


def _moved(
    b: Floats, step: Floats, feasible: Callable[[Floats], bool], worth: Worth | None, value: float
) -> tuple[Floats, float, bool]:
    """The coefficients after a step, halved until they make a model that is not worse."""
    for _ in range(40):
        there = b + step
        if feasible(there):
            found = value if worth is None else worth(there)
            if worth is None or found >= value - 1e-9 * max(1.0, abs(value)):
                return there, found, True
        step = step / 2
    return b, value, False
