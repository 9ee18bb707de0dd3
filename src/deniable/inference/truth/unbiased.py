"""Unbiased first and second moments of the true answers under Warner groups.

A Warner draw flips the signs of all answers of its group or of none. It leaves products of two signs of one group as
they are, and shrinks the other moments by a known factor:

    E[reported s_i] = (2 theta - 1) E[s_i],    E[reported s_i s_j] = (2 theta_i - 1)(2 theta_j - 1) E[s_i s_j]

Dividing by it gives what inversion gives for shares and pair tables, with standard errors. A model of the truth has to
agree with them within noise, whatever its likelihood says.  Du and Zhan 2003, equation 3

legend: a feature is 1, the sign (-1 or +1) of a disguised answer, or a cell but the first of a clear question
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from deniable.inference.population.records import Floats, Records
from deniable.inference.truth.dependence import cell_products

Z_HELD_CLASS = 2.0  # standard errors that a fitted model may be away from the unbiased class shares
Z_HELD = 3.0  # and from the other moments, of which some are further away by chance
Z_AGREE = 3.0  # standard errors at which the class shares behind the replies contradict the unbiased ones
MIN_SHARE = 0.003


@dataclass(frozen=True)
class UnbiasedMoments:
    """Estimated means of the products of every two features, and their standard errors: [feature, feature]."""

    means: Floats
    stderrs: Floats
    factor: Floats  # by which the draws shrink each mean
    draws: NDArray[np.intp]  # the Warner group of each feature, from 1 on; 0 for none
    basis: Floats  # features in terms of 1 and all cells but the first, as `cell_products` has them
    owners: NDArray[np.intp]  # the question of each feature; -1 for 1
    people: float

    @classmethod
    def of(cls, replies: Records, groups: Sequence[Sequence[int]], thetas: Sequence[float]) -> Self:
        """The moments estimated from some replies."""
        owners = np.concatenate([[-1], np.repeat(np.arange(len(replies.sizes)), np.array(replies.sizes) - 1)])
        basis, squared = np.eye(len(owners)), np.eye(len(owners))  # the square of a sign is 1
        factors, draws = np.ones(len(owners)), np.zeros(len(owners), np.intp)
        for draw, (group, theta) in enumerate(zip(groups, thetas, strict=True), 1):
            signs = np.flatnonzero(np.isin(owners, group))
            basis[signs] = 2 * basis[signs] - basis[0]
            squared[signs] = basis[0]
            factors[signs], draws[signs] = 2 * theta - 1, draw
        people = replies.total
        products = cell_products(np.array(replies.cells), replies.counts, replies.sizes) / people
        factor = np.where(draws[:, None] == draws, 1.0, np.outer(factors, factors))
        reported = basis @ products @ basis.T
        variance = np.maximum(squared @ products @ squared.T - reported**2, 1 / people)
        stderrs = np.sqrt(variance / people) / np.abs(factor)
        return cls(reported / factor, stderrs, factor, draws, basis, owners, people)

    @property
    def blurred(self) -> NDArray[np.bool_]:
        """Products that the draws change."""
        return np.asarray(self.factor != 1)

    def moments(self, products: Floats) -> Floats:
        """The means that some products of cells have."""
        return np.asarray(self.basis @ products @ self.basis.T / self.people)

    def held(self, products: Floats) -> Floats:
        """Products of cells, moved to within a few standard errors of what is unbiased."""
        moments = self.moments(products)
        far = self._limits(Z_HELD_CLASS, Z_HELD) * self.stderrs
        near = np.clip(moments, self.means - far, self.means + far)
        return self._products(np.where(self.blurred, near, moments))

    def cautious(self) -> Floats:
        """Products of cells that are unbiased, but for dependences held back by one standard error."""
        limit = np.where(self.blurred[0], 1 - 2 * MIN_SHARE, 1.0)
        alone = np.clip(self.means[0], -limit, limit)
        apart = self.means - np.outer(alone, alone)
        shrunk = np.sign(apart) * np.maximum(np.abs(apart) - self.stderrs, 0)
        moments = np.outer(alone, alone) + np.where(self.blurred, shrunk, apart)
        moments[0], moments[:, 0] = alone, alone
        return self._products(moments)

    def contradicted(self, products: Floats) -> tuple[int, ...]:
        """The question or two questions whose unbiased figures such products contradict most; none if none.

        Class shares may be three standard errors away; the others, of which there are many, so far that chance would
        move any of them as rarely.
        """
        moments = self.moments(products)
        away = np.where(np.triu(self.blurred), np.abs(moments - self.means) / self.stderrs, 0.0)
        among = int(np.triu(self.blurred).sum()) or 1
        limits = self._limits(Z_AGREE, float(-ndtri(ndtr(-Z_AGREE) / among)))
        one, two = np.unravel_index(np.argmax(away / limits), away.shape)
        if away[one, two] <= limits[one, two]:
            return ()
        return tuple(sorted({int(self.owners[one]), int(self.owners[two])} - {-1}))

    def _limits(self, of_classes: float, of_others: float) -> Floats:
        """Standard errors that moments may be away, other ones for class shares."""
        limits = np.full(self.means.shape, of_others)
        classes = self.owners == self.owners[-1]
        limits[0, classes] = limits[classes, 0] = of_classes
        return limits

    def _products(self, moments: Floats) -> Floats:
        back = np.linalg.inv(self.basis)
        return np.asarray(self.people * (back @ moments @ back.T))
