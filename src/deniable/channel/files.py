"""The design file: TOML in, questions and channels out, and back.

The one place that knows schemes by their names. A scheme's keys are the arguments of its reader.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

from deniable.channel import literature, schemes, toml
from deniable.channel.block import Block
from deniable.channel.channel import DEVICE, Channel
from deniable.channel.epsilon import epsilon as promised
from deniable.channel.issuer import Issuer
from deniable.channel.page_file import page_tables, read_page
from deniable.channel.versions import COLUMN, versions
from deniable.errors import BadDesignFile, UnknownQuestion
from deniable.errors.written import not_written
from deniable.survey.question import PAGE_WORDS, Question, computed, number
from deniable.survey.range import edges_of
from deniable.survey.survey import Survey, own_answers


def _reader(scheme: Callable[..., Channel | Block]) -> Callable[..., Channel | Block]:
    """A reader of a scheme for one question: its keys are the scheme's arguments, and the group."""

    def read(group: Sequence[Question], **settings: Any) -> Channel | Block:
        return scheme(question=_one(scheme.__name__, group), **settings)

    asked = inspect.signature(scheme)
    given = [each.replace(kind=each.KEYWORD_ONLY) for name, each in asked.parameters.items() if name != "question"]
    group = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    read.__signature__ = asked.replace(parameters=[group, *given])  # type: ignore[attr-defined]
    return read


READERS: Mapping[str, Callable[..., Channel | Block]] = {
    "clear": lambda group: schemes.clear(*group),
    "warner": lambda group, theta, drawn_by=DEVICE: schemes.warner(theta, *group, drawn_by=drawn_by),
    "unrelated": lambda group, theta, chances=None, joint=None, personal=None, drawn_by=DEVICE: schemes.unrelated(
        theta, *group, chances=chances, joint=joint, personal=personal, drawn_by=drawn_by
    ),
    "forced": lambda group, no, yes, drawn_by=DEVICE: schemes.forced(no, yes, *group, drawn_by=drawn_by),
    "k_ary": lambda group, theta, drawn_by=DEVICE: schemes.k_ary(theta, *group, drawn_by=drawn_by),
    "draw": lambda group, theta, always=(), ask=None, column=COLUMN, drawn_by=DEVICE: schemes.draw(
        theta, *group, always=always, ask=ask, column=column, drawn_by=drawn_by
    ),
    "lookup": lambda group, matrix, reported=None, drawn_by=DEVICE: schemes.lookup(
        _one("lookup", group), matrix, reported, drawn_by=drawn_by
    ),
    "hadamard": lambda group, epsilon: schemes.hadamard(promised(epsilon), _one("hadamard", group)),
    "gaussian": lambda group, privacy=None, sd=None, confidence=0.95: schemes.gaussian(
        _one("gaussian", group), privacy=privacy, sd=sd, confidence=confidence
    ),
    "uniform": lambda group, privacy=None, half_width=None, confidence=0.95: schemes.uniform(
        _one("uniform", group), privacy=privacy, half_width=half_width, confidence=confidence
    ),
    "interval": lambda group, width=None, cuts=None: schemes.interval(_one("interval", group), width=width, cuts=cuts),
    **{scheme.__name__: _reader(scheme) for scheme in literature.SCHEMES},
}
KINDS: Mapping[str, tuple[type, ...]] = {
    "title": (str,), "target": (str,), "question": (list,), "channel": (list,), "scheme": (str,), "group": (list,),
    "name": (str,), "wording": (str,), "answers": (list,), "optional": (bool,), "ordered": (bool,),
    "sensitive": (str, int), "values": (list,), "computed": (str,), "merges": (dict,),
    "range": (list,), "integer": (bool,), "omit": (bool,), "cells": (int,), "cuts": (list,),
    "theta": (int, float), "epsilon": (int, float), "no": (int, float), "yes": (int, float),
    "chances": (list, dict), "joint": (list,), "personal": (dict,), "matrix": (list, str), "reported": (list,),
    "privacy": (int, float), "sd": (int, float), "half_width": (int, float), "confidence": (int, float),
    "width": (int, float), "always": (list,), "ask": (int,), "column": (str,), "chosen": (bool,), "version": (list,),
    "share": (int, float), "drawn_by": (str,), "shares": (list,), "harmless": (str, list), "unrelated": (str,),
    "p": (int, float), "p1": (int, float), "p2": (int, float), "theta1": (int, float), "theta2": (int, float),
    "truth": (int, float), "first": (int, float), "second": (int, float), "draws": (int,),
    "shape": (int, float), "issuer": (dict,), "wave": (int,), "retention": (date,),
    "text": (dict,), "translation": (dict,), "show_draw": (bool,), "draw_order": (bool,),
    "language": (str,), "section": (str,), "help": (str,), "multiple": (str,), "ask_if": (str,),
    "otherwise": (str, int, float),
}  # fmt: skip
VERSIONS = "versions"
PAGE = ("text", "translation", "show_draw", "draw_order", "language")
FORMS = {
    "personal": 'write personal = { NAME = "the harmless question" } with the name of the question that it stands for',
    "chances": "write chances = { NAME = [0.5, 0.5] } with the name of the question and a chance for each answer",
}
TOP = ("title", "target", "wave", "retention", "issuer", *PAGE, "question", "channel")
HEAD = ("title", "target", "wave", "retention", "show_draw", "draw_order", "language")  # of TOP, what is no table
TABLES = {"question": "[[question]]", "channel": "[[channel]]", "version": "[[channel.version]]"}
SPOKEN = {
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "a table",
    date: "a day such as 2027-12-31",
}
ON_PAGE = ("section", "help", "ask_if", "otherwise")
ANSWERED = (
    "name", "wording", "answers", "optional", "ordered", "sensitive", "values", "merges", "multiple", "matrix",
    *ON_PAGE,
)  # fmt: skip
COMPUTED = ("name", "wording", "computed", "section", "help")
MEASURED = ("name", "wording", "range", "integer", "omit", "cells", "cuts", *ON_PAGE)


@dataclass(frozen=True)
class Document:
    """What a design file says: a survey, its questions in order, and their blocks."""

    survey: Survey
    blocks: tuple[Block, ...]
    issuer: Issuer | None = None


def load(path: str | PathLike[str]) -> Document:
    """Read a design file."""
    document = toml.read(path)
    _check_keys("the design file", document, TOP, needed=("question", "channel"))
    for key in ("question", "channel"):
        if not document[key] or not all(isinstance(table, dict) for table in document[key]):
            raise BadDesignFile("the design file", f"needs {key}s as tables", f"write [[{key}]]")
    asked = [_read_question(index, table) for index, table in enumerate(document["question"], 1)]
    known = {question.name: question for question in asked}
    if len(known) < len(asked):
        Survey(tuple(asked))  # which says what is there twice
    blocks = [Block.of(_read_block(index, table, known)) for index, table in enumerate(document["channel"], 1)]
    needed = {name for question in asked if question.formula for name in question.formula.names}
    sent = {name for block in blocks for name in block.names}
    kept = tuple(question for question in asked if question.name in sent or question.name not in needed)
    unsent = tuple(question for question in asked if question not in kept)
    issuer = Issuer.read("[issuer]", document["issuer"]) if "issuer" in document else None
    head = (document.get("title", ""), document.get("target"), unsent)
    survey = Survey(kept, *head, document.get("wave", 1), document.get("retention"), read_page(document))
    return Document(survey, tuple(blocks), issuer)


def save(document: Document, path: str | PathLike[str]) -> None:
    """Write a design file."""
    survey = document.survey
    wave = survey.wave if survey.wave != 1 else None
    page, words = page_tables(survey.page)
    head = {"title": survey.title or None, "target": survey.target, "wave": wave, "retention": survey.retention, **page}
    tables: list[tuple[str, dict[str, Any]]] = [("", {key: value for key, value in head.items() if value is not None})]
    tables += words
    tables += [("[[question]]\n", _write_question(question)) for question in (*survey.unsent, *survey.questions)]
    for block in document.blocks:
        tables += _write_block(block)
    if document.issuer is not None:
        tables.append(("[issuer]\n", {**document.issuer.published()}))
    text = "\n".join(
        head + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items()) for head, table in tables
    )
    try:
        Path(path).write_text(text.lstrip("\n"), encoding="utf-8")
    except OSError as error:
        raise not_written(path, error) from error


def _write_block(block: Block) -> list[tuple[str, dict[str, Any]]]:
    """The tables of a block: its recipe as it was written, or version by version."""
    recipe = {"scheme": block.recipe.scheme, **block.recipe.settings}
    if block.recipe.scheme != VERSIONS:
        return [("[[channel]]\n", recipe | {"group": block.names})]
    tables = [("[[channel]]\n", recipe)]
    alike = all(version.share == 1 / len(block.versions) for version in block.versions)
    for version in block.versions:
        share = {} if alike else {"share": version.share}
        tables.append(("[[channel.version]]\n", {"name": version.name, **share}))
        for channel in version.channels:
            inner = {"scheme": channel.recipe.scheme, **channel.recipe.settings, "group": channel.names}
            tables.append(("[[channel.version.channel]]\n", inner))
    return tables


def _toml(value: Any) -> str:
    """A value as TOML writes it; JSON's strings, numbers and booleans are TOML's too."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read_question(index: int, table: Mapping[str, Any]) -> Question:
    where = f"question {table.get('name', index)!r}"
    if "range" in table:
        _check_keys(where, table, MEASURED, needed=("name",))
        limits = table["range"]
        if len(limits) != 2 or any(isinstance(end, bool) or not isinstance(end, int | float) for end in limits):
            raise BadDesignFile(where, f"needs range = [low, high], got {limits}", "give two numbers")
        settings = {key: value for key, value in table.items() if key not in ("name", "range")}
        return number(table["name"], limits[0], limits[1], **settings)
    if "computed" in table:
        _check_keys(where, table, COMPUTED, needed=("name",))
        made = computed(table["name"], table["computed"], table.get("wording", ""))
        return replace(made, **{key: table[key] for key in ("section", "help") if key in table})
    if "answers" not in table and {"integer", "omit", "cells", "cuts"} & set(table):
        raise BadDesignFile(where, "is a number without a range", "add range = [low, high]")
    _check_keys(where, table, ANSWERED, needed=("name", "answers"))
    return Question(**table)


def _read_block(index: int, table: Mapping[str, Any], known: Mapping[str, Question]) -> Channel | Block:
    """A channel, or a block of versions, each with channels of its own."""
    where = f"channel {index}"
    if table.get("scheme") != VERSIONS:
        return _read_channel(where, table, known)
    _check_keys(f"{where} ({VERSIONS})", table, ("scheme", "column", "chosen", "version"), needed=("version",))
    found: dict[str, list[Channel]] = {}
    for count, each in enumerate(table["version"], 1):
        inside = f"version {count} of {where}"
        _check_tables(inside, [each], "channel.version")
        _check_keys(inside, each, ("name", "share", "channel"), needed=("name", "channel"))
        if each["name"] in found:
            raise BadDesignFile(inside, f"has the name {each['name']!r} of another version", "give it another")
        _check_tables(inside, each["channel"], "channel.version.channel")
        if any(inner.get("scheme") == VERSIONS for inner in each["channel"]):
            raise BadDesignFile(inside, "has versions itself", "give it channels only")
        made = [_read_channel(f"a channel of {inside}", inner, known) for inner in each["channel"]]
        if nested := [each for each in made if isinstance(each, Block)]:
            raise BadDesignFile(inside, f"has versions itself ({nested[0].recipe.scheme})", "take ask out of it")
        found[each["name"]] = [each for each in made if isinstance(each, Channel)]
    shares = [each.get("share") for each in table["version"]]
    if None in shares and set(shares) != {None}:
        lacking = table["version"][shares.index(None)]["name"]
        raise BadDesignFile(where, f"has no share for version {lacking!r}", "give all versions a share, or none")
    given = None if None in shares else shares
    return versions(found, given, table.get("column", COLUMN), table.get("chosen", False))


def _read_channel(where: str, table: Mapping[str, Any], known: Mapping[str, Question]) -> Channel | Block:
    if not isinstance(table.get("scheme"), str) or table["scheme"] not in READERS:
        raise BadDesignFile.scheme(where, table.get("scheme"), (*READERS, VERSIONS))
    where, reader = f"{where} ({table['scheme']})", READERS[table["scheme"]]
    arguments = inspect.signature(reader).parameters
    needed = [name for name, argument in arguments.items() if argument.default is argument.empty]
    if "theta" in arguments and "epsilon" in table:  # which may stand for it
        if "theta" in table:
            raise BadDesignFile(where, "has both theta and epsilon", "leave one of them out")
        needed = ["epsilon" if name == "theta" else name for name in needed]
    if "drawn_by" in table and "drawn_by" not in arguments:
        raise BadDesignFile(where, "has drawn_by, but nothing that respondents could draw by hand", "leave it out")
    keys = ["scheme", *arguments, *["epsilon"] * ("theta" in arguments)]
    _check_keys(where, table, keys, needed)
    settings = {key: value for key, value in table.items() if key not in ("scheme", "group")}
    if "theta" in arguments and "epsilon" in settings:
        settings["theta"] = promised(settings.pop("epsilon"))
    return reader([_question_named(str(name), known) for name in table["group"]], **settings)


def _check_tables(where: str, given: Sequence[Any], name: str) -> None:
    if not all(isinstance(each, dict) for each in given):
        raise BadDesignFile(where, "needs tables", f"write [[{name}]]")


def _question_named(name: str, known: Mapping[str, Question]) -> Question:
    if name not in known:
        raise UnknownQuestion(name, known)
    return known[name]


def _check_keys(where: str, table: Mapping[str, Any], known: Sequence[str], needed: Sequence[str]) -> None:
    for key, value in table.items():
        if key not in known and key in HEAD:
            raise BadDesignFile(where, f"has no key {key!r}", "it belongs above the first [[question]]")
        if key not in known:
            raise BadDesignFile.key(where, key, known)
        if not isinstance(value, KINDS[key]) or (isinstance(value, bool) and bool not in KINDS[key]):
            kinds = " or ".join(dict.fromkeys(SPOKEN[kind] for kind in KINDS[key]))
            kinds = "a whole number" if KINDS[key] == (int,) else kinds
            quoted = isinstance(value, str) and isinstance(toml.written_bare(value), KINDS[key])
            way = "write it without quotes" if quoted else FORMS.get(key, "correct it")
            if key in TABLES and isinstance(value, dict):
                way = f"write {TABLES[key]}, with two brackets"
            raise BadDesignFile(
                where, f"needs {kinds} as {key}, got {json.dumps(value) if quoted else repr(value)}", way
            )
    for key in needed:
        if key not in table:
            other = " or epsilon = ..." if key == "theta" else ""
            way = f"add a table {TABLES[key]}" if key in TABLES else f"add {key} = ...{other}"
            raise BadDesignFile(where, f"lacks the key {key!r}", way)


def _one(scheme: str, group: Sequence[Question]) -> Question:
    if len(group) != 1:
        names = ", ".join(question.name for question in group)
        raise BadDesignFile(f"the {scheme} channel on {names}", "takes one question", "write one channel for each")
    return group[0]


def _write_question(question: Question) -> dict[str, Any]:
    question = question.plain
    table: dict[str, Any] = {"name": question.name}
    table |= {key: value for key in ("wording", *PAGE_WORDS) if (value := getattr(question, key))}
    if question.ask_if is not None:
        table["ask_if"] = question.ask_if.text
        table |= {} if question.otherwise is None else {"otherwise": question.otherwise}
    if question.formula is not None:
        return table | {"computed": question.formula.text}
    limits = question.range
    if limits is None:
        table["answers"] = list(own_answers(question))
        if question.sensitive is not None:
            table["sensitive"] = question.sensitive
        if question.values is not None:
            table["values"] = [_short(value) for value in question.values]
        if question.merges:
            table["merges"] = {
                answer: [word for word, counted in question.merges if counted == answer]
                for answer in dict.fromkeys(answer for _, answer in question.merges)
            }
        flags = {"optional": question.optional, "ordered": question.ordered}
    else:
        table["range"] = [_short(limits.low), _short(limits.high)]
        flags = {"integer": limits.integer, "omit": question.omit}
        if limits.chosen:
            cells = len(limits.edges) - 1
            even = edges_of(question.name, limits.low, limits.high, cells, limits.integer) == limits.edges
            table |= (
                {"cells": cells}
                if even
                else {"cuts": [_short(edge + limits.integer / 2) for edge in limits.edges[1:-1]]}
            )
    return table | {key: True for key, value in flags.items() if value}


def _short(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)
