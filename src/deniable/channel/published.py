"""A design as everybody gets it: the JSON that is published, hashed and sent to devices.

Canonical means that equal designs give equal bytes: sorted keys, no spaces, UTF-8, chances as whole
numbers out of 2^32, all other numbers as decimal strings.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from deniable.channel.block import Block
from deniable.channel.channel import DEVICE, Channel
from deniable.channel.issuer import Issuer
from deniable.survey.question import PAGE_WORDS, Question
from deniable.survey.spelling import decimal
from deniable.survey.survey import Survey

TARGET = '"target":'


class Canonical:
    """A design's canonical JSON around its target: long designs are written and hashed once for all their targets."""

    def __init__(self, survey: Survey, blocks: Sequence[Block], issuer: Issuer | None) -> None:
        whole = canonical(survey, blocks, issuer)
        before, _, self._after = whole.partition(f"{TARGET}null")  # a question of that name has no such value
        self._before = before + TARGET

    def text(self, target: str | None) -> str:
        """The whole with this target."""
        return f"{self._before}{canonical_json(target)}{self._after}"

    def fingerprints(self, targets: Iterable[str | None]) -> Iterator[str]:
        """Its SHA-256 with each of these targets, in hex."""
        before = sha256(self._before.encode())
        for target in targets:
            digest = before.copy()
            digest.update(f"{canonical_json(target)}{self._after}".encode())
            yield digest.hexdigest()


def canonical(survey: Survey, blocks: Sequence[Block], issuer: Issuer | None = None) -> str:
    """The canonical JSON of a design, without a target.

    What is to be predicted is a matter of analysis and no part of the promise; version 0.1 published it with the rest.
    """
    document: dict[str, Any] = {
        "title": survey.title,
        "target": None,
        "questions": [_question(question) for question in survey.questions],
        **({"unsent": [_question(question) for question in survey.unsent]} if survey.unsent else {}),
        "channels": [_channel(block.channels[0]) if block.is_plain else _versions(block) for block in blocks],
        **({"wave": survey.wave} if survey.wave != 1 else {}),
        **({"retention": survey.retention.isoformat()} if survey.retention is not None else {}),
        **({"issuer": issuer.published()} if issuer is not None else {}),
        **survey.page.table(),
    }
    for question, published in zip(survey.questions, document["questions"], strict=True):
        published |= on_page(survey, question.plain)
    return canonical_json(document)


def canonical_json(document: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def lottery_digest(channel: Channel) -> str:
    """SHA-256 of a channel as it is published, in hex."""
    return sha256(canonical_json(_channel(channel)).encode()).hexdigest()


def _question(question: Question) -> dict[str, Any]:
    question = question.plain
    published: dict[str, Any] = {"name": question.name, "wording": question.wording, "optional": question.optional}
    if question.values is not None:
        published["values"] = [decimal(value) for value in question.values]
    if question.formula is not None:
        terms = [[name, decimal(factor)] for name, factor in question.formula.terms]
        published["computed"] = {
            "terms": terms,
            "sign": question.formula.sign,
            "bound": decimal(question.formula.bound),
        }
    limits = question.range
    if limits is None or limits.by_interval:
        published |= {"answers": list(question.answers), "ordered": question.ordered}
    if limits is not None:
        published |= {"low": decimal(limits.low), "high": decimal(limits.high)}
        published |= {
            "integer": limits.integer,
            "omit": question.omit,
            "edges": [decimal(edge) for edge in limits.edges],
        }
    return published


def on_page(survey: Survey, question: Question) -> dict[str, Any]:
    """What the page needs besides: where the question stands, when it is asked, and what is answered otherwise."""
    published: dict[str, Any] = {key: value for key in PAGE_WORDS if (value := getattr(question, key))}
    if (rule := survey.rule(question)) is not None:
        otherwise = question.otherwise_answer
        published["ask_if"] = rule
        published["otherwise"] = decimal(otherwise) if question.is_number else int(otherwise)
    return published


def _channel(channel: Channel) -> dict[str, Any]:
    return _head(channel) | {"lottery": _lottery(channel, channel.group)}


def _head(channel: Channel) -> dict[str, Any]:
    """A channel without its lottery."""
    published: dict[str, Any] = {"scheme": channel.recipe.scheme, "group": channel.names}
    if personal := channel.recipe.settings.get("personal"):
        published["personal"] = dict(personal)
    if channel.drawn_by != DEVICE:
        published["drawn_by"] = channel.drawn_by
        if channel.recipe.how:
            published["how"] = list(channel.recipe.how)
        if isinstance(harmless := channel.recipe.settings.get("harmless"), str):
            published["harmless"] = harmless
    return published


def _lottery(channel: Channel, group: Sequence[Question]) -> list[dict[str, Any]]:
    steps = zip(channel.instructions, channel.thresholds, strict=True)
    asked = [question.plain for question in group]
    return [{"below": threshold, **instruction.published(asked)} for instruction, threshold in steps]


def _versions(block: Block) -> dict[str, Any]:
    """A block with its versions; equal lotteries are published once, for all questions that they are drawn for."""
    keys = {channel: _key(channel) for channel in block.channels}
    groups: dict[object, dict[str, Question]] = {}
    for channel, key in keys.items():
        groups.setdefault(key, {}).update({question.name: question for question in channel.group})
    first = {key: channel for channel, key in reversed(keys.items())}
    order = list(groups)
    versions = []
    for version, threshold in zip(block.versions, block.thresholds, strict=True):
        channels = [_head(channel) | {"lottery": order.index(keys[channel])} for channel in version.channels]
        drawn = {} if block.chosen else {"below": threshold}
        versions.append({"name": version.name, "channels": channels, **drawn})
    return {
        "column": block.column,
        "chosen": block.chosen,
        "lotteries": [_lottery(first[key], list(groups[key].values())) for key in order],
        "versions": versions,
    }


def _key(channel: Channel) -> object:
    """What lotteries must have in common to be published once: all, but for what is listed by question."""
    by_question = all(
        isinstance(value, dict)
        for instruction in channel.instructions
        for key, value in instruction.published([question.plain for question in channel.group]).items()
        if key != "do"
    )
    return (channel.lottery, None if by_question else tuple(channel.names))


def block_digest(block: Block) -> str:
    """SHA-256 of a block's versions as they are published, in hex."""
    return sha256(canonical_json(_versions(block)).encode()).hexdigest()
