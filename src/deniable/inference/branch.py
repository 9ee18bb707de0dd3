"""Estimates along the branches of a tree.

A branch is the part of the population whose true answers fulfil some conditions. It is reached by *signed
weights over distinct replies*: going down multiplies one factor into the weights, and no table over the whole
path is ever built.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.signed import SignedLottery

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]
Parts = Sequence[Sequence[int]]


class Branch(Protocol):
    """The people with certain true answers, as far as replies tell."""

    noisy: ClassVar[bool]  # whether a lottery, not sampling alone, blurs the counts

    @property
    def size(self) -> int:
        """How many distinct replies have a say in it."""
        ...

    def table(self, question: int) -> Floats:
        """Estimated counts of this question's cells (rows) by the target's (columns)."""
        ...

    def target(self) -> Floats:
        """Estimated counts of the target's cells."""
        ...

    def narrow(self, question: int, cells: Sequence[int]) -> Self:
        """Those of them whose true answer to this question is among these cells."""
        ...

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        """Estimated counts of parts of this question's cells by the target's cells, and their covariance."""
        ...

    def spread(self) -> tuple[Floats, Floats]:
        """Estimated counts of the target's cells, and their covariance."""
        ...


@dataclass(frozen=True)
class Records:
    """Distinct replies as cells, one row per question (the target last), and how often each occurs."""

    cells: Cells
    sizes: tuple[int, ...]  # reported cells of each question
    times: Floats

    def target_only(self) -> "Records":
        """The same replies to the target alone."""
        times = np.bincount(self.cells[-1], self.times, minlength=self.sizes[-1]).astype(float)
        return Records(np.arange(self.sizes[-1])[None], self.sizes[-1:], times)


@dataclass(frozen=True)
class PlainBranch:
    """Undisguised people: those who fulfil the conditions, each with the weight 1."""

    records: Records
    rows: NDArray[np.intp]
    noisy: ClassVar[bool] = False

    @classmethod
    def root(cls, records: Records) -> Self:
        """Everybody."""
        return cls(records, np.arange(len(records.times)))

    @property
    def size(self) -> int:
        return len(self.rows)

    def table(self, question: int) -> Floats:
        cells, (size, classes) = self.records.cells, (self.records.sizes[question], self.records.sizes[-1])
        key = cells[question, self.rows] * classes + cells[-1, self.rows]
        counted: Floats = np.bincount(key, self.records.times[self.rows], minlength=size * classes).astype(float)
        return counted.reshape(size, classes)

    def target(self) -> Floats:
        target, times = self.records.cells[-1, self.rows], self.records.times[self.rows]
        return np.bincount(target, times, minlength=self.records.sizes[-1]).astype(float)

    def narrow(self, question: int, cells: Sequence[int]) -> Self:
        wanted = np.zeros(self.records.sizes[question], dtype=bool)
        wanted[list(cells)] = True
        return type(self)(self.records, self.rows[wanted[self.records.cells[question, self.rows]]])

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        table = self.table(question)
        return self._with_covariance(np.array([table[list(part)].sum(axis=0) for part in parts]))

    def spread(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.target())

    def _with_covariance(self, counts: Floats) -> tuple[Floats, Floats]:
        """Everybody counts for one cell only, so the covariance is the multinomial one."""
        flat = counts.ravel()
        return counts, np.diag(flat) - np.outer(flat, flat) / self.records.times.sum()


@dataclass(frozen=True)
class Disguise:
    """How the questions of some records are disguised: each one's group, and the groups' signed lotteries."""

    lotteries: tuple[SignedLottery, ...]
    groups: tuple[int, ...]  # per question
    factors: tuple[Floats, ...]  # per question: [term, true, reported]


@dataclass(frozen=True)
class SignedBranch:
    """Disguised people, by signed weights of the replies that may be theirs."""

    records: Records
    disguise: Disguise
    rows: NDArray[np.intp]
    path: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # true cells by question
    terms: Mapping[int, Floats] = field(default_factory=dict)  # per touched group: [term, row]
    noisy: ClassVar[bool] = True

    @classmethod
    def root(cls, records: Records, disguise: Disguise) -> Self:
        """Everybody."""
        return cls(records, disguise, np.arange(len(records.times)))

    @property
    def size(self) -> int:
        return len(self.rows)

    def target(self) -> Floats:
        group, factors = self.disguise.groups[-1], self.disguise.factors[-1]
        rest = self._others(group)
        sums = [np.bincount(self._cells(-1), rest * term, minlength=factors.shape[2]) for term in self._terms(group)]
        return np.asarray(np.einsum("txr,tr->x", factors, np.array(sums)))

    def table(self, question: int) -> Floats:
        one, two = self.disguise.factors[question], self.disguise.factors[-1]
        key = self._cells(question) * two.shape[2] + self._cells(-1)
        counted = np.array([
            np.bincount(key, weights, minlength=one.shape[2] * two.shape[2]).reshape(one.shape[2], two.shape[2])
            for weights in self._pairs(question)
        ])  # fmt: skip
        if self.disguise.groups[question] == self.disguise.groups[-1]:
            table = np.einsum("txr,trs,tys->xy", one, counted, two)
        else:
            table = np.einsum("ixr,ijrs,jys->xy", one, counted.reshape(len(one), len(two), *counted.shape[1:]), two)
        return self._allowed(question, table)

    def parted(self, question: int, parts: Parts) -> tuple[Floats, Floats]:
        one, two = self.disguise.factors[question], self.disguise.factors[-1]
        told = np.zeros((len(parts), one.shape[1]))
        for place, part in enumerate(parts):
            told[place, [cell for cell in part if cell in self.path.get(question, part)]] = 1
        first = np.einsum("px,txr->tpr", told, one)[:, :, self._cells(question)]
        second = two[:, :, self._cells(-1)]
        pairs = np.array(list(self._pairs(question, times=False)))
        if self.disguise.groups[question] == self.disguise.groups[-1]:
            weights = np.einsum("tm,tpm,tym->pym", pairs, first, second)
        else:
            weights = np.einsum("ijm,ipm,jym->pym", pairs.reshape(len(one), len(two), -1), first, second)
        return self._with_covariance(weights)

    def spread(self) -> tuple[Floats, Floats]:
        return self._with_covariance(self.target_weights())

    def target_weights(self) -> Floats:
        """Each row's weight for every true cell of the target: [cell, row]."""
        group, factors = self.disguise.groups[-1], self.disguise.factors[-1]
        terms = self._terms(group) * self._others(group, times=False)
        return np.asarray(np.einsum("tm,tym->ym", terms, factors[:, :, self._cells(-1)]))

    def _with_covariance(self, weights: Floats) -> tuple[Floats, Floats]:
        """Counts and covariance of sums of weights over independent replies."""
        times = self.records.times[self.rows]
        flat = weights.reshape(-1, len(times))
        sums = flat @ times
        covariance = (flat * times) @ flat.T - np.outer(sums, sums) / self.records.times.sum()
        return sums.reshape(weights.shape[:-1]), covariance

    def narrow(self, question: int, cells: Sequence[int]) -> Self:
        left = tuple(cell for cell in cells if cell in self.path.get(question, cells))
        path = {**self.path, question: left}
        group = self.disguise.groups[question]
        if question in self.path:
            changed = self._terms_of(group, path)
        else:
            changed = self._terms(group) * self._factor(question, left)
        terms = {**self.terms, group: changed}
        alive = changed.any(axis=0)
        if not alive.all():
            terms = {each: values[:, alive] for each, values in terms.items()}
        return type(self)(self.records, self.disguise, self.rows[alive], path, terms)

    def _cells(self, question: int) -> Cells:
        return np.asarray(self.records.cells[question, self.rows])

    def _factor(self, question: int, cells: tuple[int, ...]) -> Floats:
        """For each term and row, how much the report to a question speaks for these true cells."""
        told: Floats = self.disguise.factors[question][:, list(cells)].sum(axis=1)
        return np.asarray(told[:, self._cells(question)])

    def _terms(self, group: int) -> Floats:
        if group in self.terms:
            return self.terms[group]
        return np.repeat(self.disguise.lotteries[group].chances[:, None], len(self.rows), axis=1)

    def _terms_of(self, group: int, path: Mapping[int, tuple[int, ...]]) -> Floats:
        terms = np.repeat(self.disguise.lotteries[group].chances[:, None], len(self.rows), axis=1)
        for question, cells in path.items():
            if self.disguise.groups[question] == group:
                terms = terms * self._factor(question, cells)
        return terms

    def _others(self, *groups: int, times: bool = True) -> Floats:
        """The weight of each row as far as all other groups go."""
        weight = self.records.times[self.rows] if times else np.ones(len(self.rows))
        for group, terms in self.terms.items():
            if group not in groups:
                weight = weight * terms.sum(axis=0)
        return weight

    def _pairs(self, question: int, times: bool = True) -> Iterator[Floats]:
        """The rows' weights for each term of the question's group (and each of the target's, if that is another)."""
        one, two = self.disguise.groups[question], self.disguise.groups[-1]
        rest = self._others(one, two, times=times)
        path = {each: cells for each, cells in self.path.items() if each != question}
        first = self._terms_of(one, path) if question in self.path else self._terms(one)
        for term in first:
            weighed = rest * term
            if one == two:
                yield weighed
            else:
                yield from (weighed * other for other in self._terms(two))

    def _allowed(self, question: int, table: Floats) -> Floats:
        """Only cells that the path has left."""
        if question in self.path:
            left = np.zeros(len(table), dtype=bool)
            left[list(self.path[question])] = True
            table[~left] = 0
        return table
