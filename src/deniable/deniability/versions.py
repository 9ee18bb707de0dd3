"""Privacy where respondents answer one of several versions: what differs between them, in words.

A version that is drawn says nothing about the respondent, a chosen one may. Where versions protect a question unlike,
its sentence says what holds in which; where they are too many, what holds in the version that reveals most.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np

from deniable.channel.block import Block
from deniable.deniability.asked import Way
from deniable.deniability.epsilon import channel_epsilon, epsilon_word, rounded_up, version_epsilons

MAX_SENTENCES = 3  # about one question
MAX_NAMES = 3  # of versions in a sentence
SAME = 1e-5  # a difference of epsilons that only rounding makes


@dataclass(frozen=True)
class BlockPrivacy:
    """What a reply to one of a block's versions reveals, and which version reveals most."""

    column: str
    chosen: bool
    count: int
    epsilon: float
    worst: str
    sentences: tuple[str, ...]

    @classmethod
    def of(cls, block: Block, named: bool = False) -> "BlockPrivacy":
        """The privacy of a block with versions; `named` by its column, where there are several such blocks."""
        epsilons = version_epsilons(block)
        worst = int(np.argmax(epsilons))
        sentences = [_the_draw(block, named), _openly(block), _differing(block, epsilons, worst)]
        return cls(
            str(block.column),
            block.chosen,
            len(block.versions),
            rounded_up(epsilons[worst]),
            block.versions[worst].name,
            tuple(filter(None, sentences)),
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        return {**vars(self), "epsilon": epsilon_word(self.epsilon), "sentences": list(self.sentences)}


def _the_draw(block: Block, named: bool) -> str:
    if len(block.versions) == 1:
        return ""
    where = f" in the column {block.column!r}" if named else ""
    which = f"Which of the {len(block.versions):,} versions{where} you"
    if block.chosen:
        sentence = (
            f"{which} choose is sent in the clear, and may itself say something about you. No figure counts that."
        )
    else:
        sentence = f"{which} get is drawn in the open and says nothing about your answers."
    if not all(block.asked_by_all(name) for name in block.names):
        sentence += " Of questions that your version does not ask, nothing is sent."
    return sentence


def _openly(block: Block) -> str:
    """What some versions ask in the clear and others disguise."""
    disguised = {name for channel in block.channels if not channel.is_clear for name in channel.names}
    found: dict[str, list[str]] = {}
    for version in block.versions:
        for channel in version.channels:
            for name in channel.names if channel.is_clear else ():
                if name in disguised:
                    found.setdefault(version.name, []).append(name)
    if not found:
        return ""
    names = ", ".join(dict.fromkeys(name for some in found.values() for name in some))
    return (
        f"In {versions_words(list(found))} what others disguise is sent as it is ({names}). It cannot be denied there, "
        "so epsilon is infinite."
    )


def _differing(block: Block, epsilons: Sequence[float], worst: int) -> str:
    least, most = rounded_up(min(epsilons)), rounded_up(epsilons[worst])
    if isinf(least) or most - least < SAME:
        return ""
    figure = "infinite" if isinf(most) else most
    return (
        f"The version {block.versions[worst].name!r} protects least: its epsilon is {figure}, the smallest is {least}."
    )


def sentence_of(block: Block, ways: Sequence[Way], texts: Sequence[str], ratios: Sequence[float] = ()) -> str:
    """What a reply reveals about one question, from a text for each way in which it is asked."""
    if block.is_plain:
        return texts[0]
    versions: dict[str, list[str]] = {}
    for way, text in zip(ways, texts, strict=True):
        versions.setdefault(text, []).extend(way.versions)
    asked = sum(map(len, versions.values()))
    if len(versions) == 1:
        sentence = texts[0]
    elif len(versions) <= MAX_SENTENCES:
        sentence = " ".join(f"In {versions_words(names)} {_continued(text)}" for text, names in versions.items())
    else:
        known = ratios or [0.0] * len(ways)
        worst = max(range(len(ways)), key=lambda index: (known[index], channel_epsilon(ways[index].channel)))
        most = f"Of the {asked:,} versions that ask it, {ways[worst].versions[0]!r} reveals most"
        sentence = f"{most}: {_continued(texts[worst])}"
    if asked < len(block.versions):
        sentence += f" It is asked in {asked:,} of {len(block.versions):,} versions; in the others nothing is sent."
    return sentence


def by_hand_sentence(blocks: Sequence[Block]) -> str | None:
    """For which questions respondents draw by themselves, and what that means for all figures."""
    found, counted = [], []
    for block in blocks:
        for name in block.names:
            if all(channel.is_counted for channel in block.channels_of(name)):
                counted.append(name)
            elif by_hand := block.drawn_by_respondents(name):
                asked = sum(version.channel(name) is not None for version in block.versions)
                found.append(f"{name} (in {versions_words(by_hand)})" if len(by_hand) < asked else name)
    sentences = []
    if found:
        sentences.append(
            f"You draw the lottery of {', '.join(found)} yourself and send what it says; only you know what came up. "
            "All figures hold if respondents follow it."
        )
    if counted:
        sentences.append(
            f"For {', '.join(counted)} you count how many statements of a list hold, and send only how many. All "
            "figures hold if respondents count truthfully."
        )
    return " ".join(sentences) or None


def versions_words(names: Sequence[str]) -> str:
    """The version 'a'; the versions 'a' and 'b'; the versions 'a', 'b', 'c' and 5 others."""
    shown = [repr(name) for name in names[:MAX_NAMES]]
    more = len(names) - len(shown)
    if len(names) == 1:
        return f"the version {shown[0]}"
    parts = [*shown, f"{more:,} other{'s' if more > 1 else ''}"] if more else shown
    return f"the versions {', '.join(parts[:-1])} and {parts[-1]}"


def others_words(ways: Sequence[Way], way: Way) -> str:
    """The questions that share a question's draw: by name where they are the same in all versions."""
    if _same_group(ways):
        return ", ".join(name for name in way.channel.names if name != way.question.name)
    others = len(way.channel.group) - 1
    return f"the other question{'s' * (others > 1)} of the version" if others else ""


def group_words(ways: Sequence[Way]) -> str:
    """The questions of a draw in words, where they are not the same in all versions."""
    return "" if _same_group(ways) else "The questions that a version asks together"


def _same_group(ways: Sequence[Way]) -> bool:
    """Whether a question is always drawn with the same others."""
    return len(frozenset().union(*(way.groups for way in ways))) == 1


def _continued(text: str) -> str:
    return text[:1].lower() + text[1:]
