"""Designs that people and programs can read: one row for each question, as the design asks it."""

from collections.abc import Mapping
from typing import Any

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.report import versions
from deniable.report.questionnaires import page_facts, page_lines
from deniable.survey.question import Question

HEADS = ["question", "answers", "scheme", "settings", "drawn with"]
MAX_NAMES = 4  # of other questions that share a draw


def design_rows(design: Design) -> list[list[str]]:
    """A row for each question under HEADS, in words."""
    rows = []
    for question in design.questions:
        block = design.block(question.name)
        recipe, groups = block.recipe, {tuple(channel.names) for channel in block.channels_of(question.name)}
        settings = versions.disguise(block, question.name) if versions.are_named(block) else str(recipe)
        together = (
            "differs by version"
            if len(groups) > 1
            else _together([each for each in groups.pop() if each != question.name])
        )
        rows.append([question.name, _answers(question.plain), recipe.scheme, settings, together])
    return rows


def design_lines(design: Design) -> list[str]:
    """What is to be said of a design besides its questions."""
    by_hand = [name for name in design.names if design.block(name).drawn_by_respondents(name)]
    who = [f"drawn by respondents themselves: {', '.join(by_hand)}; all figures hold if they follow the lottery"]
    target = f"target: {design.target or 'none'}"
    return [
        *versions.version_lines(design),
        *(who if by_hand else []),
        *page_lines(design),
        target,
        f"fingerprint: {design.fingerprint}",
    ]


def design_document(design: Design) -> dict[str, Any]:
    """A design as JSON: title, target, fingerprint, its questions, and its versions where it has some."""
    document = {
        "title": design.title,
        "target": design.target,
        "fingerprint": design.fingerprint,
        "questions": [_document(design.block(question.name), question) for question in design.questions],
        "note": "",
    }
    page = design.survey.page.table()
    return (
        document
        | ({"page": page} if page else {})
        | ({"versions": versions.version_documents(design)} if design.versioned else {})
    )


def _document(block: Block, question: Question) -> dict[str, Any]:
    limits = question.range
    return {
        "question": question.name,
        "wording": question.wording,
        "answers": None if question.is_number else list(question.plain.answers),
        "range": None if limits is None else [limits.low, limits.high],
        "integer": limits is not None and limits.integer,
        "ordered": question.ordered,
        "optional": question.optional,
        "omit": question.omit,
        "scheme": block.recipe.scheme,
        "settings": _plain(block.recipe.settings),
        "group": _group(block, question.name),
        "note": _note(block, question),
        **page_facts(question),
    }


def _group(block: Block, name: str) -> list[str]:
    """The questions with which a question shares a draw in any version, and itself."""
    shared = {each for channel in block.channels_of(name) for each in channel.names}
    return [each for each in block.names if each in shared]


def _note(block: Block, question: Question) -> str:
    """What a collector must know before asking it."""
    notes = [note] if (note := versions.note(block, question.name)) else []
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
    by_interval = f", reported as {len(question)} intervals" if question.range.by_interval else ""
    return f"{whole} from {question.range.low:g} to {question.range.high:g}{by_interval}"


def _together(others: list[str]) -> str:
    if not others:
        return "alone"
    return f"{len(others)} others" if len(others) > MAX_NAMES else ", ".join(others)
