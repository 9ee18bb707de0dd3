"""A first design from a data file: what could be asked, and a careful channel for each question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from deniable.channel import schemes
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.errors import BadFile
from deniable.frame import files
from deniable.frame.mark import MARK
from deniable.frame.scales import in_order, rather_denied
from deniable.survey.coding import spellings
from deniable.survey.question import REFUSAL, Question, number

THETA = 0.8  # of two answers; more answers get the theta at which epsilon is no greater
PRIVACY = 0.5
MAX_ANSWERS = 50
QUARTERS = (0.25, 0.5, 0.75)  # at which a number is cut into bands


@dataclass
class _Seen:
    """What a column was seen to hold."""

    rows: int = 0
    missing: int = 0
    words: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)  # in which the file has them, if it has one
    ordered: bool = False  # the file says that the order means something
    numbers: list[NDArray[np.float64]] = field(default_factory=list)
    numeric: bool = True

    def add(self, column: pa.ChunkedArray) -> None:
        self.rows += len(column)
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        self.missing += column.null_count
        if pa.types.is_dictionary(column.type):
            self.ordered = bool(column.type.ordered)
            for chunk in column.chunks:  # each may have a dictionary of its own
                self.order += [
                    word for word in chunk.dictionary.cast(pa.string()).to_pylist() if word not in self.order
                ]
            column = column.cast(pa.string())
        if len(self.words) <= MAX_ANSWERS:
            self.words |= {spellings(value)[0] for value in pc.unique(column.drop_null()).to_pylist()}
        if self.numeric and _has_codes(column):
            self.numeric = False
        if self.numeric:
            try:
                numbers = pc.cast(column.drop_null(), pa.float64(), safe=False).to_numpy()
                self.numeric = bool(np.isfinite(numbers).all()) and not pa.types.is_boolean(column.type)
                self.numbers.append(numbers)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                self.numeric = False


def _has_codes(column: pa.ChunkedArray) -> bool:
    """Whether some words are digits after a nought, like 00501: codes, not numbers."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return False
    return bool(pc.any(pc.match_substring_regex(column, r"^0\d")).as_py())


@dataclass(frozen=True)
class Suggestion:
    """A design for some data, and what there is to say of the data."""

    design: Design
    left_out: Mapping[str, str]  # columns that are no question, with the reason
    gaps: tuple[str, ...]  # numbers that some people left out
    rows: int


def suggest(
    path: Path, cut: str | None = None, progress: files.Progress | None = None, bands: bool = False
) -> Suggestion:
    """A design for this data.

    Two answers get Warner's channel with theta .8, more get k-ary with the same epsilon; numbers get Gaussian noise
    with a privacy of half their range, or, with `cut`, are cut in two at their median or mid-range. With `bands`
    numbers are reported in quarters of the people, or in those two, and by everybody: noise and gaps have no finite
    epsilon.
    """
    seen: dict[str, _Seen] = {}
    for piece in files.read(path, None, progress):
        for name in piece.column_names:
            seen.setdefault(name, _Seen()).add(piece.column(name))
    left_out = {name: reason for name, column in seen.items() if (reason := _unfit(name, column))}
    channels = [_channel(name, column, cut, bands) for name, column in seen.items() if name not in left_out]
    if not channels:
        raise BadFile(path, f"has no column that could be a question ({_listed(left_out)})", "write a design by hand")
    design = Design(channels, title=path.stem)
    gaps = [each.name for each in design.questions if each.range is not None and seen[each.name].missing]
    return Suggestion(design, left_out, tuple(gaps), max(column.rows for column in seen.values()))


def _listed(left_out: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {reason}" for name, reason in left_out.items())


def _unfit(name: str, column: _Seen) -> str:
    """Why a column cannot be a question, or nothing."""
    answered = column.rows - column.missing
    if name == MARK:
        return "the mark of a replies file"
    if len(column.words) < 2:
        return "the same for everybody" if answered else "empty"
    if not column.numeric and len(column.words) == answered > 2:
        return "words that are different for everybody"
    if not column.numeric and len(column.words) > MAX_ANSWERS:
        return f"more than {MAX_ANSWERS} different words: merge some of them, or ask a number instead"
    if column.numeric and _counts_rows(np.concatenate(column.numbers)):
        return "a running number"
    return ""


def _counts_rows(numbers: NDArray[np.float64]) -> bool:
    return len(numbers) > 2 and bool((np.diff(np.sort(numbers)) == 1).all())


def _channel(name: str, column: _Seen, cut: str | None, bands: bool) -> Channel:
    if column.numeric and len(column.words) > 2:
        return _number_channel(name, np.concatenate(column.numbers), cut, bands, omit=column.missing > 0 and not bands)
    optional = column.missing > 0 or REFUSAL in column.words
    order = sorted(column.words, key=float) if column.numeric else column.order
    answers, ordered = in_order(column.words - {REFUSAL}, order)
    scale = ordered or column.ordered
    sensitive = rather_denied(answers) if scale else None
    return careful(Question(name, answers, optional=optional, ordered=scale, sensitive=sensitive))


def careful(question: Question) -> Channel:
    """Warner's lottery for two answers, k-ary for more, with the same epsilon.

    The odds of the truth under k-ary are theta / (1 - theta) times the number of other answers.
    """
    if len(question) == 2:
        return schemes.warner(THETA, question)
    odds, others = THETA / (1 - THETA), len(question) - 1
    theta, steps = odds / (odds + others), 100
    while floor(theta * steps) <= steps / len(question):  # a theta of 1 in as many answers would hide everything
        steps *= 10
    return schemes.k_ary(floor(theta * steps) / steps, question)


def _number_channel(name: str, numbers: NDArray[np.float64], cut: str | None, bands: bool, omit: bool) -> Channel:
    low, high = float(numbers.min()), float(numbers.max())
    integer = bool((numbers == np.rint(numbers)).all())
    low, high = (int(low), int(high)) if integer else (low, high)
    if cut is None and not bands:
        return schemes.gaussian(number(name, low, high, integer=integer, omit=omit), privacy=PRIVACY)
    middle = [float(np.median(numbers)) if cut == "median" else (low + high) / 2]
    limits = middle if cut is not None else np.quantile(numbers, QUARTERS)
    cuts = sorted({_above(numbers, limit, integer) for limit in limits})
    return careful(number(name, low, high, cuts=cuts, integer=integer, omit=omit))


def _above(numbers: NDArray[np.float64], cut: float, integer: bool) -> float:
    """Where "more than the cut" begins; between two numbers, and never beyond the greatest."""
    distinct = np.unique(numbers)
    if integer:
        return float(min(np.floor(cut) + 1, distinct[-1]))
    index = min(int(np.searchsorted(distinct, cut, side="right")), len(distinct) - 1)
    below, above = distinct[index - 1], distinct[index]
    return float(cut if below < cut < above else (below + above) / 2)
