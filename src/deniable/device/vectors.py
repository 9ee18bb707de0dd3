"""Golden draws: what a device must report, given what is true and which random numbers it drew.

Respondents' browsers run JavaScript and simulations run Python. Both must do exactly what the published design
says, so both are tested with the same vectors: true answers, the draws u in the order in which a device takes them,
and the reply. Half of the draws lie at a threshold or right beside it, where a mistake of one would show.

A true answer is written as its cell, or as a number; None where it was skipped. Where respondents choose a version,
their choice stands before their answers. Draws of versions come first, then those of the channels of each respondent's
own versions, block after block: so respondents with different versions may take different numbers of draws. Where they
draw by themselves, the device takes none, and what they pick is the reply.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.chances import SCALE, uniform
from deniable.channel.channel import DEVICE, Channel
from deniable.channel.design import Design
from deniable.device.disguise import disguise_columns
from deniable.device.follow import Rows, draws_needed
from deniable.device.randomness import Script
from deniable.frame.columns import Column, cell_type
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

LEFT_OUT_OF_TEN = 2  # of ten respondents, how many skip a number that may be skipped


def vectors(design: Design, count: int, seed: int) -> dict[str, Any]:
    """So many shared vectors of a design, as JSON: the design itself, true answers, draws and replies."""
    rng = np.random.default_rng(seed)
    true = {question.name: _true_column(question, count, rng) for question in design.questions}
    chosen = [block.version_question for block in design.versioned if block.chosen]
    picked = {column.name: _true_column(column, count, rng) for column in chosen}
    drawn = _Drawn(count, rng)
    reported = disguise_columns(design, picked | true, drawn.draws)
    return {
        "design": design.to_json(),
        "fingerprint": design.fingerprint,
        "true": _rows(_plain(column) for column in (picked | true).values()),
        "draws": drawn.rows,
        "reported": _rows(_reported(design.reported(name), reported[name]) for name in design.columns),
    }


class _Drawn:
    """Draws that are made up as a device asks for them, and written down for each respondent."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._everybody = np.arange(count)
        self._versions: list[list[int]] = [[] for _ in range(count)]
        self._channels: list[list[int]] = [[] for _ in range(count)]

    def draws(self, lottery: Channel | Block, columns: Mapping[str, Column], rows: Rows) -> Script:
        """The draws of these respondents for a group, or for the version of a block."""
        rows = self._everybody if rows is None else rows
        if isinstance(lottery, Block):
            words, written = _draws(lottery.thresholds, (1, len(rows)), self._rng), self._versions
        else:
            words, written = _draws(breaks(lottery), (draws_needed(lottery), len(rows)), self._rng), self._channels
        if isinstance(lottery, Block) or lottery.drawn_by == DEVICE:
            for row, taken in zip(rows.tolist(), words.T.tolist(), strict=True):
                written[row] += taken
        return Script(words)

    @property
    def rows(self) -> list[list[int]]:
        """All draws of each respondent, in the order in which the page takes them."""
        return [versions + channels for versions, channels in zip(self._versions, self._channels, strict=True)]


def breaks(channel: Channel) -> list[int]:
    """Every threshold that a draw for this channel may be compared with, below 2^32."""
    found = {0, *channel.thresholds}
    for instruction in channel.instructions:
        pending = [instruction.published([each.plain for each in channel.group]).get("thresholds", [])]
        while pending:
            some = pending.pop()
            pending += some.values() if isinstance(some, dict) else [each for each in some if isinstance(each, list)]
            found |= {each for each in some if isinstance(each, int)}
    for question in channel.group:
        found |= set(uniform(len(question) - 1)) if len(question) > 1 else set()
    return sorted(found)


def _draws(breaks: Iterable[int], shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.uint32]:
    """Draws anywhere, or at one of these thresholds."""
    below = np.array([each for each in breaks if each < SCALE] or [0], dtype=np.int64)
    anywhere = rng.integers(0, SCALE, shape)
    beside = np.clip(rng.choice(below, shape) + rng.integers(-1, 2, shape), 0, SCALE - 1)
    return np.where(rng.integers(0, 2, shape) == 1, anywhere, beside).astype(np.uint32)


def _true_column(question: Question, count: int, rng: np.random.Generator) -> Column:
    if not question.is_number:
        cells = rng.integers(0, len(question), count).astype(cell_type(len(question)))
        return np.where(_left_out(question, count, rng), LEFT_OUT, cells).astype(cells.dtype)
    limits = question.range
    assert limits is not None
    if limits.integer:
        numbers = rng.integers(int(limits.low), int(limits.high) + 1, count).astype(float)
    else:  # anywhere, or halfway between two points of the grid
        anywhere = rng.uniform(limits.low, limits.high, count)
        halfway = limits.low + (rng.integers(0, 1024, count) + 0.5) * limits.step
        numbers = np.where(rng.integers(0, 2, count) == 1, anywhere, halfway)
    numbers[_left_out(question, count, rng)] = np.nan
    return numbers


def _left_out(question: Question, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    return np.asarray(question.omit & (rng.integers(0, 10, count) < LEFT_OUT_OF_TEN))


def _plain(column: Column) -> list[Any]:
    """Cells or numbers; None where nothing was given."""
    if column.dtype.kind == "f":
        return [None if np.isnan(value) else value for value in column.tolist()]
    return [None if cell == LEFT_OUT else cell for cell in column.tolist()]


def _reported(reported: Question, column: Column) -> list[Any]:
    """What replies say: words, numbers, or None."""
    if reported.is_number:
        return _plain(column)
    return [None if cell is None else reported.answers[cell] for cell in _plain(column)]


def _rows(columns: Iterable[list[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]
