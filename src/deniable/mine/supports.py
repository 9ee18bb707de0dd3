"""Estimated supports of itemsets, by signed weights of the replies.

The support of an itemset is the share of respondents who truly have all its items. A reply has a signed weight for it,
which depends only on the degrees to which its reports support the items (see items.py): a product over groups of sums
over the terms of the group's factored inverse,

    weight = product over groups of  sum over t of  coefficient[t] * product over the group's items of  level[t, degree]

So the replies matter only through a table of the d^k combinations of degrees, which follows from the number of replies
that support each subset of the items. Weights of a subset depend on the same combinations, so covariances, and the
errors of ratios, come from the same table.

legend: sets of k items each, d degrees; a column of a table is a combination, written as a number in base d whose first
digit is the degree of the first item; in counts of subsets the digit 0 stands for any degree
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deniable.count.bits import Sets
from deniable.mine.items import Item

Floats = NDArray[np.float64]


class SetWeights:
    """The weights that replies have for sets of these items."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.groups = np.array([item.group for item in items])
        self.terms = np.array([len(item.coefficients) for item in items])
        self.degrees = max(2, *[item.levels.shape[1] for item in items])
        self.coefficients = np.zeros((len(items), self.terms.max()))
        self.levels = np.zeros((len(items), self.terms.max(), self.degrees))
        for index, item in enumerate(items):
            terms, degrees = item.levels.shape
            self.coefficients[index, :terms] = item.coefficients
            self.levels[index, :terms, :degrees] = item.levels

    def of(self, sets: Sets, part: Sequence[int] | None = None) -> Floats:
        """The weight of each combination for each set, or for that part of each set: [set, combination]."""
        length = sets.shape[1]
        part = range(length) if part is None else part
        made = np.ones((len(sets), *[self.degrees] * length))
        for rows, blocks in _by_sharing(self.groups[sets], part):
            for block in blocks:
                made[rows] *= self._of_group(sets[rows], block)
        return made.reshape(len(sets), -1)

    def _of_group(self, sets: Sets, block: Sequence[int]) -> Floats:
        """The weight factor of the items in these columns, all of one group."""
        terms = int(self.terms[sets[:, block[0]]].max())
        product = self.coefficients[sets[:, block[0]], :terms].reshape(len(sets), terms, *[1] * sets.shape[1])
        for column in block:
            shape = [self.degrees if axis == column else 1 for axis in range(sets.shape[1])]
            product = product * self.levels[sets[:, column], :terms].reshape(len(sets), terms, *shape)
        return np.asarray(product.sum(axis=1))


def _by_sharing(groups: NDArray[np.intp], part: Sequence[int]) -> Iterator[tuple[NDArray[np.intp], list[list[int]]]]:
    """The sets (rows) whose items share draws in the same way, and the columns that share one."""
    code = np.zeros(len(groups), dtype=np.int64)
    for index, column in enumerate(part):
        same = groups[:, part[: index + 1]] == groups[:, [column]]
        code = code * (index + 1) + same.argmax(axis=1)
    _, firsts, which = np.unique(code, return_index=True, return_inverse=True)
    for kind, first in enumerate(firsts):
        here = groups[first]
        draws = dict.fromkeys(here[column] for column in part)
        yield np.flatnonzero(which == kind), [[column for column in part if here[column] == draw] for draw in draws]


def combination_counts(counts: Floats, degrees: int) -> Floats:
    """The replies in each combination of degrees, from the replies that support each subset of a set's items."""
    table = counts.copy()
    step = 1
    while step < counts.shape[1]:
        digits = table.reshape(len(table), -1, degrees, step)
        digits[:, :, 0] -= digits[:, :, 1:].sum(axis=2)
        step *= degrees
    return table


def means(table: Floats, weights: Floats) -> Floats:
    """The mean weight over the replies of each row's table."""
    return np.asarray((table * weights).sum(axis=1) / table.sum(axis=1))


def covariances(table: Floats, weights: Sequence[Floats]) -> Floats:
    """Covariances of mean weights, for the population that the respondents were drawn from: [one, other, row]."""
    n = table.sum(axis=1)
    centred = np.array([each - means(table, each)[:, None] for each in weights])
    return np.asarray(np.einsum("imc,jmc,mc->ijm", centred, centred, table, optimize=False) / n**2)
