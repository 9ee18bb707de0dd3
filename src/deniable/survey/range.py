"""Range of a number, and the intervals it is counted in.

Cells are half-open, [edge, next edge), and the last one is closed. The edges of whole numbers lie
halfway between them, so that no value ever falls on an edge. Numbers under noise live on a grid of
range/1024, which respondents' devices and our kernels share.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, isfinite, nextafter

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadQuestion

GRID = 1024  # points of the grid per width of the range
MANY = 100  # whole numbers that still get one cell each
DEFAULT_CELLS = 20
MAX_CELLS = GRID


@dataclass(frozen=True)
class Range:
    """The least and greatest number, and the edges between cells."""

    low: float
    high: float
    edges: tuple[float, ...]
    integer: bool = False
    chosen: bool = False  # the cells were chosen by the collector, not by default
    by_interval: bool = False  # people report the interval, not the number

    @property
    def step(self) -> float:
        """The distance between two points of the noise grid."""
        return (self.high - self.low) / GRID

    @property
    def middles(self) -> NDArray[np.float64]:
        """The middle of each cell: what its numbers are on average, if they lie evenly."""
        edges = np.clip(self.edges, self.low, self.high) if not self.integer else np.asarray(self.edges)
        return np.asarray((edges[1:] + edges[:-1]) / 2)

    def cells(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """The cell of each number; what lies outside the range falls into the outer cells."""
        return np.searchsorted(np.asarray(self.edges[1:-1]), values, side="right")

    def points(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """The grid point nearest to each number."""
        return np.rint((np.asarray(values) - self.low) / self.step).astype(np.int64)

    def cut(self, thresholds: Iterable[float]) -> "Range":
        """The same range with these edges added; between whole numbers all edges mean the same."""
        wanted = (ceil(threshold) - 0.5 if self.integer else threshold for threshold in thresholds)
        inside = {threshold for threshold in wanted if self.edges[0] < threshold < self.edges[-1]}
        return replace(self, edges=tuple(sorted(inside | set(self.edges))))

    def only(self, thresholds: Iterable[float]) -> "Range":
        """The same range with these edges alone between its ends."""
        return replace(self, edges=(self.edges[0], self.edges[-1])).cut(thresholds)

    def finer(self) -> "Range":
        """The same range with at least its default cells."""
        return self.cut(edges_of("", self.low, self.high, None, self.integer))

    def fewer(self, cells: int) -> "Range":
        """The same range with so many cells at most, their edges taken from its own."""
        if len(self.edges) - 1 <= cells:
            return self
        edges = np.asarray(self.edges)
        near = np.searchsorted(edges, np.linspace(edges[0], edges[-1], cells + 1)[1:-1])
        return self.only(float(edge) for edge in edges[near])

    def threshold(self, value: float, above: bool, under_noise: bool = False) -> float:
        """The edge that parts the numbers >= value from the rest; with `above`, those > value.

        Under noise a number is known by its grid point only, and the edge lies halfway between two of them.
        """
        if self.integer:
            return float(np.floor(value) + 0.5) if above else ceil(value) - 0.5
        if under_noise:
            return float(self.low + (np.ceil((value - self.low) / self.step - 1e-9) - 0.5) * self.step)
        return nextafter(value, float("inf")) if above else float(value)


def edges_of(name: str, low: float, high: float, cells: int | None, integer: bool) -> tuple[float, ...]:
    """Edges of cells as equal as can be."""
    whole = int(high - low) + 1
    if cells is None:
        cells = whole if integer and whole <= MANY else DEFAULT_CELLS
    most = min(whole, MAX_CELLS) if integer else MAX_CELLS
    if not isinstance(cells, int) or not 1 <= cells <= most:
        raise BadQuestion(name, f"needs a whole number of cells from 1 to {most}, got {cells}", "correct cells")
    if integer:
        return tuple(low - 0.5 + round(cell * whole / cells) for cell in range(cells + 1))
    return tuple(float(edge) for edge in np.linspace(low, high, cells + 1))


def edges_between(name: str, low: float, high: float, cuts: Sequence[float], integer: bool) -> tuple[float, ...]:
    """Edges from cuts: a cut is the least number of the cell above it."""
    proper = all(isinstance(cut, int | float) and not isinstance(cut, bool) and isfinite(cut) for cut in cuts)
    if not proper or len(cuts) >= MAX_CELLS:
        raise BadQuestion(name, f"needs fewer than {MAX_CELLS} cuts, all numbers, got {list(cuts)[:5]}", "correct cuts")
    inner = [ceil(cut) - 0.5 if integer else float(cut) for cut in cuts]
    outer = (low - 0.5, high + 0.5) if integer else (float(low), float(high))
    edges = (outer[0], *inner, outer[1])
    if any(after <= before for before, after in pairwise(edges)):
        raise BadQuestion(name, f"needs cuts that rise inside ({low:g}, {high:g}), got {list(cuts)}", "correct cuts")
    return edges


def interval_words(limits: Range) -> tuple[str, ...]:
    """A word for each cell: "20 to 29" for whole numbers, "20 to 30" otherwise."""
    pairs = list(pairwise(limits.edges))
    if limits.integer:
        spans = [(ceil(low), ceil(high) - 1) for low, high in pairs]
        return tuple(f"{low}" if low == high else f"{low} to {high}" for low, high in spans)
    words = tuple(f"{low:g} to {high:g}" for low, high in pairs)
    return words if len(set(words)) == len(words) else tuple(f"{low!r} to {high!r}" for low, high in pairs)
