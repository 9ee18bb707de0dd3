"""Weights of figures, summed up by where the truth lies.

A share is the mean of weights a, a conditional share the ratio of that mean to the mean of b, the weights of its
condition. An interval needs the sums of a^i b^j over reports, i + j at most three; that of a ratio separately for
truths in the figure and beside it (in its condition, but not in it). For the cells of a table these sums are products
over blocks, as the inverse itself is, so no cell's weights are written out.

legend: L inverse [true, reported], M matrix [reported, true], x true shares [*true cell, table]; sums have an axis for
each block whose versions are drawn, which counts its kinds: [*kind, *figure, table]
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from deniable.channel.instruction import Matrix
from deniable.inference.invert.stack import Stack, Table, along
from deniable.inference.invert.stacks import disguised, weights_of

Powers = tuple[int, int]
SHARE: tuple[Powers, ...] = ((0, 0), (1, 0), (2, 0), (3, 0))
RATIO: tuple[Powers, ...] = tuple((i, j) for i in range(4) for j in range(4 - i))


@dataclass(frozen=True)
class PowerSums:
    """Sums of a^i b^j over reports; of a share b is one, and its powers are all alike."""

    shares: tuple[Table, Table]  # of truths in the figure, and beside it
    whole: Mapping[Powers, Table]
    parts: tuple[Mapping[Powers, Table], Mapping[Powers, Table]] | None = None  # of a ratio: in the figure, beside it

    def plus(self, other: "PowerSums") -> "PowerSums":
        """Those of all people together."""
        shares = (self.shares[0] + other.shares[0], self.shares[1] + other.shares[1])
        if self.parts is None or other.parts is None:
            return PowerSums(shares, _added(self.whole, other.whole))
        parts = (_added(self.parts[0], other.parts[0]), _added(self.parts[1], other.parts[1]))
        return PowerSums(shares, _added(self.whole, other.whole), parts)

    def times(self, people: Table) -> "PowerSums":
        """Those of a share of the people, [table]."""
        shares = (self.shares[0] * people, self.shares[1] * people)
        parts = None if self.parts is None else (_scaled(self.parts[0], people), _scaled(self.parts[1], people))
        return PowerSums(shares, _scaled(self.whole, people), parts)


def _added(one: Mapping[Powers, Table], two: Mapping[Powers, Table]) -> dict[Powers, Table]:
    return {key: one[key] + two[key] for key in one}


def _scaled(sums: Mapping[Powers, Table], people: Table) -> dict[Powers, Table]:
    return {key: value * people for key, value in sums.items()}


@dataclass(frozen=True)
class MaskWeights:
    """The weights of one figure, a mask over true cells, among those of another."""

    stacks: Sequence[Stack]
    mask: Table  # [*true cell]
    given: Table | None = None

    @cached_property
    def of(self) -> Table:
        """The weights of the figure, [*report]."""
        return weights_of(self.mask, self.stacks)

    @cached_property
    def base(self) -> Table:
        """The weights of its condition."""
        return np.ones(()) if self.given is None else weights_of(self.given, self.stacks)

    def summed(self, x: Table, parts: bool = True) -> PowerSums:
        """The sums under these true shares; those of a ratio by parts, if wanted."""
        inside, met = x * self.mask[..., None], x if self.given is None else x * self.given[..., None]
        shares = (_total(inside), _total(met - inside))
        if self.given is None:
            return PowerSums(shares, self._sums(x, SHARE))
        whole, some = self._sums(x, RATIO), (inside, met - inside)
        return PowerSums(shares, whole, (self._sums(some[0], RATIO), self._sums(some[1], RATIO)) if parts else None)

    def _sums(self, x: Table, powers: Sequence[Powers]) -> dict[Powers, Table]:
        reports, kinds = disguised(x, self.stacks), kinds_of(self.stacks)
        strata = [self._only(reports, each) for each in product(*kinds)]
        rows = {power: np.stack([self._sum(each, power) for each in strata]) for power in powers}
        return {power: each.reshape(*map(len, kinds), *each.shape[1:]) for power, each in rows.items()}

    def _only(self, reports: Table, kinds: Sequence[int]) -> Table:
        """The chances of reports to these kinds of versions."""
        for stack, kind in zip(drawn_in(self.stacks), kinds, strict=True):
            reports = stack.of_kind(reports, kind)
        return reports

    def _sum(self, reports: Table, powers: Powers) -> Table:
        weights = self.of ** powers[0] * self.base ** powers[1]
        return np.asarray(np.tensordot(weights, reports, weights.ndim))


def _total(table: Table) -> Table:
    return np.asarray(table.reshape(-1, table.shape[-1]).sum(axis=0))


@dataclass(frozen=True)
class CellWeights:
    """The weights of every cell of a table, among those with the same answers to the questions of some axes."""

    stacks: Sequence[Stack]
    among: Sequence[int] | None = None  # axes; of a share there is no condition

    @cached_property
    def _powers(self) -> list[tuple[Sequence[Matrix], Sequence[Matrix]]]:
        """Powers of the weights of each stack's cells, and of their conditions: [true cell, reported cell]."""
        found = []
        for stack in self.stacks:
            cells = stack.inverse.reshape(*stack.true_shape, -1)
            summed = tuple(index for index, axis in enumerate(stack.axes) if axis not in (self.among or ()))
            base = np.broadcast_to(cells.sum(axis=summed, keepdims=True), cells.shape)
            found.append((_powers(stack.inverse), _powers(base.reshape(stack.inverse.shape))))
        return found

    def sums(self, reports: Table, powers: Sequence[Powers]) -> dict[Powers, Table]:
        """The sums over reports [*report, table]."""
        return self._by_kind(powers, lambda power, kinds: self._of_reports(reports, power, kinds))

    def summed(self, x: Table, parts: bool = True) -> PowerSums:
        """The sums under these true shares; those of a ratio by parts, if wanted."""
        reports = disguised(x, self.stacks)
        if self.among is None:
            return PowerSums((x, x.sum(axis=tuple(range(x.ndim - 1))) - x), self.sums(reports, SHARE))
        others = tuple(axis for axis in range(x.ndim - 1) if axis not in self.among)
        condition = np.broadcast_to(x.sum(axis=others, keepdims=True), x.shape)
        shares, whole = (x, condition - x), self.sums(reports, RATIO)
        if not parts:
            return PowerSums(shares, whole)
        own = self._by_kind(RATIO, lambda power, kinds: self._of_truths(x, power, kinds, range(x.ndim - 1)))
        met = self._by_kind(RATIO, lambda power, kinds: self._of_truths(x, power, kinds, self.among or ()))
        return PowerSums(shares, whole, (own, {power: met[power] - own[power] for power in RATIO}))

    def _by_kind(
        self, powers: Sequence[Powers], summed: Callable[[Powers, Sequence[int]], Table]
    ) -> dict[Powers, Table]:
        kinds = kinds_of(self.stacks)
        rows = {power: np.stack([summed(power, each) for each in product(*kinds)]) for power in powers}
        return {power: each.reshape(*map(len, kinds), *each.shape[1:]) for power, each in rows.items()}

    def _of_reports(self, reports: Table, powers: Powers, kinds: Sequence[int]) -> Table:
        """One sum over reports to these kinds of versions."""
        for stack, weights in zip(self.stacks, self._weights(powers, kinds), strict=True):
            reports = along(reports, stack.axes, weights, stack.true_shape)
        return reports

    def _of_truths(self, x: Table, powers: Powers, kinds: Sequence[int], axes: Sequence[int]) -> Table:
        """The same over reports of those whose truth is like the cell's in the questions of these axes."""
        for stack, weights in zip(self.stacks, self._weights(powers, kinds), strict=True):
            alike = [index for index, axis in enumerate(stack.axes) if axis in axes]
            if not alike:
                x = along(stack.disguised(x), stack.axes, weights, stack.true_shape)
            elif len(alike) == len(stack.axes):
                x = _times(x, stack, np.einsum("xr,rx->x", weights, stack.matrix))
            else:
                x = along(x, stack.axes, (weights @ stack.matrix) * _alike(stack.true_shape, alike), stack.true_shape)
        return x

    def _weights(self, powers: Powers, kinds: Sequence[int]) -> Iterator[Matrix]:
        """Powers of the weights of each stack, [true cell, reported cell], none but those of these kinds."""
        chosen = iter(kinds)
        for stack, (of, base) in zip(self.stacks, self._powers, strict=True):
            weights = of[powers[0]] * base[powers[1]]
            if stack.is_drawn:
                weights = weights * (stack.kind_of_report == next(chosen))
            yield weights


def _powers(matrix: Matrix) -> Sequence[Matrix]:
    """Up to the third, by products: much faster than powers of floats."""
    return np.ones_like(matrix), matrix, matrix * matrix, matrix * matrix * matrix


def _times(x: Table, stack: Stack, values: Table) -> Table:
    """A table times values of a stack's cells."""
    front = np.moveaxis(x, stack.axes, range(len(stack.axes)))
    values = values.reshape(*stack.true_shape, *[1] * (x.ndim - len(stack.axes)))
    return np.moveaxis(front * values, range(len(stack.axes)), stack.axes)


def _alike(shape: tuple[int, ...], fixed: Sequence[int]) -> Matrix:
    """Which cells agree on some of their axes: [cell, cell]."""
    cells = np.array(np.unravel_index(np.arange(np.prod(shape)), shape))[list(fixed)]
    return np.asarray((cells[:, :, None] == cells[:, None, :]).all(axis=0), dtype=float)


def drawn_in(stacks: Sequence[Stack]) -> list[Stack]:
    """The stacks whose versions are drawn."""
    return [stack for stack in stacks if stack.is_drawn]


def kinds_of(stacks: Sequence[Stack]) -> list[range]:
    """The kinds of versions of each stack whose versions are drawn."""
    return [range(len(stack.shares)) for stack in drawn_in(stacks)]
