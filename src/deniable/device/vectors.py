"""Golden draws: what a device must report, given what is true and which random numbers it drew.

Respondents' browsers run JavaScript and simulations run Python. Both must do exactly what the published design
says, so both are tested with the same vectors: true answers, the draws u in the order in which a device takes them,
and the reply. Half of the draws lie at a threshold or right beside it, where a mistake of one would show.

A true answer is written as its cell, or as a number; None where it was skipped.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.chances import SCALE, uniform
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.device.follow import draws_needed, follow_lottery
from deniable.device.randomness import Script
from deniable.frame.columns import Column, cell_type
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

LEFT_OUT_OF_TEN = 2  # of ten respondents, how many skip a number that may be skipped


def vectors(design: Design, count: int, seed: int) -> dict[str, Any]:
    """So many shared vectors of a design, as JSON: the design itself, true answers, draws and replies."""
    rng = np.random.default_rng(seed)
    true = {question.name: _true_column(question, count, rng) for question in design.questions}
    reported: dict[str, Column] = {}
    draws = []
    for channel in design.channels:
        words = _draws(channel, count, rng)
        reported |= follow_lottery(channel, true, Script(words))
        draws.append(words)
    return {
        "design": design.to_json(),
        "fingerprint": design.fingerprint,
        "true": _rows(_plain(true[name]) for name in design.names),
        "draws": np.concatenate(draws).T.tolist(),
        "reported": _rows(_reported(design, question, reported[question.name]) for question in design.questions),
    }


def breaks(channel: Channel) -> NDArray[np.int64]:
    """Every threshold that a draw for this channel may be compared with, below 2^32."""
    found = {0, *channel.thresholds}
    for instruction in channel.instructions:
        pending = [instruction.published(channel.group).get("thresholds", [])]
        while pending:
            some = pending.pop()
            pending += some.values() if isinstance(some, dict) else [each for each in some if isinstance(each, list)]
            found |= {each for each in some if isinstance(each, int)}
    for question in channel.group:
        found |= set(uniform(len(question) - 1)) if len(question) > 1 else set()
    return np.array(sorted(each for each in found if each < SCALE), dtype=np.int64)


def _draws(channel: Channel, count: int, rng: np.random.Generator) -> NDArray[np.uint32]:
    shape = (draws_needed(channel), count)
    anywhere = rng.integers(0, SCALE, shape)
    beside = np.clip(rng.choice(breaks(channel), shape) + rng.integers(-1, 2, shape), 0, SCALE - 1)
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


def _reported(design: Design, question: Question, column: Column) -> list[Any]:
    """What replies say: words, numbers, or None."""
    reported = design.reported(question)
    if reported.is_number:
        return _plain(column)
    return [None if cell is None else reported.answers[cell] for cell in _plain(column)]


def _rows(columns: Iterable[list[Any]]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns, strict=True)]
