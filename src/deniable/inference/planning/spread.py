"""Spread of a share: n times the variance of its estimate, known before anybody is asked.

A share among others is a ratio of two means of weights, so its estimate spreads as the mean of linearised weights does:

    u = (w - r v) / g        w, v the weights of "both hold" and of the condition, r the share, g the condition's
    spread = E[u^2] - E[u]^2 - sum over k of s_k (E[u | k] - E[u])^2

The last sum is there where versions are drawn, since their sizes count as given. All of it is linear in the truth minus
squares. At a share of r the truth has r g people for whom both hold, (1 - r) g others who meet the condition, and 1 - g
who do not; within each of the three the worst answers are taken, unless the truth is known (`truth`).

legend: k a kind of versions, s_k its share of the replies
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.errors import TooManyCells
from deniable.inference.invert.stack import Stack, Table
from deniable.inference.invert.stacks import adjoint, among_asked, stacks_of, weights_of
from deniable.inference.planned import worst_variance
from deniable.inference.planning.power import worst_share
from deniable.inference.query.expression import Truths
from deniable.survey.question import Question

MAX_REPORTS = 2**20  # of the questions of one figure


@dataclass(frozen=True)
class Spread:
    """n times the variance of an estimate, at any share and at the worst (None), and the share that is expected."""

    at: Callable[[float | None], float]
    share: float | None = None
    limits: tuple[float, float] = (0.0, 1.0)  # of what is possible


def share_spread(
    design: Design, questions: Sequence[Question], mask: Truths, given: Truths, truth: Table, share: float | None
) -> Spread:
    """The spread of a share among the given cells; the truth tells how frequent these are.

    Without a share everything is taken from the truth but the share itself, of which the worst is taken.
    """
    cells = Cells.of(design, questions, mask & given, given)
    base = float(truth[given].sum())

    def at(some: float | None) -> float:
        if some is None:
            some = worst_share(lambda each: cells.worst(each, base))
        return cells.worst(some, base)

    return Spread(at, share)


def known_spread(design: Design, questions: Sequence[Question], mask: Truths, given: Truths, truth: Table) -> Spread:
    """The spread of a share where the whole truth is known; another share has the same truth among both sides of it."""
    cells, x = Cells.of(design, questions, mask & given, given), truth.ravel()
    base = float(truth[given].sum())
    share = float(np.clip(truth[mask & given].sum() / base, 0.0, 1.0))
    return Spread(lambda some: cells.known(share if some is None else some, base, x), share)


@dataclass(frozen=True)
class Cells:
    """Moments of the weights w and v by true cell, from which the spread at every truth follows."""

    squares: Table  # [cell, 3] means of w^2, w v and v^2
    means: Table  # [mean, cell, 2] of w and v: overall, and of each kind of versions apart from that
    factors: Table  # [mean] of its square
    sides: NDArray[np.intp]  # [cell] 0 where both hold, 1 where only the condition does, 2 elsewhere
    asked: float  # share of the respondents who are asked any of it, where others tell nothing

    @classmethod
    def of(cls, design: Design, questions: Sequence[Question], both: Truths, given: Truths) -> "Cells":
        """The moments of some cells, and of those that meet a condition, at the planned sizes of versions."""
        stacks, asked = planned_stacks(design, questions)
        values = np.stack([both, given], axis=-1).astype(float)
        weights = weights_of(values, stacks)
        w, v = weights[..., 0], weights[..., 1]
        squares = adjoint(np.stack([w * w, w * v, v * v], axis=-1), stacks).reshape(-1, 3)
        overall = values.reshape(-1, 2)
        means, factors = [overall], [1.0]
        for stack in stacks:
            if stack.is_drawn:
                for kind in np.flatnonzero(stack.shares > 0):
                    own = np.moveaxis(weights, stack.axes[0], 0).copy()
                    own[stack.kind_of_report != kind] = 0.0
                    of_kind = adjoint(np.moveaxis(own, 0, stack.axes[0]), stacks).reshape(-1, 2) / stack.shares[kind]
                    means.append(of_kind - overall)
                    factors.append(float(stack.shares[kind]))
        sides = np.where(both, 0, np.where(given, 1, 2)).ravel()
        return cls(squares, np.array(means), np.array(factors), sides, asked)

    def worst(self, share: float, base: float) -> float:
        """The spread of a share under the worst truth that has it, with so many who meet the condition."""
        squares, means = self._linearised(share, base)
        people = self._people(share, base)[self.sides]
        return worst_variance(squares * people, means * people, self.factors, self.sides) / self.asked

    def known(self, share: float, base: float, truth: Table) -> float:
        """The spread of a share under a truth [cell], whose sides are made as large as the share has them."""
        squares, means = self._linearised(share, base)
        sizes = np.bincount(self.sides, truth, 3)
        even = 1 / np.maximum(np.bincount(self.sides, minlength=3), 1)
        within = np.where(sizes[self.sides] > 0, truth / np.maximum(sizes, 1e-300)[self.sides], even[self.sides])
        x = within * self._people(share, base)[self.sides]
        return max(0.0, float(squares @ x - self.factors @ (means @ x) ** 2)) / self.asked

    def _linearised(self, share: float, base: float) -> tuple[Table, Table]:
        """Mean square and means of u by true cell."""
        squares = self.squares @ np.array([1.0, -2 * share, share**2]) / base**2
        return squares, self.means @ np.array([1.0, -share]) / base

    @staticmethod
    def _people(share: float, base: float) -> Table:
        return np.array([share * base, (1 - share) * base, max(0.0, 1 - base)])


def planned_stacks(design: Design, questions: Sequence[Question]) -> tuple[list[Stack], float]:
    """Stacks as estimates will have them, at the planned shares of versions; and the share who are asked any of it."""
    stacks, asked = among_asked(stacks_of(design, questions))
    reports = prod(prod(stack.reported_shape) for stack in stacks)
    if reports > MAX_REPORTS:
        raise TooManyCells([question.name for question in questions], reports, MAX_REPORTS)
    return stacks, asked
