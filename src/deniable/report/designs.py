"""Designs that people and programs can read: one row for each question, as the design asks it."""

from collections.abc import Mapping
from typing import Any

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.survey.question import Question

HEADS = ["question", "answers", "scheme", "settings", "drawn with"]
MAX_NAMES = 4  # of questions that share a draw


def design_rows(design: Design) -> list[list[str]]:
    """A row for each question under HEADS, in words."""
    rows = []
    for question in design.questions:
        channel = design.channel(question.name)
        recipe = channel.recipe
        rows.append([question.name, _answers(question), recipe.scheme, str(recipe), _together(channel.names)])
    return rows


def design_document(design: Design) -> dict[str, Any]:
    """A design as JSON: title, target, fingerprint, and its questions."""
    return {
        "title": design.title,
        "target": design.target,
        "fingerprint": design.fingerprint,
        "questions": [_document(design.channel(question.name), question) for question in design.questions],
        "note": "",
    }


def _document(channel: Channel, question: Question) -> dict[str, Any]:
    limits = question.range
    return {
        "question": question.name,
        "wording": question.wording,
        "answers": None if question.is_number else list(question.answers),
        "range": None if limits is None else [limits.low, limits.high],
        "integer": limits is not None and limits.integer,
        "ordered": question.ordered,
        "optional": question.optional,
        "omit": question.omit,
        "scheme": channel.recipe.scheme,
        "settings": _plain(channel.recipe.settings),
        "group": channel.names,
        "note": _note(channel, question),
    }


def _note(channel: Channel, question: Question) -> str:
    """What a collector must know before asking it."""
    notes = ["asked in the clear: it cannot be denied"] if channel.is_clear else []
    if question.omit:
        notes.append("whether it was left out can be seen")
    return "; ".join(notes)


def _plain(value: Any) -> Any:
    """Settings as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | bool | int | None) else float(value)


def _answers(question: Question) -> str:
    if question.range is None:
        return ", ".join(question.answers)
    whole = "whole numbers" if question.range.integer else "numbers"
    by_interval = f", told as {len(question)} intervals" if question.range.by_interval else ""
    return f"{whole} from {question.range.low:g} to {question.range.high:g}{by_interval}"


def _together(names: list[str]) -> str:
    if len(names) == 1:
        return "alone"
    return f"{len(names)} questions" if len(names) > MAX_NAMES else ", ".join(names)
