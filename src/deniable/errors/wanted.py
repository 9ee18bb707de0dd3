"""Refusals about what the analyst asked."""

from collections.abc import Iterable, Sequence
from math import ceil

from deniable.errors.refusal import DeniableError, nearest


class BadExpression(DeniableError):
    """An expression does not parse, or asks what the question cannot answer."""

    def __init__(self, text: str, position: int, problem: str, way_out: str) -> None:
        where = (
            f"at character {position + 1}, before {text[position:][:20]!r}" if position < len(text) else "at its end"
        )
        super().__init__(f"expression {text!r}, {where}: {problem}", way_out)


class BadFormula(DeniableError):
    """A formula of a regression that cannot be read, or that names what is not there."""

    def __init__(self, text: object, problem: str, way_out: str) -> None:
        super().__init__(f"the formula {text!r} {problem}", way_out)


class BadRequest(DeniableError):
    """An argument is outside its limits."""

    def __init__(self, argument: str, expected: str, value: object, way_out: str) -> None:
        super().__init__(f"{argument} must be {expected}, got {value!r}", way_out)


class NobodyMet(DeniableError):
    """A share among people of whom there seem to be none."""

    def __init__(self, share: float) -> None:
        super().__init__(
            f"given must be a condition that some respondents meet, got an estimated share of {share:.4f}",
            "collect more replies or widen the condition",
        )


class NotInvertible(DeniableError):
    """The disguise cannot be inverted stably."""

    def __init__(self, names: Iterable[str], condition: float) -> None:
        super().__init__(
            f"the disguise of {', '.join(names)} has no stable inverse (condition {condition:.1e}, expected below 1e6)",
            "use iterative Bayes (method auto), or fewer cells",
        )


class NotIdentified(DeniableError):
    """A figure about the truth that no number of replies to this design would tell."""

    def __init__(self, what: str, together: str, way_out: str = "") -> None:
        super().__init__(
            f"replies cannot tell {what}: {together}", way_out or "ask these questions together in some version"
        )


class UnknownItem(DeniableError):
    """An item was named that no answer of the design gives."""

    def __init__(self, word: str, known: Iterable[str]) -> None:
        super().__init__(f"no item {word!r} here", nearest(word, known))


class NotAnItem(DeniableError):
    """The replies to a question do not simply support an answer or contradict it."""

    def __init__(self, question: str, why: str) -> None:
        self.why = why
        super().__init__(
            f"the answers to {question!r} cannot be items: {why}",
            "leave the question out (items = the names of the others), or ask dn.table about it",
        )


class TooManySets(DeniableError):
    """More sets of items, or rules, than anybody could look at."""

    def __init__(self, what: str, found: int, most: int, way_out: str) -> None:
        super().__init__(f"there are {found:,} {what}, expected at most {most:,}", way_out)


class BadModel(DeniableError):
    """A model file that is not one, or one that nobody should trust."""

    def __init__(self, path: object, problem: str, way_out: str) -> None:
        super().__init__(f"{path}: {problem}", way_out)


class OneClass(DeniableError):
    """There is nothing to tell apart."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"the target has one class only, {label!r}, expected two or more", "check that y is the target"
        )


class TooManyCombinations(DeniableError):
    """A classifier that would have to be asked about too many records."""

    def __init__(self, combinations: int, most: int, stderr: float | None = None) -> None:
        error = f", and the standard error of its accuracy would be about {stderr:.2g}" if stderr is not None else ""
        super().__init__(
            f"testing this classifier needs {combinations:,} combinations of answers, expected at most {most:,}{error}",
            "use fewer questions, or a tree, which is tested by its leaves",
        )


class TooManyCells(DeniableError):
    """The table asked for is too large to hold."""

    def __init__(self, names: Iterable[str], cells: int, limit: int) -> None:
        super().__init__(
            f"a table of {', '.join(names)} has {cells:,} cells, expected at most {limit:,}",
            "name fewer questions at once",
        )


class TooManyReplies(DeniableError):
    """More distinct replies than there is memory for, known before they are counted."""

    def __init__(
        self, names: Sequence[str], distinct: int, needed: float, limit: float, fitting: int, variable: str
    ) -> None:
        self.fitting = fitting  # how many of these questions would do
        fewer = f"ask for at most {fitting} of these questions at once" if fitting else "leave out numbers"
        super().__init__(
            f"about {distinct:,} distinct replies to {_few_of(names)} would take {_needed(needed, limit)}",
            f"{fewer}, or {_set(variable, needed)}",
        )


class TooManyRows(DeniableError):
    """More replies than there is memory for, where each is needed by itself."""

    def __init__(self, names: Sequence[str], rows: int, needed: float, limit: float, variable: str) -> None:
        super().__init__(
            f"{rows:,} replies to {_few_of(names)}, each by itself, would take {_needed(needed, limit)}",
            f"give a random sample of them, or {_set(variable, needed)}",
        )


def _few_of(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} others" if len(names) > 4 else "")


def _needed(needed: float, limit: float) -> str:
    return f"{needed / 2**30:.3g} GB, expected at most {limit / 2**30:.3g} GB"


def _set(variable: str, needed: float) -> str:
    return f"set {variable} to {ceil(needed / 2**30)}GB"
