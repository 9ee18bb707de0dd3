"""Readable texts: all that respondents read of a design can be seen, or it is refused."""

import unicodedata
from collections.abc import Iterator, Sequence

from deniable.channel.block import Block
from deniable.channel.translated import check_translations
from deniable.errors import BadDesignFile
from deniable.survey.question import PAGE_WORDS
from deniable.survey.questionnaire import Questionnaire
from deniable.survey.survey import Survey
from deniable.survey.text import hidden_at

WAY_OUT = "take it out; what reads replies takes a design that was answered already as it is (check_text=False)"


def check_readable(survey: Survey, blocks: Sequence[Block]) -> None:
    """Refuse texts with characters that nobody sees, and translations that mislead."""
    check_translations(survey, blocks)
    for where, text in _texts(survey, blocks):
        if (index := hidden_at(text)) is not None:
            name = f"U+{ord(text[index]):04X} ({_name(text[index])})"
            raise BadDesignFile(where, f"has {name} after {text[:index][-20:]!r}, which nobody sees", WAY_OUT)


def _name(character: str) -> str:
    unnamed = "a control character" if unicodedata.category(character) == "Cc" else "unassigned"
    return unicodedata.name(character, unnamed)


def _texts(survey: Survey, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Every text and where it stands."""
    yield "the title", survey.title
    for question in (*survey.questions, *survey.unsent):
        yield f"the name of question {question.name!r}", question.name
        yield f"the wording of question {question.name!r}", question.wording
        yield from ((f"an answer of question {question.name!r}", answer) for answer in question.answers)
        yield from ((f"the {key} of question {question.name!r}", getattr(question.plain, key)) for key in PAGE_WORDS)
    yield from _page_texts(survey.page)
    for block in blocks:
        yield "the column of versions", block.column or ""
        yield from (("the name of a version", name) for name in block.version_names)
    for channel in (channel for block in blocks for channel in block.channels):
        for name in channel.names:
            yield from ((f"a report of question {name!r}", word) for word in channel.reported(name).answers)
        for name, wording in channel.recipe.settings.get("personal", {}).items():
            yield f"the personal question of {name!r}", wording
        for instruction in channel.instructions:
            texts = [getattr(instruction, "wording", ""), *getattr(instruction, "items", ())]
            yield from ((f"what is asked beside {channel.names[0]!r}", text) for text in texts)
        yield from ((f"how to answer {channel.names[0]!r}", line) for line in channel.recipe.how)


def _page_texts(page: Questionnaire) -> Iterator[tuple[str, str]]:
    """The words around the questions, in every language."""
    yield from ((f"the text {key!r}", text) for key, text in page.text.table().items())
    for translation in page.translations:
        where = f"[translation.{translation.language}]"
        yield f"the title in {where}", translation.title
        yield from ((f"the text {key!r} in {where}", text) for key, text in translation.text.table().items())
        for name, words in translation.questions:
            for text in words.table().values():
                for each in [text] if isinstance(text, str) else text:
                    yield f"question {name!r} in {where}", each
