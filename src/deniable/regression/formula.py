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
EXAMPLE = "write leave ~ smokes + age + smokes:sex"
WORD = re.compile(r"`([^`]*)`|([^\W\d]\w*(?:\.\w+)*)")


@dataclass(frozen=True)
class Factor:
    """A part of a term: a name, or what is computed from some."""

    text: str
    names: tuple[str, ...]
    stateful: bool  # depends on all rows
    categorical: bool = False  # takes each number for an answer

    def power(self, name: str) -> int | None:
        """The power of a number that it is: 1 for the number, 2 for its square, none for all else."""
        square = re.fullmatch(r"I\(`?(.*?)`? ?\*\* ?2\)", self.text)
        return 1 if self.text == name else 2 if square and square[1] == name else None


@dataclass(frozen=True)
class ParsedFormula:
    """A formula whose names are all known."""

    text: str
    outcome: str  # a name or an expression
    right: str  # the predictors, as formulaic reads them
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def factors(self) -> list[Factor]:
        """The factors of all terms."""
        return [factor for term in self.terms for factor in term]

    @property
    def predictors(self) -> tuple[str, ...]:
        """The names on its right, in the order in which they come."""
        return tuple(dict.fromkeys(name for factor in self.factors for name in factor.names))

    def depends_on_all(self, name: str) -> bool:
        """Whether a name stands in a factor that depends on all rows."""
        return any(factor.stateful and name in factor.names for factor in self.factors)

    @property
    def categorical(self) -> set[str]:
        """The names whose numbers are taken for answers."""
        return {name for factor in self.factors if factor.categorical for name in factor.names}

    def null(self) -> "ParsedFormula":
        """The same outcome without predictors."""
        return ParsedFormula(self.text, self.outcome, "1", ())


def parse(text: str, known: Sequence[str]) -> ParsedFormula:
    """Read a formula; `known` are all names that it may use."""
    plain = re.sub(r"`[^`]*`", lambda name: "_" * len(name[0]), text) if isinstance(text, str) else ""
    if plain.count("~") != 1:
        raise BadFormula(text, "needs an outcome, one ~ and predictors", EXAMPLE)
    outcome, right = text[: plain.index("~")].strip(), text[plain.index("~") + 1 :].strip()
    if not outcome or not right:
        side = "predictors on its right" if outcome else "an outcome on its left"
        raise BadFormula(text, f"needs {side}", "write leave ~ smokes + age, or leave ~ 1")
    right = _quoted(right, known)
    return ParsedFormula(text, outcome, right, tuple(_terms(text, right, known)))


def _quoted(right: str, known: Sequence[str]) -> str:
    """The predictors with names that hold a dot in backticks, as R would not need them."""

    def quoted(found: re.Match[str]) -> str:
        word = found[2]
        return f"`{word}`" if word and "." in word and word in known else found[0]

    return WORD.sub(quoted, right)


def _terms(text: str, right: str, known: Sequence[str]) -> Iterator[tuple[Factor, ...]]:
    """The terms, each by its factors."""
    with needed_for("regress", "survey"):
        from formulaic import Formula
        from formulaic.errors import FormulaicError
    try:
        terms: Any = list(Formula(right))
        found = [[(factor.expr, factor.eval_method.value) for factor in term.factors] for term in terms]
    except (FormulaicError, SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise BadFormula(text, "cannot be read", EXAMPLE) from error
    if not found:
        raise BadFormula(text, "has no term", "write leave ~ smokes, or leave ~ 1")
    for term in found:
        yield tuple(_factor(text, *each, known) for each in term if each[1] != "literal")


def _factor(text: str, written: str, kind: str, known: Sequence[str]) -> Factor:
    """A factor, if it holds known names only, and nothing that formulas may not hold."""
    if kind == "lookup":
        return Factor(written, (_known(text, written, known),), stateful=False)
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        return found[0] if found[1] is None else quoted.setdefault(found[1], f"quoted_{len(quoted)}_")

    try:
        tree = ast.parse(WORD.sub(stand_in, written), mode="eval")
    except SyntaxError as error:
        raise BadFormula(text, f"cannot be read at {written!r}", EXAMPLE) from error
    meant = {word: name for name, word in quoted.items()}
    functions = _functions(text, tree)
    words = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in functions]
    names = tuple(_known(text, meant.get(word, word), known) for word in words)
    return Factor(written, names, bool(functions & set(STATEFUL)), "C" in functions)


def _known(text: str, name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise BadFormula(text, f"names {name!r}, which is no question or column", nearest(name, known))
    return name


def _functions(text: str, tree: ast.Expression) -> set[str]:
    """The functions that an expression calls, if it holds nothing else than may be in a formula."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, NODES):
            raise BadFormula(text, "may hold nothing but arithmetic and functions", _functions_there_are())
        if isinstance(node, ast.Attribute):
            inside = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr not in INSIDE.get(inside, ()):
                raise BadFormula(text, f"may not hold '.{node.attr}'", "put a name with a dot in `backticks`")
            found.add(inside)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id not in (*PLAIN, *STATEFUL, *CONTRASTS):
                raise BadFormula(text, f"calls {node.func.id!r}", _functions_there_are())
            found.add(node.func.id)
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
            raise BadFormula(text, "may hold nothing but arithmetic and functions", _functions_there_are())
    return found


def _functions_there_are() -> str:
    return f"the functions are {', '.join((*PLAIN, *STATEFUL))}"
