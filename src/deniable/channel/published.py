"""A design as everybody gets it: the JSON that is published, hashed and sent to devices.

Canonical means that equal designs give equal bytes: sorted keys, no spaces, UTF-8, chances as whole
numbers out of 2^32, all other numbers as decimal strings.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from deniable.channel.channel import Channel
from deniable.survey.question import Question
from deniable.survey.survey import Survey


def canonical(survey: Survey, channels: Sequence[Channel], target: str | None = None) -> str:
    """The canonical JSON of a design.

    What is to be predicted is a matter of analysis and no part of the promise; version 0.1 published it with the rest.
    """
    document = {
        "title": survey.title,
        "target": target,
        "questions": [_question(question) for question in survey.questions],
        "channels": [_channel(channel) for channel in channels],
    }
    return canonical_json(document)


def canonical_json(document: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def decimal(number: float) -> str:
    """A number as text, so that no reader can round it: 18, 0.25, 1e+20."""
    return repr(int(number)) if float(number).is_integer() and abs(number) < 2**53 else repr(float(number))


def lottery_digest(channel: Channel) -> str:
    """SHA-256 of a channel as it is published, in hex."""
    return sha256(canonical_json(_channel(channel)).encode()).hexdigest()


def _question(question: Question) -> dict[str, Any]:
    published: dict[str, Any] = {"name": question.name, "wording": question.wording, "optional": question.optional}
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


def _channel(channel: Channel) -> dict[str, Any]:
    steps = zip(channel.instructions, channel.thresholds, strict=True)
    published = {
        "scheme": channel.recipe.scheme,
        "group": channel.names,
        "lottery": [{"below": threshold, **instruction.published(channel.group)} for instruction, threshold in steps],
    }
    personal = channel.recipe.settings.get("personal")
    return {**published, "personal": dict(personal)} if personal else published
