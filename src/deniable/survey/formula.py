"""Formula of a computed question: a sum of other answers, compared with a number.

>>> score = formula("phq1 + 2 * phq2 - 1 >= 10")
>>> score.terms, score.sign, score.bound
((('phq1', 1.0), ('phq2', 2.0)), '>=', 11.0)
>>> score.holds({"phq1": np.array([3.0, 3.0]), "phq2": np.array([4.0, 3.0])})
array([ True, False])
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadRequest
from deniable.notebook import shortened

SIGNS: Mapping[type[ast.cmpop], str] = {
    ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Lt: "<", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
MAX_NUMBER = 1e15  # beyond it sums are not exact in any language
COMPARED: Mapping[str, Callable[[NDArray[np.float64], float], NDArray[np.bool_]]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

Sum = dict[str, float]  # by name; under "" what is added to all


@dataclass(frozen=True)
class Formula:
    """A sum of answers, each times a number, compared with a bound."""

    text: str
    terms: tuple[tuple[str, float], ...]
    sign: str
    bound: float

    @property
    def names(self) -> list[str]:
        """The questions that it asks for."""
        return [name for name, _ in self.terms]

    def holds(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
        """For whom it holds, given the values of their answers; sums are taken in the order of the terms."""
        total = np.zeros(len(values[self.names[0]]))
        for name, factor in self.terms:
            total = total + factor * values[name]
        return np.asarray(COMPARED[self.sign](total, self.bound))


def parsed(text: object, refusal: BadRequest) -> tuple[ast.expr, Mapping[str, str]]:
    """A text's syntax tree, in which names in backticks have plain ones, and what these stand for."""
    if not isinstance(text, str):
        raise refusal
    quoted: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        return quoted.setdefault(found[1], f"quoted_{len(quoted)}_")

    try:
        tree = ast.parse(re.sub(r"`([^`]+)`", plain, text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refusal from None
    return tree, {short: name for name, short in quoted.items()}


def formula(text: str) -> Formula:
    """The formula that a text says."""
    tree, names = parsed(text, _refusal(text))
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in SIGNS:
        raise _refusal(text)
    try:
        left, right = (_sum(each, text) for each in (tree.left, tree.comparators[0]))
    except RecursionError:
        raise _refusal(text) from None
    both = {name: left.get(name, 0.0) - right.get(name, 0.0) for name in {**left, **right}}
    bound = -both.pop("", 0.0)
    if not all(map(isfinite, (bound, *both.values()))):
        raise _refusal(text)
    terms = tuple((names.get(name, name), factor) for name, factor in both.items() if factor)
    if not terms:
        raise _refusal(text)
    return Formula(text.strip(), terms, SIGNS[type(tree.ops[0])], bound + 0.0)


def _sum(node: ast.expr, text: str) -> Sum:
    """A sum of names, each times a number."""
    if isinstance(node, ast.Name):
        return {node.id: 1.0}
    if isinstance(node, ast.Constant) and isinstance(value := node.value, int | float) and not isinstance(value, bool):
        return {"": float(value)} if abs(value) < MAX_NUMBER else {"": inf}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _times(_sum(node.operand, text), -1.0 if isinstance(node.op, ast.USub) else 1.0)
    if isinstance(node, ast.BinOp):
        left, right = _sum(node.left, text), _sum(node.right, text)
        if isinstance(node.op, ast.Add | ast.Sub):
            right = _times(right, -1.0 if isinstance(node.op, ast.Sub) else 1.0)
            return {name: left.get(name, 0.0) + right.get(name, 0.0) for name in {**left, **right}}
        if isinstance(node.op, ast.Mult) and (set(left) == {""} or set(right) == {""}):
            return _times(right, left[""]) if set(left) == {""} else _times(left, right[""])
    raise _refusal(text)


def _times(some: Sum, factor: float) -> Sum:
    return {name: factor * value for name, value in some.items()}


def _refusal(text: object) -> BadRequest:
    shown = shortened(str(text), 80)
    way_out = "write phq1 + phq2 >= 10; names with spaces stand in backticks"
    return BadRequest("computed", "a sum of answers compared with a number", shown, way_out)
