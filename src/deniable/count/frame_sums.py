"""Numbers in a frame's engine: cut, and summed up over equal replies.

Sums also separate replies by a part of the number: the sign of a weight, the cell of a number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from deniable.count.cut import Cut, number_of
from deniable.count.grouped import quoted
from deniable.count.moments import NO_ANSWER

Columns = Mapping[str, nw.Expr]


@dataclass(frozen=True)
class Sums:
    """Columns to add to a frame, one after the other, the one of parts among them; and the figures of each group."""

    steps: Sequence[Columns]
    part: str
    figures: Columns


def cut_in(frame: nw.LazyFrame[Any], cuts: Mapping[str, Cut]) -> nw.LazyFrame[Any]:
    """The frame, in which these numbers are cut."""
    engine, native = frame.implementation, frame.to_native()
    if engine.is_dask():  # which takes each step of a condition for a task of its own
        made = {name: native[name].map_partitions(cut.of_series, meta=(name, float)) for name, cut in cuts.items()}
        native, cuts = native.assign(**made), {}
    sql = engine.is_duckdb() or engine.is_spark_like()
    dotted = {name: cut for name, cut in cuts.items() if sql and "." in name}  # of which only SQL takes the names
    if dotted and engine.is_duckdb():
        columns = (f"{cut.sql_column(quoted(name), words=False)} as {quoted(name)}" for name, cut in dotted.items())
        native = native.project(f"* replace ({', '.join(columns)})")
    elif dotted:
        from pyspark.sql import functions

        texts = {name: cut.sql_column(quoted(name, "`"), words=False) for name, cut in dotted.items()}
        native = native.withColumns({name: functions.expr(text) for name, text in texts.items()})
    plain = [cut.column(name) for name, cut in cuts.items() if name not in dotted]
    found: nw.LazyFrame[Any] = nw.from_native(native)
    return found.with_columns(*plain) if plain else found


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
