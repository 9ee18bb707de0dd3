"""What a column of true answers was seen to hold: all that a first design (suggest.py) needs to know of it.

It is put together from the pieces of a file here, or from what Spark counts (suggest_spark.py).
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from deniable.survey.coding import spellings

MAX_ANSWERS = 50
QUARTERS = (0.25, 0.5, 0.75)  # at which a number is cut into bands
CODES = r"^0\d"  # a leading zero, as in 00501: codes, not numbers

Floats = NDArray[np.float64]
Where = Literal["median", "midrange", "quarters"]  # numbers are cut
Cuts = Callable[[Sequence[str], Where], Mapping[str, Sequence[float]]]  # of some columns of numbers


@dataclass(frozen=True)
class Numbers:
    """Of a column of numbers."""

    low: float
    high: float
    integer: bool  # all of them are whole
    running: bool  # each is one more than the one before


@dataclass(frozen=True)
class Seen:
    """What a column holds."""

    rows: int
    missing: int
    words: Set[str]  # different ones; where there are more than answers may be, not all of them
    distinct: int  # as many different words; where there are more than answers may be, as many at least
    numbers: Numbers | None = None  # where all words are numbers
    order: Sequence[str] = ()  # in which the file has the words, if it has one
    ordered: bool = False  # the file says that the order means something
    nested: bool = False  # lists or records


@dataclass
class SeenPieces:
    """What is seen of a column, a piece of a file at a time."""

    rows: int = 0
    missing: int = 0
    words: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    ordered: bool = False
    values: list[Floats] = field(default_factory=list)  # of the pieces, as long as all words are numbers
    numeric: bool = True
    nested: bool = False

    def add(self, column: pa.ChunkedArray) -> None:
        """See one more piece."""
        self.rows += len(column)
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        self.missing += column.null_count
        self.nested = pa.types.is_nested(column.type)
        if self.nested:
            return
        if pa.types.is_dictionary(column.type):
            column = self._without_categories(column)
        if len(self.words) <= MAX_ANSWERS:
            self.words |= words_of(pc.unique(column.drop_null()))
        if self.numeric:
            self._add_numbers(column)

    def seen(self) -> Seen:
        """All that was seen."""
        numbers = numbers_of(np.concatenate(self.values)) if self.numeric and self.values else None
        return Seen(
            self.rows, self.missing, self.words, len(self.words), numbers, self.order, self.ordered, self.nested
        )

    def _without_categories(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        self.ordered = bool(column.type.ordered)
        for chunk in column.chunks:  # each may have a dictionary of its own
            self.order += [word for word in chunk.dictionary.cast(pa.string()).to_pylist() if word not in self.order]
        return column.cast(pa.string())

    def _add_numbers(self, column: pa.ChunkedArray) -> None:
        self.numeric = not (pa.types.is_boolean(column.type) or _has_codes(column))
        if not self.numeric:
            return
        there = column.drop_null()
        if pa.types.is_decimal(column.type):
            there = pc.cast(there, pa.string())  # whose digits give the nearest number
        try:
            numbers = pc.cast(there, pa.float64(), safe=False).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            self.numeric = False
        else:
            self.numeric = bool(np.isfinite(numbers).all())
            self.values.append(numbers)


def words_of(values: pa.Array | pa.ChunkedArray) -> set[str]:
    """Values as the words that they are listed by."""
    return {spellings(value)[0] for value in values.to_pylist()}


def _has_codes(column: pa.ChunkedArray) -> bool:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    return bool(pc.any(pc.match_substring_regex(column, CODES)).as_py())


def numbers_of(values: Floats) -> Numbers | None:
    """What numbers are like; nothing where there are none."""
    if not len(values):
        return None
    running = len(values) > 2 and bool((np.diff(np.sort(values)) == 1).all())
    return Numbers(float(values.min()), float(values.max()), bool((values == np.rint(values)).all()), running)


def cuts_of(values: Sequence[Floats], where: Where) -> list[float]:
    """Where a column of numbers is cut."""
    numbers = np.concatenate(values)
    distinct = np.unique(numbers)
    if where == "quarters":
        limits = np.quantile(numbers, QUARTERS).tolist()
    else:
        limits = [float(np.median(numbers)) if where == "median" else (distinct[0] + distinct[-1]) / 2]
    if (numbers == np.rint(numbers)).all():
        return sorted({whole_cut(limit, distinct[-1]) for limit in limits})
    return sorted({cut_between(limit, *_neighbours(distinct, limit)) for limit in limits})


def _neighbours(distinct: Floats, limit: float) -> tuple[float, float]:
    """The greatest number that is not above a limit, and the next one; the last two where none is above."""
    index = min(int(np.searchsorted(distinct, limit, side="right")), len(distinct) - 1)
    return distinct[index - 1], distinct[index]


def whole_cut(limit: float, high: float) -> float:
    """Where "more than the limit" begins among whole numbers, never beyond the greatest."""
    return float(min(np.floor(limit) + 1, high))


def cut_between(limit: float, below: float, above: float) -> float:
    """Where "more than the limit" begins among other numbers: between two of them."""
    return float(limit if below < limit < above else (below + above) / 2)
