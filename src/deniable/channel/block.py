"""Blocks of questions, and their versions: lotteries drawn in the open.

A version asks some questions of its block, through channels of its own. Which version a respondent gets is drawn where
everybody can see it, or chosen by the respondent, and is part of the reply. So it tells nothing about the truth when it
is drawn, and the matrix of some questions is the versions' matrices stacked, each times its share:

    matrix = [share_1 * matrix_1 ; share_2 * matrix_2 ; ...]

A plain channel is a block of one version that nobody needs to name.

>>> from deniable.survey.question import yes_no
>>> from deniable.channel.schemes import draw
>>> block = draw(0.5, yes_no("smokes"), yes_no("drinks"), yes_no("leave"), always=["leave"], ask=1)
>>> [version.name for version in block.versions]
['smokes', 'drinks']
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel import chances
from deniable.channel.channel import RESPONDENT, Channel, Recipe
from deniable.errors import BadRequest, BadVersion, UnknownQuestion
from deniable.notebook import shortened
from deniable.survey.question import Question, column_of, sometimes_asked
from deniable.survey.range import Range

MAX_VERSIONS = 4096
MAX_ASKED = 2**16  # questions, over all versions: each of them is written out for the page and for estimates


@dataclass(frozen=True)
class Version:
    """One version of a block: its name, its share of the respondents, and the channels of what it asks."""

    name: str
    share: float
    channels: tuple[Channel, ...]

    @cached_property
    def names(self) -> list[str]:
        """The questions it asks."""
        return [name for channel in self.channels for name in channel.names]

    def channel(self, name: str) -> Channel | None:
        """The channel through which it asks a question, if it does."""
        return next((channel for channel in self.channels if name in channel.names), None)


@dataclass(frozen=True)
class Block:
    """Questions whose answers pass through the channels of one version; a plain channel has only one."""

    versions: tuple[Version, ...]
    column: str | None = None  # of replies, that names the version; None for a plain channel
    chosen: bool = False  # by the respondent, not drawn
    recipe: Recipe = field(default=Recipe("versions"), hash=False)
    order: tuple[str, ...] = ()  # of the questions, where it is not that of the versions

    def __post_init__(self) -> None:
        if self.column is not None:
            _check(self)

    @classmethod
    def of(cls, channel: "Channel | Block") -> "Block":
        """A block as it is, or a plain channel as one."""
        return channel if isinstance(channel, Block) else cls((Version("", 1.0, (channel,)),), recipe=channel.recipe)

    def __repr__(self) -> str:
        if self.column is None:
            return f"<Block of {self.channels[0]!r}>"
        return f"<Block of {len(self.versions)} versions, on {shortened(', '.join(self.names))}>"

    @property
    def promised(self) -> "Block":
        """The block of those who follow its lotteries."""
        channels = {channel: channel.promised for channel in self.channels}
        made = [replace(each, channels=tuple(channels[some] for some in each.channels)) for each in self.versions]
        return replace(self, versions=tuple(made))

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """All that it asks, in order."""
        found = {question.name: question for channel in self.channels for question in channel.group}
        return tuple(found[name] for name in self.order or found)

    @cached_property
    def names(self) -> list[str]:
        """The names of its questions."""
        return [question.name for question in self.questions]

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of all its versions."""
        return tuple(dict.fromkeys(channel for version in self.versions for channel in version.channels))

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """What the random number that draws a version is compared with."""
        return chances.thresholds([version.share for version in self.versions])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each version, as devices really draw it."""
        return chances.shares(self.thresholds)

    @cached_property
    def version_names(self) -> list[str]:
        """What the versions are called."""
        return [version.name for version in self.versions]

    @property
    def is_plain(self) -> bool:
        """Whether it is one channel that everybody gets."""
        return self.column is None

    @cached_property
    def version_question(self) -> Question:
        """The column of replies that names the version, as a question whose answers are the versions."""
        assert self.column is not None
        return column_of(self.column, self.version_names)

    def channels_of(self, name: str) -> list[Channel]:
        """The channels of all versions that ask a question."""
        return self._by_question.get(name, [])

    @cached_property
    def _by_question(self) -> dict[str, list[Channel]]:
        found: dict[str, list[Channel]] = {}
        for channel in self.channels:
            for name in channel.names:
                found.setdefault(name, []).append(channel)
        return found

    @cached_property
    def remembered(self) -> dict[Hashable, Any]:
        """What others worked out from the versions, by what it is about: thousands of them take their time."""
        return {}

    @cached_property
    def noisy(self) -> frozenset[str]:
        """The numbers to which noise may be added."""
        return frozenset(name for channel in self.channels if channel.has_noise for name in channel.names)

    @cached_property
    def lotteries(self) -> list[list[tuple[int, list[str]]]]:
        """[version] the channels' lotteries, as numbers that tell them apart, and the questions of each."""
        codes: dict[object, int] = {}
        return [
            [(codes.setdefault(channel.lottery, len(codes)), channel.names) for channel in version.channels]
            for version in self.versions
        ]

    def cells_of(self, channel: Channel, name: str) -> NDArray[np.intp]:
        """The cells of a channel's reports to a question among those of all versions."""
        every = self.reported(name).answers
        return np.array([every.index(answer) for answer in channel.reported(name).answers])

    def asked_by_all(self, name: str) -> bool:
        """Whether every version asks a question."""
        return all(version.channel(name) is not None for version in self.versions)

    def drawn_by_respondents(self, name: str) -> list[str]:
        """The versions in which respondents draw the lottery of a question by themselves."""
        channels = {version.name: version.channel(name) for version in self.versions}
        return [each for each, channel in channels.items() if channel is not None and channel.drawn_by == RESPONDENT]

    def reported(self, question: str | Question) -> Question:
        """The question as replies answer it: in the words of all versions, or in the widest range."""
        if question not in self._reported:
            self._reported[question] = self._joined(question)
        return self._reported[question]

    @cached_property
    def _reported(self) -> dict[str | Question, Question]:
        """What was asked for before."""
        return {}

    def _joined(self, question: str | Question) -> Question:
        name = question if isinstance(question, str) else question.name
        channels = self.channels_of(name)
        if not channels:
            raise UnknownQuestion(name, self.names)
        found = _joined(list({channel.reported(question): None for channel in channels}))
        return found if self.asked_by_all(name) else sometimes_asked(found)


def _joined(questions: Sequence[Question]) -> Question:
    """One question that holds the reports of several versions of it."""
    first = questions[0]
    if all(question == first for question in questions):
        return first
    if first.is_number:
        limits = [question.range for question in questions if question.range is not None]
        low, high = min(limits, key=lambda each: each.low), max(limits, key=lambda each: each.high)
        edges = sorted({*low.edges, *high.edges})
        return first.with_range(Range(low.low, high.high, tuple(edges), integer=all(each.integer for each in limits)))
    words = dict.fromkeys(answer for question in questions for answer in question.answers)
    return Question(first.name, tuple(words), first.wording)


def _check(block: Block) -> None:
    """Refuse versions that nobody could draw or answer."""
    where = f"the versions in column {block.column!r}"
    if not isinstance(block.column, str) or not block.column.strip() or block.column == "_design":
        raise BadRequest("the column of versions", "a name", block.column, 'write column = "version"')
    if len(block.versions) > MAX_VERSIONS:
        found = f"{len(block.versions):,}"
        raise BadRequest(
            where, f"at most {MAX_VERSIONS:,}", found, "ask fewer questions at once, or use a smaller group"
        )
    for version in block.versions:
        _check_version(block, version)
    chances.distribution([version.share for version in block.versions], f"shares of {where}")
    for name in block.names:
        forms = {question for channel in block.channels for question in channel.group if question.name == name}
        if len({(form.is_number, form.answers, form.omit) for form in forms}) > 1:
            raise BadRequest(f"question {name!r}", "asked with the same answers by all versions", "others",
                             "give it the same answers, or the same cells, in all versions")  # fmt: skip
        if len({(form.wording, form.ordered, form.sensitive, form.values, form.formula) for form in forms}) > 1:
            raise BadRequest(f"question {name!r}", "the same question in all versions", "others of that name",
                             "make it once, and give that to all versions")  # fmt: skip


def _check_version(block: Block, version: Version) -> None:
    if block.version_names.count(version.name) > 1:
        raise BadVersion(version.name, "is there twice", "give the second one another name")
    if not version.name.strip():
        raise BadVersion(version.name, "has no name", "give it one, which replies hold")
    if not version.channels:
        raise BadVersion(version.name, "asks no question", "give it a channel, or leave it out")
    for name in version.names:
        if version.names.count(name) > 1:
            raise BadVersion(version.name, f"asks {name!r} twice", "ask it in one of its channels")
    if version.share <= 0 and not block.chosen:
        raise BadVersion(version.name, f"has a share of {version.share:g}", "give it a positive one, or leave it out")
