"""Ways of asking: through which different channels the versions of a block ask a question.

Versions may be many, but most of them treat a question alike: equal chances, and equal kernels of the questions that
share the draw. What such channels reveal is worked out once.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.instruction import Matrix
from deniable.deniability.whole import Beliefs, Priors, beliefs, prior_of
from deniable.survey.question import Question


@dataclass(frozen=True)
class Way:
    """One way of asking a question, and the versions that ask it so."""

    channel: Channel  # of the first of these versions
    question: Question
    versions: tuple[str, ...]
    groups: frozenset[tuple[str, ...]]  # the questions of each such channel, by name


@lru_cache(maxsize=64)
def ways_of(block: Block) -> dict[str, list[Way]]:
    """The different ways in which a block asks each of its questions, in the order of its versions."""
    found: dict[str, dict[Hashable, tuple[Channel, list[str], set[tuple[str, ...]]]]]
    found = {name: {} for name in block.names}
    for version in block.versions:
        for channel in version.channels:
            group = tuple(channel.names)
            kinds = [_kind(channel, question) for question in channel.group]
            for index, name in enumerate(group):
                others = tuple(sorted(kinds[:index] + kinds[index + 1 :]))
                key = (channel.chances.tobytes(), tuple(channel.truths), kinds[index], others, channel.harmless(name))
                _, names, groups = found[name].setdefault(key, (channel, [], set()))
                names.append(version.name)
                groups.add(group)
    return {
        name: [
            Way(channel, channel.question(name), tuple(names), frozenset(groups))
            for channel, names, groups in some.values()
        ]
        for name, some in found.items()
    }


class KnownBeliefs:
    """Beliefs after whole replies, from priors that are uniform unless given; of questions asked alike only once."""

    def __init__(self, priors: Priors | None) -> None:
        self.priors = priors or {}
        self.in_words = "the shares given" if priors else "that all answers are equally likely"
        self._found: dict[Hashable, Beliefs] = {}

    def of(self, channel: Channel, name: str) -> Beliefs:
        """What replies to a channel reveal about one of its questions."""
        parts = {question.name: (_kind(channel, question), self._prior(question)) for question in channel.group}
        own = parts.pop(name)
        key = (channel.chances.tobytes(), own, tuple(sorted(parts.values())))
        if key not in self._found:
            self._found[key] = beliefs(channel, name, self.priors)
        return self._found[key]

    def prior(self, question: Question) -> Matrix:
        """Beliefs in the answers to a question before any reply."""
        return prior_of(question.plain, self.priors.get(question.name))

    def _prior(self, question: Question) -> bytes:
        return b"" if self.priors.get(question.name) is None else self.prior(question).tobytes()

    def group_pse(self, way: Way) -> float:
        """The smallest privacy of a single entry among the questions of a way's channel; its own in the clear."""
        names = [way.question.name] if way.channel.is_clear else way.channel.names
        return min(self.of(way.channel, name).pse for name in names)


def _kind(channel: Channel, question: Question) -> tuple[bytes, str]:
    """Equal for questions of lotteries with equal chances that are disguised alike."""
    if question.is_number:
        return b"", repr((channel.lottery, question.range, question.omit))
    words = channel.reported(question).answers
    other_words = () if words == question.answers else words
    return channel.kernels(question).tobytes(), repr((len(question), question.omit, question.range, other_words))
