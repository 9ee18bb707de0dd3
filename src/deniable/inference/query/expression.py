"""Query expressions: conditions on true answers, as people write them.

    smokes == 'yes' and not (age > 40 or leave == 'yes')

An expression is read by the grammar below, never evaluated as a program. Over a table's cells
it is a mask of true and false.

    any        :=  all  { "or" all }
    all        :=  one  { "and" one }
    one        :=  "not" one  |  "(" any ")"  |  comparison
    comparison :=  name ("==" | "!=" | "<" | "<=" | ">" | ">=") value  |  name ["not"] "in" "(" value {"," value} ")"

A number may also come first (40 < age), or stand at both ends (18 <= age < 30).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadExpression

Truths = NDArray[np.bool_]
TOKEN = re.compile(
    r"""\s*(?: (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
             | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
             | (?P<sign>==|!=|<=|>=|=|<|>|\(|\)|\[|\]|,)
             | (?P<quoted>`[^`]+`)
             | (?P<word>[^\W\d]\w*) )""",
    re.VERBOSE,
)
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
DEEPEST = 100
QUOTE_IT = "put answers in quotes, and names that are no plain words in backticks"
SIGNS = {  # of other languages
    "&": "write and", "|": "write or", "!": "write not", "~": "write not", "'": "the quote is not closed",
    '"': "the quote is not closed", "`": "the backtick is not closed",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A piece of an expression and where it stands."""

    kind: str
    text: str
    position: int


@dataclass(frozen=True)
class Comparison:
    """One question held against one value (or several, with `in`)."""

    name: str
    sign: str
    values: tuple[str, ...]
    numeric: bool  # whether the values were written as numbers, without quotes
    position: int


@dataclass(frozen=True)
class Not:
    """What does not hold."""

    inner: "Node"


@dataclass(frozen=True)
class Several:
    """What holds where all (or any) of its parts hold."""

    word: str
    parts: tuple["Node", ...]


Node = Comparison | Not | Several


@dataclass(frozen=True)
class Expression:
    """An expression and the text it was read from."""

    text: str
    node: Node

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons in it, from left to right."""
        return list(_comparisons(self.node))

    def truths(self, judge: Callable[[Comparison], Truths]) -> Truths:
        """Where the expression holds, if `judge` says where each comparison does."""
        return _truths(self.node, judge)


def parse(text: str) -> Expression:
    """Read an expression."""
    reader = _Reader(text)
    node = reader.several("or")
    if reader.token is not None:
        raise reader.wrong("expected 'and', 'or' or the end here", _ways_on(reader.token.text))
    return Expression(text, node)


def name_text(name: str) -> str:
    """A question's name as expressions write it."""
    plain = name.isidentifier() and name not in ("and", "or", "not", "in")
    return name if plain else f"`{name}`"


def answer_text(answer: str) -> str:
    """An answer as expressions write it."""
    return "'" + answer.replace("\\", "\\\\").replace("'", "\\'") + "'"


def equals_text(name: str, answer: str) -> str:
    """The expression that a question has this answer."""
    return f"{name_text(name)} == {answer_text(answer)}"


class _Reader:
    """Reads tokens one after the other; `token` is the next one, None at the end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = _tokens(text)
        self._depth = 0
        self._advance()

    def _advance(self) -> None:
        self.token = next(self._tokens, None)

    def wrong(self, problem: str, way_out: str, token: Token | None = None) -> BadExpression:
        token = token or self.token
        return BadExpression(self.text, len(self.text) if token is None else token.position, problem, way_out)

    def _next_is(self, *texts: str) -> bool:
        return self.token is not None and self.token.kind in ("sign", "word") and self.token.text in texts

    def _take(self, *texts: str) -> bool:
        found = self._next_is(*texts)
        if found:
            self._advance()
        return found

    def several(self, word: str) -> Node:
        parts = [self._part(word)]
        while self._take(word):
            parts.append(self._part(word))
        return parts[0] if len(parts) == 1 else Several(word, tuple(parts))

    def _part(self, word: str) -> Node:
        return self.several("and") if word == "or" else self._one()

    def _one(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.wrong(f"this is nested too deeply (more than {DEEPEST} levels)", "write it with fewer brackets")
        node = self._nested()
        self._depth -= 1
        return node

    def _nested(self) -> Node:
        if self._take("not"):
            return Not(self._one())
        if self._take("("):
            inner = self.several("or")
            if not self._take(")"):
                raise self.wrong("expected ')' here", "close the bracket")
            return inner
        return self._comparison()

    def _comparison(self) -> Node:
        if self.token is not None and self.token.kind in ("number", "text"):
            return self._value_first()
        name = self._name()
        negated = self._take("not")
        if self._take("in"):
            among = self._among(name)
            return Not(among) if negated else among
        return self._signed(name)

    def _signed(self, name: Token) -> Comparison:
        sign = self._sign(f"expected ==, !=, <, <=, >, >= or in after {name.text!r}", name.text)
        value = self._value()
        return Comparison(name.text, sign, (value.text,), value.kind == "number", name.position)

    def _value_first(self) -> Node:
        value = self._value()
        sign = self._sign("expected a comparison after this value")
        name = self._name()
        first = Comparison(name.text, MIRROR[sign], (value.text,), value.kind == "number", name.position)
        return Several("and", (first, self._signed(name))) if self._next_is(*MIRROR) else first

    def _among(self, name: Token) -> Comparison:
        closing = {"(": ")", "[": "]"}.get(self.token.text if self.token else "")
        if closing is None or not self._take("(", "["):
            raise self.wrong("expected a list of values here", "write in ('a', 'b')")
        values = [self._value()]
        while self._take(","):
            if self._next_is(closing):
                break
            values.append(self._value())
        if not self._take(closing):
            raise self.wrong(f"expected ',' or {closing!r} here", "close the list")
        numeric = all(value.kind == "number" for value in values)
        return Comparison(name.text, "in", tuple(value.text for value in values), numeric, name.position)

    def _name(self) -> Token:
        token = self.token
        if token is None or token.kind not in ("word", "quoted") or token.text in ("and", "or", "in", "not"):
            raise self.wrong("expected the name of a question here", QUOTE_IT if token else "say what should hold")
        self._advance()
        return Token(token.kind, token.text.strip("`") if token.kind == "quoted" else token.text, token.position)

    def _sign(self, problem: str, name: str = "") -> str:
        token = self.token
        if not self._take(*MIRROR):
            raise self.wrong(problem, _ways_to_compare(token, name))
        assert token is not None
        return token.text

    def _value(self) -> Token:
        token = self.token
        if token is None or token.kind not in ("text", "number"):
            raise self.wrong("expected an answer in quotes or a number here", QUOTE_IT)
        if token.kind == "number" and not isfinite(float(token.text)):
            raise self.wrong("this number is too large", "write a smaller one")
        self._advance()
        return (
            Token(token.kind, re.sub(r"\\(.)", r"\1", token.text[1:-1]), token.position)
            if token.kind == "text"
            else token
        )


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while text[position:].strip():
        match = TOKEN.match(text, position)
        if match is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise BadExpression(text, start, "this cannot be read", SIGNS.get(text[start], QUOTE_IT))
        kind = str(match.lastgroup)
        yield Token(kind, match[kind], match.start(kind))
        position = match.end()


def _ways_on(word: str) -> str:
    """The way out where a word stands behind a comparison that does not go on with it."""
    if word.lower() in ("and", "or"):
        return f"write {word.lower()}"
    return 'write it as --given (in Python, given="...")' if word.lower() == "given" else QUOTE_IT


def _ways_to_compare(token: Token | None, name: str) -> str:
    """The way out where no comparison follows a name, or a value."""
    if token is not None and token.text == "=":
        return "a single = is written =="
    if token is not None and token.text.lower() in ("in", "not"):
        return f"write {token.text.lower()}"
    return f"say which answer, as in {name_text(name)} == 'yes'" if name else "say which question"


def _comparisons(node: Node) -> Iterator[Comparison]:
    if isinstance(node, Comparison):
        yield node
    else:
        for part in node.parts if isinstance(node, Several) else (node.inner,):
            yield from _comparisons(part)


def _truths(node: Node, judge: Callable[[Comparison], Truths]) -> Truths:
    if isinstance(node, Comparison):
        return judge(node)
    if isinstance(node, Not):
        return ~_truths(node.inner, judge)
    parts: Sequence[Truths] = [_truths(part, judge) for part in node.parts]
    return reduce(np.logical_and if node.word == "and" else np.logical_or, parts)
