"""The questionnaire's part of a design file: texts, languages, and how the page goes through the questions."""

import json
from collections.abc import Mapping
from typing import Any

from deniable.survey.questionnaire import Questionnaire, Texts, Translation


def questionnaire(
    text: Mapping[str, str] | Texts | None = None,
    translation: Mapping[str, Any] | None = None,
    show_draw: bool = False,
    draw_order: bool = False,
    language: str = "en",
) -> Questionnaire:
    """A questionnaire from tables, as they stand in a file or in Python."""
    made = tuple(Translation.of(code, given) for code, given in (translation or {}).items())
    return Questionnaire(Texts.of(text), show_draw, draw_order, language, made)


def read_page(document: Mapping[str, Any]) -> Questionnaire:
    """The questionnaire of a design file."""
    keys = ("text", "translation", "show_draw", "draw_order", "language")
    return questionnaire(**{key: document[key] for key in keys if key in document})


def page_tables(page: Questionnaire) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """The keys that stand at the head of a design file, and the tables below them."""
    head = page.table()
    text, translations = head.pop("text", None), head.pop("translation", {})
    tables = [("[text]\n", text)] if text else []
    for code, said in translations.items():
        where = f"translation.{code}"
        tables.append((f"[{where}]\n", {"title": said["title"]} if "title" in said else {}))
        if "text" in said:
            tables.append((f"[{where}.text]\n", said["text"]))
        for name, words in said.get("question", {}).items():
            quoted = json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
            tables.append((f"[{where}.question.{quoted}]\n", words))
    return head, tables
