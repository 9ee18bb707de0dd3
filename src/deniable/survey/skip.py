"""Conditions under which a question is asked: `ask_if = "smokes == 'yes' and age >= 30"`.

A respondent's device decides by true answers which questions to show. What is not shown is answered all the same, by
what the design says (`otherwise`) or by "does not apply", and disguised like any answer: so replies do not tell who was
asked. A condition is published as a rule that every language evaluates alike:

    ["cells", name, [cells]]          the answer is one of these
    ["number", name, sign, "bound"]   the number compares so; never of one that was left out
    ["all", rule, ...]  ["any", rule, ...]  ["not", rule]

>>> condition("smokes == 'yes' and not age < 30").names
['smokes', 'age']
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadQuestion, BadRequest
from deniable.notebook import shortened
from deniable.survey.formula import COMPARED, SIGNS, parsed
from deniable.survey.spelling import decimal

NOT_ASKED = "does not apply"  # the answer of those who were not asked, where no other is given
MEMBERSHIP: Mapping[type[ast.cmpop], str] = {ast.In: "in", ast.NotIn: "not in"}
MIRRORED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "==": "==", "!=": "!="}

Rule = Sequence[Any]  # as it is published
Word = str | float


@dataclass(frozen=True)
class Comparison:
    """One answer, compared with a word or a number, or looked for among several."""

    name: str
    sign: str
    values: tuple[Word, ...]


@dataclass(frozen=True)
class Combined:
    """Several conditions, of which all or any must hold, or one must not."""

    kind: str  # all, any, not
    parts: tuple["Comparison | Combined", ...]


@dataclass(frozen=True)
class Condition:
    """When a question is asked, as it was written, and its parts."""

    text: str
    tree: Comparison | Combined

    @property
    def names(self) -> list[str]:
        """The questions whose answers decide."""
        return list(dict.fromkeys(_names(self.tree)))


def condition(text: object) -> Condition:
    """The condition that a text says."""
    tree, names = parsed(text, _refusal(text))
    said = str(text).strip()
    try:
        return Condition(said, _read(tree, said, names))
    except (ValueError, RecursionError):
        raise _refusal(text) from None


def _read(node: ast.expr, text: str, names: Mapping[str, str]) -> Comparison | Combined:
    if isinstance(node, ast.BoolOp):
        kind = "all" if isinstance(node.op, ast.And) else "any"
        return Combined(kind, tuple(_read(each, text, names) for each in node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return Combined("not", (_read(node.operand, text, names),))
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise _refusal(text)
    left, right, sign = node.left, node.comparators[0], type(node.ops[0])
    if sign in MEMBERSHIP and isinstance(left, ast.Name) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        return Comparison(
            names.get(left.id, left.id), MEMBERSHIP[sign], tuple(_word(each, text) for each in right.elts)
        )
    if sign in SIGNS and isinstance(left, ast.Name):
        return Comparison(names.get(left.id, left.id), SIGNS[sign], (_word(right, text),))
    if sign in SIGNS and isinstance(right, ast.Name):
        return Comparison(names.get(right.id, right.id), MIRRORED[SIGNS[sign]], (_word(left, text),))
    raise _refusal(text)


def _word(node: ast.expr, text: str) -> Word:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _word(node.operand, text)
        if isinstance(value, float):
            return -value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    raise _refusal(text)


def _names(tree: Comparison | Combined) -> list[str]:
    return [tree.name] if isinstance(tree, Comparison) else [name for part in tree.parts for name in _names(part)]


def _refusal(text: object) -> BadRequest:
    way_out = "write smokes == 'yes', age >= 30, drinks in ('weekly', 'daily'), and join them by and, or, not"
    return BadRequest("ask_if", "a condition on earlier answers", shortened(str(text), 80), way_out)


# ---------------------------------------------------------------- rules


def rule_of(asked: str, when: Condition, known: Mapping[str, Any]) -> Rule:
    """The rule of a condition, as it is published; `known` are the questions before the one that is asked by it."""
    return _rule(asked, when.tree, known)


def _rule(asked: str, tree: Comparison | Combined, known: Mapping[str, Any]) -> Rule:
    if isinstance(tree, Combined):
        return [tree.kind, *(_rule(asked, part, known) for part in tree.parts)]
    if tree.name not in known:
        raise BadQuestion(asked, f"is asked by the answer to {tree.name!r}, which is not asked before it",
                          "name a question that stands above it")  # fmt: skip
    question = known[tree.name]
    if question.is_number:
        return _number_rule(asked, tree)
    return ["cells", tree.name, _cells(asked, tree, question)]


def _number_rule(asked: str, tree: Comparison) -> Rule:
    if not all(isinstance(value, float) for value in tree.values):
        raise BadQuestion(asked, f"compares the number {tree.name!r} with a word", "compare it with a number")
    if tree.sign in COMPARED:
        return ["number", tree.name, tree.sign, decimal(float(tree.values[0]))]
    any_of = ["any", *(["number", tree.name, "==", decimal(float(value))] for value in tree.values)]
    return any_of if tree.sign == "in" else ["not", any_of]


def _cells(asked: str, tree: Comparison, question: Any) -> list[int]:
    """The answers for which a comparison holds."""
    words = question.plain.answers
    found = []
    for value in tree.values:
        word = decimal(value) if isinstance(value, float) else value
        if word not in words:
            raise BadQuestion(asked, f"is asked by the answer {word!r}, which {tree.name!r} does not have",
                              f"use one of {', '.join(words[:5])}")  # fmt: skip
        found.append(words.index(word))
    cells = range(len(words))
    if tree.sign in ("in", "not in"):
        return [cell for cell in cells if (cell in found) == (tree.sign == "in")]
    if tree.sign not in ("==", "!=") and not question.ordered:
        raise BadQuestion(
            asked, f"compares answers of {tree.name!r}, which have no order", "write ordered = true there"
        )
    compared = COMPARED[tree.sign](np.arange(len(words), dtype=float), float(found[0]))
    return [cell for cell in cells if compared[cell]]


def holds(rule: Rule, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """For whom a rule holds, given true cells and numbers by name."""
    kind, *parts = rule
    if kind == "cells":
        return np.asarray(np.isin(columns[parts[0]], parts[1]))
    if kind == "number":
        name, sign, bound = parts
        numbers = np.asarray(columns[name], dtype=float)
        return np.asarray(COMPARED[sign](numbers, float(bound)) & ~np.isnan(numbers))
    found = np.array([holds(part, columns) for part in parts])
    if kind == "not":
        return np.asarray(~found[0])
    return np.asarray(found.all(axis=0) if kind == "all" else found.any(axis=0))
