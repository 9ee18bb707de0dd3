"""XLSForm: a questionnaire in a spreadsheet, as KoBo, ODK and SurveyCTO write it, as questions of a first design.

    survey    type, name, label, required, constraint, relevant
    choices   list_name, name, label

`select_one` becomes a question with the labels of its choices as answers, `select_multiple` a yes/no question for every
choice, `integer` and `decimal` a number between the bounds of its constraint. What tells who somebody is, or cannot be
disguised, is left out by name with the reason.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from deniable.channel import schemes
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.errors import BadFile
from deniable.extras import needed_for
from deniable.frame.suggest import PRIVACY, Suggestion, careful
from deniable.survey.question import Question, number

ASSUMED = 1000  # people who might reply, where a form tells nobody's answers
BOUND = re.compile(r"\.\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)")
STRUCTURE = ("note", "begin group", "end group", "begin_group", "end_group", "begin repeat", "end repeat",
             "begin_repeat", "end_repeat")  # fmt: skip
LEAKS = {
    **dict.fromkeys(("text", "barcode"), "free text can tell who somebody is, and no lottery can disguise it"),
    **dict.fromkeys(("geopoint", "geotrace", "geoshape"), "a place tells who somebody is"),
    **dict.fromkeys(("image", "audio", "video", "file", "background-audio"), "a recording tells who somebody is"),
    **dict.fromkeys(("start", "end", "today", "deviceid", "subscriberid", "simserial", "phonenumber", "username",
                     "email", "audit"), "it would tell when, where or by whom the reply was made"),
    **dict.fromkeys(("date", "time", "datetime", "dateTime"), "a date can tell who somebody is: ask for a band"),
    "calculate": "ask what it is computed from, and write a computed question",
    "hidden": "nobody is asked about it",
    "rank": "an order of choices has no lottery: ask for the first one",
    "acknowledge": "everybody says yes",
}  # fmt: skip


@dataclass
class _Form:
    """The rows of a form that are questions, and what was left out."""

    choices: Mapping[str, list[tuple[str, str]]]  # of each list, names and labels
    language: str
    channels: list[Channel] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def add(self, row: Mapping[str, str], path: Path) -> None:
        kind, _, rest = row.get("type", "").partition(" ")
        name = row.get("name", "")
        if row.get("type", "") in STRUCTURE or not kind:
            return
        if kind in ("select_one", "select_multiple"):
            if rest.split(" ")[0] not in self.choices:
                raise BadFile(path, f"has no list {rest!r} of choices, which {name!r} needs", "add it to choices")
            self._add_choices(kind, name, row, self.choices[rest.split(" ")[0]])
        elif kind in ("integer", "decimal", "range"):
            self._add_number(name, row, integer=kind == "integer")
        else:
            self.left_out[name or kind] = LEAKS.get(kind, f"a question of the type {kind} has no lottery")
        if row.get("relevant") and name not in self.left_out:
            everybody = "asked of everybody, since whether it was asked would tell what was answered before"
            self.notes[name] = "; ".join(filter(None, [self.notes.get(name), everybody]))

    def _add_choices(self, kind: str, name: str, row: Mapping[str, str], choices: Sequence[tuple[str, str]]) -> None:
        wording = labelled(row, self.language) or name
        if kind == "select_one":
            labels = [label for _, label in choices]
            words = labels if len(set(labels)) == len(labels) else [each for each, _ in choices]
            self.channels.append(careful(Question(name, words, wording, optional=not _required(row))))
            return
        for choice, label in choices:
            self.channels.append(careful(Question(f"{name}_{choice}", ["no", "yes"], f"{wording} {label}")))
        self.notes[name] = f"{len(choices)} yes/no questions, each with a lottery of its own"

    def _add_number(self, name: str, row: Mapping[str, str], integer: bool) -> None:
        bounds = {sign[0]: (sign, float(limit)) for sign, limit in BOUND.findall(row.get("constraint", ""))}
        if set(bounds) != {">", "<"}:
            self.left_out[name] = "a number needs its least and greatest value: write . >= 0 and . <= 120 as constraint"
            return
        step = 1 if integer else 0
        low = bounds[">"][1] + step * (bounds[">"][0] == ">")
        high = bounds["<"][1] - step * (bounds["<"][0] == "<")
        low, high = (int(low), int(high)) if integer else (low, high)
        asked = number(name, low, high, labelled(row, self.language) or name, integer=integer, omit=not _required(row))
        self.channels.append(schemes.gaussian(asked, privacy=PRIVACY))


def form_design(path: Path, language: str | None = None) -> tuple[Suggestion, dict[str, str]]:
    """A first design for a form, and notes on questions that are not asked as the form says."""
    sheets = _sheets(path)
    if "survey" not in sheets:
        raise BadFile(path, "has no sheet named survey, as an XLSForm has", "give an XLSForm, or a data file")
    settings = next(iter(sheets.get("settings", [])), {})
    wanted = language or settings.get("default_language", "")
    form = _Form(_choices(sheets.get("choices", []), wanted), wanted)
    for row in sheets["survey"]:
        form.add(row, path)
    if not form.channels:
        why = ", ".join(f"{name}: {reason}" for name, reason in form.left_out.items())
        raise BadFile(path, f"has no question that a lottery could disguise ({why})", "write a design by hand")
    design = Design(form.channels, title=settings.get("form_title", "") or path.stem)
    gaps = tuple(each.name for each in design.questions if each.omit)
    return Suggestion(design, form.left_out, gaps, ASSUMED), form.notes


def labelled(row: Mapping[str, str], language: str = "") -> str:
    """The label of a row in a language (its name or code, as in `label::Deutsch (de)`), else the first one."""
    labels = {head: text for head, text in row.items() if head == "label" or head.startswith("label::")}
    for head, text in labels.items():
        if language and language.casefold() in head.casefold():
            return text
    return labels.get("label") or next(iter(labels.values()), "")


def _choices(rows: Sequence[Mapping[str, str]], language: str) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        name = row.get("name") or row.get("value", "")
        found.setdefault(row.get("list_name", ""), []).append((name, labelled(row, language) or name))
    return found


def _required(row: Mapping[str, str]) -> bool:
    return row.get("required", "").casefold() in ("yes", "true", "true()", "1")


def _sheets(path: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of every sheet, by the heads of its columns."""
    with needed_for("reading XLSForm"):
        import openpyxl
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except OSError as error:
        raise BadFile(path, f"cannot be read ({error.strerror or error})", "check the path") from error
    except (BadZipFile, KeyError, ValueError, openpyxl.utils.exceptions.InvalidFileException) as error:
        raise BadFile(path, "is not a proper xlsx file", "save it anew from a spreadsheet") from error
    return {sheet.title.strip().casefold(): list(_rows(sheet)) for sheet in book}


def _rows(sheet: Any) -> Iterator[dict[str, str]]:
    rows = sheet.iter_rows(values_only=True)
    heads = [str(head).strip() if head is not None else "" for head in next(rows, ())]
    for row in rows:
        found = {head: _text(value) for head, value in zip(heads, row, strict=False) if head and value is not None}
        if found:
            yield found


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
