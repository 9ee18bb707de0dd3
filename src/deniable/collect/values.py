"""Values of a reply: each answer as the cell or number that is stored, if the disguise can have reported it.

What can be reported depends on the version that a reply names: a question that its version does not ask must be null,
and one that it asks must have one of the reports of that version. Refusals name the question, never what was sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.errors import BadReply
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question
from deniable.survey.range import Range

Value = int | float | None  # a cell, a number, or a number that is missing
Reported = str | float | None
Answers = Mapping[str, Reported]  # by column


def value_readers(design: Design) -> list[Callable[[Answers], Value]]:
    """How each column of a reply is read, in the order of the columns."""
    versions = [_Version(str(block.column), _cells(block.version_question)) for block in design.versioned]
    return [*versions, *(_reader(design.block(name), name) for name in design.names)]


def _reader(block: Block, name: str) -> Callable[[Answers], Value]:
    reported = block.reported(name)
    if block.is_plain:
        return _Asked(name, _value_of(block.channels[0], reported, name))
    found = {channel: _value_of(channel, reported, name) for channel in block.channels_of(name)}
    asked: dict[Reported, Callable[[Reported], Value]] = {
        version.name: found[channel] for version in block.versions if (channel := version.channel(name))
    }
    return _AskedBySome(name, str(block.column), asked, None if reported.is_number else LEFT_OUT)


def _value_of(channel: Channel, reported: Question, name: str) -> Callable[[Reported], Value]:
    """How a report through this channel is read; its cell is that among the reports of all versions."""
    question, own = channel.question(name), channel.reported(name)
    if own.is_number:
        assert question.range is not None
        assert own.range is not None
        return _Number(question, own.range, question.range if channel.has_noise else None)
    every = _cells(reported)
    cells: dict[Reported, int] = {answer: every[answer] for answer in own.answers}
    if question.omit:
        cells[None] = LEFT_OUT
    return _Word(name, cells)


def _cells(question: Question) -> dict[Reported, int]:
    return {answer: cell for cell, answer in enumerate(question.answers)}


@dataclass(frozen=True)
class _Version:
    column: str
    cells: dict[Reported, int]

    def __call__(self, answers: Answers) -> Value:
        cell = self.cells.get(answers[self.column])
        if cell is None:
            raise BadReply(f"names in {self.column!r} one of its versions", "something else")
        return cell


@dataclass(frozen=True)
class _Asked:
    name: str
    value: Callable[[Reported], Value]

    def __call__(self, answers: Answers) -> Value:
        return self.value(answers[self.name])


@dataclass(frozen=True)
class _AskedBySome:
    """A question that each version asks in its own way, or not at all; the version was read before."""

    name: str
    column: str
    asked: dict[Reported, Callable[[Reported], Value]]  # by version
    missing: Value

    def __call__(self, answers: Answers) -> Value:
        value = self.asked.get(answers[self.column])
        if value is not None:
            return value(answers[self.name])
        if answers[self.name] is not None:
            raise BadReply(f"has null for {self.name!r}, which its version does not ask", "something else")
        return self.missing


@dataclass(frozen=True)
class _Word:
    name: str
    cells: dict[Reported, int]

    def __call__(self, reported: Reported) -> Value:
        cell = self.cells.get(reported)
        if cell is None:
            raise BadReply(f"gives {self.name!r} one of its answers", "something else")
        return cell


@dataclass(frozen=True)
class _Number:
    question: Question
    limits: Range  # of reports
    grid: Range | None  # of the truth, where reports are points of its grid

    def __call__(self, reported: Reported) -> Value:
        if reported is None and self.question.omit:
            return None
        if not isinstance(reported, float) or not self._possible(reported):
            raise BadReply(f"gives {self.question.name!r} a number that its disguise can report", "something else")
        return reported

    def _possible(self, reported: float) -> bool:
        slack = 0.0 if self.grid is None else self.grid.step / 100
        if not self.limits.low - slack <= reported <= self.limits.high + slack:
            return False
        if self.grid is not None:
            point = round((reported - self.grid.low) / self.grid.step)
            return reported == self.grid.low + point * self.grid.step
        return not self.limits.integer or reported.is_integer()
