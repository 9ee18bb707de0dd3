"""Questionnaire: the words around the questions, their languages, and how the page goes through them.

All of it is part of what respondents agree to. The languages stand in one design: a reply has the answers of the
design's own language, so nobody sees in which one it was given.

>>> Texts.of({"contact": "Ann Lee, survey@example.org"}).contact
'Ann Lee, survey@example.org'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from deniable.errors import BadDesignFile

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
SPOKEN = ("en", "de", "fr", "es", "ar")  # in which the page has words of its own


@dataclass(frozen=True)
class Texts:
    """What the collector says: why the survey is made, what people agree to, who asks, and thanks."""

    intro: str = ""
    consent: str = ""
    contact: str = ""
    help: str = ""
    thanks: str = ""

    @classmethod
    def of(cls, given: "Mapping[str, str] | Texts | None", where: str = "[text]") -> "Texts":
        """The texts that a table holds."""
        if isinstance(given, Texts):
            return given
        _check_table(where, given or {}, [each.name for each in fields(cls)], (str,))
        return cls(**(given or {}))

    def table(self) -> dict[str, str]:
        """The texts that there are, by name."""
        return {name: text for name, text in vars(self).items() if text}


@dataclass(frozen=True)
class QuestionWords:
    """One question in another language; what is empty stays in the design's own."""

    wording: str = ""
    answers: tuple[str, ...] = ()
    help: str = ""
    section: str = ""
    multiple: str = ""
    matrix: str = ""
    personal: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any], where: str) -> "QuestionWords":
        """The words that a table holds."""
        _check_table(where, given, [each.name for each in fields(cls)], (str, list, tuple))
        for key, value in given.items():
            listed = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
            if listed != (key == "answers"):
                kind = "a list of words" if key == "answers" else "a text"
                raise BadDesignFile(where, f"needs {kind} as {key}, got {value!r}", "correct it")
        words: dict[str, Any] = {key: tuple(value) if key == "answers" else value for key, value in given.items()}
        return cls(**words)

    def table(self) -> dict[str, Any]:
        """The words that there are, by name."""
        return {key: list(value) if key == "answers" else value for key, value in vars(self).items() if value}


@dataclass(frozen=True)
class Translation:
    """Everything that a collector wrote, in another language."""

    language: str
    title: str = ""
    text: Texts = Texts()
    questions: tuple[tuple[str, QuestionWords], ...] = ()

    @classmethod
    def of(cls, language: str, given: "Mapping[str, Any] | Translation") -> "Translation":
        """The translation that a table holds."""
        if isinstance(given, Translation):
            return given
        where = f"[translation.{language}]"
        if not isinstance(language, str) or not LANGUAGE.fullmatch(language):
            raise BadDesignFile(where, "is no language", "write its code, such as de, fr or ar")
        if not isinstance(given, Mapping):
            raise BadDesignFile(where, "needs a table", f"write [translation.{language}]")
        _check_table(where, given, ("title", "text", "question"), (str, Mapping))
        if not isinstance(given.get("title", ""), str) or not isinstance(given.get("question", {}), Mapping):
            raise BadDesignFile(where, "needs a text as title and tables of questions",
                                f"write [translation.{language}.question.NAME]")  # fmt: skip
        asked = tuple(
            (name, QuestionWords.of(words, f"[translation.{language}.question.{name}]"))
            for name, words in given.get("question", {}).items()
        )
        return cls(language, given.get("title", ""), Texts.of(given.get("text"), where.replace("]", ".text]")), asked)

    def table(self) -> dict[str, Any]:
        """The translation as it is published."""
        named = {name: words.table() for name, words in self.questions}
        parts = {"title": self.title, "text": self.text.table(), "question": named}
        return {key: value for key, value in parts.items() if value}


@dataclass(frozen=True)
class Questionnaire:
    """How the page goes through a survey, and the words around it."""

    text: Texts = Texts()
    show_draw: bool = False  # whether people see what chance did before they send it
    draw_order: bool = False  # whether the device draws the order of the questions of a section
    language: str = "en"
    translations: tuple[Translation, ...] = ()

    def __post_init__(self) -> None:
        for key in ("show_draw", "draw_order"):
            if not isinstance(getattr(self, key), bool):
                raise BadDesignFile(
                    "the design", f"needs true or false as {key}, got {getattr(self, key)!r}", "correct it"
                )
        if not isinstance(self.language, str) or not LANGUAGE.fullmatch(self.language):
            raise BadDesignFile(
                "the design", f"has no language {self.language!r}", 'write its code, as language = "de"'
            )
        if self.language in (each.language for each in self.translations):
            raise BadDesignFile(f"[translation.{self.language}]", "is in the design's own language",
                                'leave it out, or say language = "..."')  # fmt: skip

    @property
    def languages(self) -> list[str]:
        """All languages in which people may read it; the design's own comes first."""
        return [self.language, *(each.language for each in self.translations)]

    def table(self) -> dict[str, Any]:
        """What differs from the defaults, as it is published and saved."""
        switched = {"show_draw": self.show_draw, "draw_order": self.draw_order}
        found: dict[str, Any] = {key: True for key, value in switched.items() if value}
        if self.language != "en":
            found["language"] = self.language
        if self.text.table():
            found["text"] = self.text.table()
        if self.translations:
            found["translation"] = {each.language: each.table() for each in self.translations}
        return found


def _check_table(where: str, given: Any, known: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(given, Mapping):
        raise BadDesignFile(where, "needs a table", "write its keys below it")
    for key, value in given.items():
        if key not in known:
            raise BadDesignFile.key(where, key, list(known))
        if not isinstance(value, kinds):
            raise BadDesignFile(where, f"needs a text as {key}, got {value!r}", "correct it")
