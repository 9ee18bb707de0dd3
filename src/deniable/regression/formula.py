"""Formula of a regression, in Wilkinson's notation: `leave ~ smokes + age + smokes:sex`.

The outcome is a question, a column or an expression about one question (`drinks >= 'weekly'`); the predictors are a
formula of the package formulaic. A formula is data and not a program: besides names and numbers it may hold the
arithmetic and the functions listed here, and nothing else, so that a formula from elsewhere can do no harm.

>>> parse("leave ~ smokes + log(age)", ["leave", "smokes", "age"]).predictors
('smokes', 'age')
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from deniable.errors import BadFormula
from deniable.errors.refusal import nearest
from deniable.extras import needed_for

PLAIN = ("I", "C", "log", "log2", "log10", "exp")  # each row by itself
STATEFUL = ("center", "scale", "standardize", "poly", "bs", "cr", "cs", "cc")  # depend on all rows
CONTRASTS = ("Treatment", "Sum", "Helmert", "Diff", "Poly")
INSIDE = {"np": ("log", "log2", "log10", "log1p", "exp", "sqrt", "abs"),
          "contr": ("treatment", "sum", "helmert", "diff", "poly")}  # fmt: skip
NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword,
         ast.Load, ast.operator, ast.unaryop, ast.List, ast.Tuple)  # fmt: skip
WORD = re.compile(r"`([^`]*)`|([^\W\d]\w*(?:\.\w+)*)")


@dataclass(frozen=True)
class ParsedFormula:
    """A formula whose names are all known."""

    text: str
    outcome: str  # a name or an expression
    right: str  # the predictors, as formulaic reads them
    predictors: tuple[str, ...]  # names, in the order in which they come
    stateful: tuple[str, ...]  # names inside functions that depend on all rows
    calls: tuple[tuple[str, ...], ...]  # names inside any function, call by call


def parse(text: str, known: Sequence[str]) -> ParsedFormula:
    """Read a formula; `known` are all names that it may use."""
    if not isinstance(text, str) or text.count("~") != 1:
        raise BadFormula(text, "an outcome, one ~ and predictors", "write leave ~ smokes + age")
    outcome, right = (each.strip() for each in text.split("~"))
    if not outcome or not right:
        side = "outcome on its left" if not outcome else "predictors on its right"
        raise BadFormula(text, f"an {side}" if not outcome else side, "write leave ~ smokes + age, or leave ~ 1")
    right = _quoted(right, known)
    names, stateful, calls = [], [], []
    for factor in _factors(text, right):
        own, plain = _checked(text, factor, known)
        names += own
        calls += [tuple(own)] * (factor.strip("`") not in known)
        stateful += [] if plain else own
    return ParsedFormula(
        text, outcome, right, tuple(dict.fromkeys(names)), tuple(dict.fromkeys(stateful)), tuple(calls)
    )


def _quoted(right: str, known: Sequence[str]) -> str:
    """The predictors with names that hold a dot in backticks, as R would not need them."""

    def quoted(found: re.Match[str]) -> str:
        word = found[2]
        return f"`{word}`" if word and "." in word and word in known else found[0]

    return WORD.sub(quoted, right)


def _factors(text: str, right: str) -> Iterator[str]:
    """The factors of all terms, as they are written."""
    with needed_for("regress", "survey"):
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    try:
        terms: Any = Formula(right)
        found = [factor for term in terms for factor in term.factors]
    except (FormulaicError, SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise BadFormula(text, "a formula", "write leave ~ smokes + age + smokes:age") from error
    for factor in dict.fromkeys(found):
        if factor.eval_method.value == "lookup":
            yield f"`{factor.expr}`"
        elif factor.eval_method.value != "literal":
            yield factor.expr


def _checked(text: str, factor: str, known: Sequence[str]) -> tuple[list[str], bool]:
    """The names of a factor, if all are known, and whether it takes each row by itself."""
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        return quoted.setdefault(found[1], f"quoted_{len(quoted)}_")

    try:
        tree = ast.parse(WORD.sub(stand_in, factor), mode="eval")
    except SyntaxError as error:
        raise BadFormula(text, f"no {factor!r}", "write leave ~ smokes + age") from error
    meant = {word: name for name, word in quoted.items()}
    functions = _functions(text, tree)
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in functions:
            name = meant.get(node.id, node.id)
            if name not in known:
                raise BadFormula(text, f"known names, not {name!r}", nearest(name, known))
            names.append(name)
    return names, not functions & set(STATEFUL)


def _functions(text: str, tree: ast.Expression) -> set[str]:
    """The functions that an expression calls, if it holds nothing else than may be in a formula."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, NODES):
            raise BadFormula(text, "arithmetic and functions only", _functions_there_are())
        if isinstance(node, ast.Attribute):
            inside = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr not in INSIDE.get(inside, ()):
                raise BadFormula(text, f"no '.{node.attr}'", "put a name that holds a dot in `backticks`")
            found.add(inside)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id not in (*PLAIN, *STATEFUL, *CONTRASTS):
                raise BadFormula(text, f"no function {node.func.id!r}", _functions_there_are())
            found.add(node.func.id)
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
            raise BadFormula(text, "arithmetic and functions only", _functions_there_are())
    return found


def _functions_there_are() -> str:
    return f"the functions are {', '.join((*PLAIN, *STATEFUL))}"
