"""Factored inverse of a channel.

The matrix of a group is a sum over instructions of products over questions. For the schemes of the papers its
inverse is such a sum again, over the same instructions, with coefficients that may be negative:

    Warner             a Truth + b Opposite,              a = theta / (2 theta - 1),  b = 1 - a
    unrelated, forced  (1 / theta) Truth - sum of (chance / theta) of each other instruction

So a reply's weight for a conjunction is a sum over instructions of products over questions, which is updated
along a tree's path by one factor per question. Where one instruction for all questions is not enough
(k-ary groups of three answers or more), the inverse is such a sum over all combinations of instructions. A group of
one question needs no such form, its inverse matrix is the only factor.

legend: i a term of the inverse, x a true cell, r a reported one
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import WORST_CONDITION, Channel
from deniable.channel.design import Design
from deniable.channel.instruction import Matrix
from deniable.errors import NotInvertible
from deniable.survey.question import Question

CLOSE = 1e-8
MAX_CHECKED = 1024  # cells of a group's part whose inverse is checked
MAX_ENTRIES = 2**24  # of all terms of a group's inverse, written out


@dataclass(frozen=True)
class FactoredInverse:
    """Coefficients of its terms, and for each question the factors[term, true, reported] of a reply's weight."""

    coefficients: NDArray[np.float64]  # [term], some of them negative
    factors: dict[str, NDArray[np.float64]]

    def inverse(self, names: Sequence[str]) -> Matrix:
        """The inverse matrix over some of the group's questions."""
        return _product(self.coefficients, [self.factors[name] for name in names])


def untouched(*questions: Question) -> FactoredInverse:
    """The identity: answers stay as they are."""
    return FactoredInverse(np.ones(1), {question.name: np.eye(len(question))[None] for question in questions})


def factored_inverse(channel: Channel) -> FactoredInverse:
    """The inverse of a channel, in terms that multiply over questions."""
    found = _factored_or_none(channel)
    if found is None:
        raise NotInvertible(channel.names, float("inf"))
    return found


@lru_cache(maxsize=4096)
def _factored_or_none(channel: Channel) -> FactoredInverse | None:
    if len(channel.group) == 1:
        (question,) = channel.group
        return FactoredInverse(np.ones(1), {question.name: checked_inverse(channel.matrix(), channel.names)[None]})
    kernels = {
        question.name: np.array([instruction.kernel(question) for instruction in channel.instructions])
        for question in channel.group
    }
    if _others_ignore_the_truth(channel, kernels):
        return FactoredInverse(np.where(channel.truths, 1.0, -channel.chances) / channel.theta, kernels)
    for factors, names in ((kernels, channel.names[:2]), (_mixed(channel, kernels), channel.names)):
        if factors is not None:
            found = FactoredInverse(_coefficients(channel, names, [factors[name] for name in names]), factors)
            if _is_inverse(found, channel):
                return found
    return None


def _others_ignore_the_truth(channel: Channel, kernels: dict[str, NDArray[np.float64]]) -> bool:
    """Whether one instruction reports the truth and no other depends on it."""
    others = np.flatnonzero(~np.array(channel.truths))
    deaf = all(np.ptp(each[others], axis=2).max(initial=0.0) == 0 for each in kernels.values())
    return sum(channel.truths) == 1 and deaf


def _mixed(channel: Channel, kernels: dict[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]] | None:
    """Every combination of instructions, one for each question: for lotteries whose inverse needs them."""
    terms = len(channel.instructions) ** len(channel.group)
    if terms * prod(len(question) for question in channel.group) ** 2 > MAX_ENTRIES:
        return None
    chosen = np.array(list(product(range(len(channel.instructions)), repeat=len(channel.group)))).T
    return {name: kernels[name][indices] for name, indices in zip(channel.names, chosen, strict=True)}


def _is_inverse(found: FactoredInverse, channel: Channel) -> bool:
    """Whether coefficients give the inverse, on the first few threes of questions that are not too large."""
    for names in list(combinations(channel.names, min(3, len(channel.names))))[:20]:
        small = [name for index, name in enumerate(names) if index < 2 or _cells(channel, names) <= MAX_CHECKED]
        if _cells(channel, small) > MAX_CHECKED:
            continue
        inverse, matrix = found.inverse(small), channel.matrix(small)
        if not np.allclose(inverse @ matrix, np.eye(len(matrix)), atol=CLOSE * float(np.abs(inverse).max())):
            return False
    return True


def _cells(channel: Channel, names: Sequence[str]) -> int:
    return prod(len(channel.question(name)) for name in names)


def _coefficients(
    channel: Channel, names: Sequence[str], factors: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The coefficients that make the channel's matrix on these questions, times the sum of products, the identity."""
    matrix, count = channel.matrix(names), len(factors[0])
    terms = np.array([matrix @ _product(one, factors) for one in np.eye(count)])
    wanted = np.eye(len(matrix)).ravel()
    return np.asarray(np.linalg.lstsq(terms.reshape(count, -1).T, wanted, rcond=None)[0])


def _product(coefficients: NDArray[np.float64], factors: Sequence[NDArray[np.float64]]) -> Matrix:
    """The sum over terms of the Kronecker product over questions."""
    total: Matrix = np.zeros(())
    for term, coefficient in enumerate(coefficients):
        together = np.full((1, 1), coefficient)
        for each in factors:
            together = np.kron(together, each[term])
        total = total + together
    return total


def question_inverse(design: Design, name: str) -> Matrix:
    """What undoes the disguise of one question by itself: [true, reported]."""
    return checked_inverse(design.channel(name).matrix([name]), [name])


def checked_inverse(matrix: Matrix, names: Sequence[str]) -> Matrix:
    """The inverse of a matrix that is far enough from singular."""
    condition = float(np.linalg.cond(matrix))
    if not condition <= WORST_CONDITION:
        raise NotInvertible(names, condition)
    return left_inverse(matrix)


def left_inverse(matrix: Matrix) -> Matrix:
    """L with L M = 1, whose columns sum to one, so that untouched questions keep the weight 1.

    Where there are more reports than truths it weighs each report by its chance under equally frequent
    truths: fixed weights, hence unbiased.
    """
    if matrix.shape[0] == matrix.shape[1]:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    chance = matrix.mean(axis=1)
    weighted = matrix.T / np.where(chance > 0, chance, 1.0)
    return np.asarray(np.linalg.solve(weighted @ matrix, weighted), dtype=np.float64)


@dataclass(frozen=True)
class Pool:
    """Questions whose replies have the same weights and equally many cells, computed together."""

    group: int | None  # the one whose terms weigh the replies; none if they all weigh the same
    questions: tuple[int, ...]
    factors: Matrix  # [question, x, (i, r)]

    @cached_property
    def members(self) -> frozenset[int]:
        """The questions as a set."""
        return frozenset(self.questions)


@dataclass(frozen=True)
class InverseDesign:
    """How the questions of some records are disguised: each one's group, and the groups' factored inverses."""

    factored: tuple[FactoredInverse, ...]
    groups: tuple[int, ...]  # per question
    factors: tuple[Matrix, ...]  # per question: [i, x, r]

    @classmethod
    def of(
        cls,
        design: Design,
        questions: Sequence[Question],
        known: Collection[int] = (),
        absent: Mapping[int, NDArray[np.float64]] | None = None,
    ) -> "InverseDesign":
        """How a design disguises these questions; those in the clear, and other `known` ones, count as they are.

        A skipped question (its last report) counts for all its cells, by the shares in `absent`.
        """
        factored: list[FactoredInverse] = []
        group_of: dict[int, int] = {}  # by a channel's identity: those of many questions are slow to hash
        groups, factors = [], []
        for index, question in enumerate(questions):
            channel = design.channel(question.name)
            plain = index in known or channel.is_clear
            group = len(factored) if plain else group_of.setdefault(id(channel), len(factored))
            if group == len(factored):
                factored.append(untouched(question) if plain else factored_inverse(channel))
            factor = factored[group].factors[question.name]
            if absent and index in absent:
                factor = np.concatenate([factor, np.tile(absent[index][:, None], (len(factor), 1, 1))], axis=2)
            groups.append(group)
            factors.append(factor)
        return cls(tuple(factored), tuple(groups), tuple(factors))

    @cached_property
    def blurs(self) -> bool:
        """Whether any report may be something else than the truth."""
        return any(len(each) > 1 or not np.array_equal(each[0][:, : each.shape[1]], np.eye(each.shape[1]))
                   for each in self.factors)  # fmt: skip

    @cached_property
    def inverses(self) -> tuple[Matrix, ...]:
        """Per question, the factor of a lottery of which nothing is known yet: its terms in one, [1, x, r]."""
        return tuple(
            np.tensordot(self.factored[group].coefficients, factors, 1)[None]
            for group, factors in zip(self.groups, self.factors, strict=True)
        )

    def group(self, question: int, touched: Collection[int]) -> int | None:
        """The group whose terms weigh a question's replies, where some groups are touched by conditions."""
        group = self.groups[question]
        return group if group in touched or group == self.groups[-1] else None

    def factor(self, question: int, group: int | None) -> Matrix:
        """The factor of a question: [i, x, r]."""
        return self.inverses[question] if group is None else self.factors[question]

    def condition(self, question: int, cells: tuple[int, ...]) -> tuple[Matrix, NDArray[np.bool_]]:
        """What "the question is in one of these cells" adds to a reply's weight.

        The factor for each report, [i, r], and whether any one cell's own factor is not zero, [i, r].
        """
        if (question, cells) not in self._conditions:
            factors = self.factors[question][:, list(cells)]  # [i, x, r]
            self._conditions[question, cells] = factors.sum(axis=1), (factors != 0).any(axis=1)
        return self._conditions[question, cells]

    @cached_property
    def _conditions(self) -> dict[tuple[int, tuple[int, ...]], tuple[Matrix, NDArray[np.bool_]]]:
        return {}

    def pools(self, touched: Collection[int]) -> list[Pool]:
        """All questions but the target, pool by pool."""
        known = self._pools.get(frozenset(touched))
        if known is None:
            known = self._pools[frozenset(touched)] = self._pooled(touched)
        return known

    @cached_property
    def _pools(self) -> dict[frozenset[int], list[Pool]]:
        return {}

    def _pooled(self, touched: Collection[int]) -> list[Pool]:
        alike: dict[tuple[int | None, tuple[int, ...]], list[int]] = {}
        for question, factors in enumerate(self.factors[:-1]):
            alike.setdefault((self.group(question, touched), factors.shape), []).append(question)
        found = []
        for (group, _), questions in alike.items():
            stack = np.array([self.factor(question, group) for question in questions]).transpose(0, 2, 1, 3)
            found.append(Pool(group, tuple(questions), stack.reshape(*stack.shape[:2], -1)))
        return found
