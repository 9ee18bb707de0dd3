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
SETTLED = 1e-5  # of a step: a coefficient moves no more, though others run off
SLACK = 1e-11  # of a log-likelihood: rounding


@dataclass(frozen=True)
class Seen:
    """What some coefficients give: score, information and log-likelihood, where there is one."""

    score: Floats
    information: Floats
    worth: float | None = None


@dataclass(frozen=True)
class Root:
    """Coefficients at which the score vanishes, or where the search for them ended."""

    b: Floats
    steps: int
    converged: bool
    runs_off: bool  # some coefficient has no finite value
    worth: float | None


def root_of(look: Callable[[Floats], Seen], start: Floats, feasible: Callable[[Floats], bool], linear: bool) -> Root:
    """The root of a score; where there is a log-likelihood, no step makes that smaller."""
    b, here = start, look(start)
    for count in range(1, MAX_STEPS + 1):
        step = _step(here, np.inf if linear else MAX_STEP)
        longest = float(np.abs(step).max(initial=0.0))
        if linear or longest < CLOSE * max(1.0, float(np.abs(b).max(initial=0.0))):
            return Root(b + step, count, True, False, here.worth)
        if _runs_off(b, step):
            return Root(b, count, False, True, here.worth)
        for _ in range(40):
            if feasible(b + step):
                there = look(b + step)
                if there.worth is None or here.worth is None or there.worth > here.worth - SLACK * abs(here.worth):
                    break
            step = step / 2
        else:
            return Root(b, count, longest < 1e-4, False, here.worth)
        b, here = b + step, there
    return Root(b, MAX_STEPS, False, bool(np.abs(b).max() > TOO_FAR), here.worth)


def _step(here: Seen, longest: float) -> Floats:
    """Newton's step, along each direction at most so long; where the curvature is wrong, away from it."""
    sizes, directions = np.linalg.eigh((here.information + here.information.T) / 2)
    sizes = np.maximum(np.abs(sizes), np.abs(sizes).max(initial=0.0) * MIN_RATIO + 1e-300)
    return np.asarray(directions @ np.clip((directions.T @ here.score) / sizes, -longest, longest))


def _runs_off(b: Floats, step: Floats) -> bool:
    """Whether some coefficients grow without end, and all others have settled."""
    near = np.abs(b) <= TOO_FAR / 2
    return bool(np.abs(b).max() > TOO_FAR and (np.abs(step[near]) < SETTLED).all())
