"""Tables of two questions at once: what a look ahead asks of a node, all pairs together.

Below a node where one group asks all questions that are left, each of two answers, the tables of every question below
every answer to another follow from how often two reports come together:

    table[x, z, y]  =  sum over i, b, r, q of  factor[i, x, r] factor[i, z, q] weight[i, y, b] counts[b, f, r, g, q]

legend: f, g two questions; x, z their true cells and r, q the reported ones; y true cell of the target; i term of the
group's inverse; b bin (see `disguised`)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.members import Members
from deniable.inference.population.records import Floats, Records

CHUNK = 2**13  # replies counted at once, so that they stay in the processor's cache
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class PairTables:
    """The tables of all pairs of some questions with two answers each."""

    questions: Sequence[int]
    factors: Floats  # [f, i, x, r]
    weights: Floats  # [i, y, b]
    counts: Floats  # [b, f, r, g, q]
    total: float  # of all replies

    @classmethod
    def of(cls, records: Records, questions: Sequence[int], members: Members, factors: Floats, weights: Floats) -> Self:
        """Of some replies; every question has two reports."""
        counts = _counted(records, questions, members, weights.shape[2])
        return cls(questions, factors, weights, counts, records.total)

    @cached_property
    def tables(self) -> Floats:
        """Estimated people by the answers to two questions and the target: [f, x, g, z, y]."""
        weighted = np.tensordot(self.weights, self.counts, 1)  # [i, y, f, r, g, q]
        first = np.einsum("fixr,iyfrgq->iyfxgq", self.factors, weighted)
        return np.asarray(np.einsum("gizq,iyfxgq->fxgzy", self.factors, first))

    def with_covariance(self, first: Indices, cell: Indices, second: Indices) -> tuple[Floats, Floats]:
        """Tables of some questions among those with a certain answer to another, [pair, z, y], and their covariances.

        Questions are told by their index among the questions.
        """
        above = self.factors[first, :, cell]  # [pair, i, r]
        flat = np.einsum("pir,pizq,iyb->pzybrq", above, self.factors[second], self.weights)
        flat = flat.reshape(len(first), -1, flat[0, 0, 0].size)  # [pair, (z, y), (b, r, q)]
        counted = flat * self.counts[:, first, :, second].reshape(len(first), 1, -1)
        sums = counted.sum(axis=2)
        covariances = counted @ flat.swapaxes(1, 2) - sums[:, :, None] * sums[:, None] / self.total
        return sums.reshape(len(first), 2, -1), covariances


def _counted(records: Records, questions: Sequence[int], members: Members, bins: int) -> Floats:
    """How often two reports come together in each bin: [b, f, r, g, q]."""
    both = np.zeros((bins, len(questions) + 1, len(questions) + 1))  # the last one is always reported
    for each_bin, into in enumerate(both):
        here = members.rows[members.bins == each_bin]
        for start in range(0, len(here), CHUNK):
            rows = here[start : start + CHUNK]
            ones = np.ones((len(into), len(rows)))
            for index, question in enumerate(questions):
                ones[index] = records.cells[question].take(rows)
            into += (ones * records.counts.take(rows)) @ ones.T
    ones, single, all_ = both[:, :-1, :-1], both[:, -1, :-1], both[:, -1:, -1:]
    found = np.empty((bins, len(questions), 2, len(questions), 2))
    found[:, :, 1, :, 1] = ones
    found[:, :, 1, :, 0] = single[:, :, None] - ones
    found[:, :, 0, :, 1] = single[:, None] - ones
    found[:, :, 0, :, 0] = all_ - single[:, :, None] - single[:, None] + ones
    return found
