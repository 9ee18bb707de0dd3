"""Sums of a number over equal replies, as expressions for a frame's engine: of weights, and of numbers by their cells.

Replies are also separated by a part of the number: the sign of a weight, the cell of a number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw

from deniable.count.cut import Cut, number_of
from deniable.count.moments import NO_ANSWER

Columns = Mapping[str, nw.Expr]


@dataclass(frozen=True)
class Sums:
    """Columns to add to a frame, one after the other, the one of parts among them; and the figures of each group."""

    steps: Sequence[Columns]
    part: str
    figures: Columns


def sums_of_weights(name: str, alias: str) -> Sums:
    """The ends of weights d, and the sums of 1/d, d and d^2; names begin with `alias`, as no other does."""
    d, sign, inverse, square = (f"{alias}_{each}" for each in ("d", "sign", "inverse", "square"))
    weight = nw.col(d)
    signs = nw.when(weight > 0).then(1).when(weight == 0).then(0).when(weight < 0).then(-1)
    made = {sign: signs, inverse: nw.when(weight > 0).then(1 / weight), square: weight * weight}
    sums = {f"{each}_sum": nw.col(each).sum() for each in (inverse, d, square)}
    return Sums([{d: number_of(name)}, made], sign, {f"{d}_least": weight.min(), f"{d}_most": weight.max(), **sums})


def moments_of_number(name: str, cut: Cut, centre: float, alias: str) -> Sums:
    """The ends, the mean and the variance of numbers, and the mean cube of their distance from a centre."""
    own, cell, apart, cube = (f"{alias}_{each}" for each in ("number", "cell", "apart", "cube"))
    number = nw.col(own)
    cells = cut.by_cell(number, range(len(cut.starts)))
    within = nw.when(cut.answers(number)).then(cells).when(~number.is_null()).then(NO_ANSWER)
    figures = {"least": number.min(), "most": number.max(), "mean": number.mean(), "variance": number.var(ddof=0),
               "cube": nw.col(cube).mean()}  # fmt: skip
    distance = nw.col(apart)
    steps = [{own: number_of(name)}, {cell: within, apart: number - centre}, {cube: distance * distance * distance}]
    return Sums(steps, cell, {f"{alias}_of_{each}": figure for each, figure in figures.items()})
