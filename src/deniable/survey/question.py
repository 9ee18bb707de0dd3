"""Question: its name, its wording, and its answers or the range of a number.

A question has answers, and an answer's position is its *cell*. A number is a question too: its cells
are intervals of its range, so that everything that counts cells counts numbers as well.

>>> yes_no("smokes").answers
('no', 'yes')
>>> Question("color", ["red", "blue"], optional=True).answers
('red', 'blue', 'prefer not to say')
>>> number("age", 18, 80, cells=3).answers
('18 to 38.6667', '38.6667 to 59.3333', '59.3333 to 80')
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite, ulp
from numbers import Real
from typing import TypedDict, Unpack

import numpy as np

from deniable.errors import BadQuestion, UnknownAnswer
from deniable.notebook import shortened
from deniable.survey.formula import Formula, formula
from deniable.survey.range import GRID, Range, edges_between, edges_of, interval_words
from deniable.survey.skip import NOT_ASKED, Condition, condition

REFUSAL = "prefer not to say"
FEW_ANSWERS = 6  # that are shown at a prompt
PAGE_WORDS = ("section", "help", "multiple", "matrix")


class OnPage(TypedDict, total=False):
    """Where and when the page asks a question."""

    section: str  # questions of one section have a page of their own
    help: str
    multiple: str  # what is asked of several such questions, of which people tick those that hold
    matrix: str  # what is asked of several questions with the same answers, in one table
    ask_if: str | Condition | None  # asked of those only for whom this holds
    otherwise: str | float | None  # the answer of all others; "does not apply" unless given


@dataclass(frozen=True, init=False)
class Question:
    """One thing we ask, and the answers we accept.

    An optional question also accepts "prefer not to say", an answer like any other and disguised
    like any other, because a visible refusal would be information.
    """

    name: str
    answers: tuple[str, ...]
    wording: str = ""
    optional: bool = field(default=False, kw_only=True)
    ordered: bool = field(default=False, kw_only=True)
    omit: bool = field(default=False, kw_only=True)
    range: Range | None = field(default=None, kw_only=True)
    sensitive: str | None = field(default=None, kw_only=True)  # the answer people would rather deny; analysis only
    values: tuple[float, ...] | None = field(default=None, kw_only=True)  # of the answers, for computed questions
    formula: Formula | None = field(default=None, kw_only=True)  # by which the device computes the answer
    merges: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)  # words of data, the answers they count as
    asked: "Question | None" = field(default=None, kw_only=True)  # as people answer it, where more can be true of them
    liars: tuple[int, ...] = field(default=(), kw_only=True)  # what those report whose truths come last, whatever drawn
    beside: "Question | None" = field(default=None, kw_only=True)  # never sent; its answers times its own are the cells
    section: str = field(default="", kw_only=True)  # see OnPage
    help: str = field(default="", kw_only=True)
    multiple: str = field(default="", kw_only=True)
    matrix: str = field(default="", kw_only=True)
    ask_if: Condition | None = field(default=None, kw_only=True)
    otherwise: str | float | None = field(default=None, kw_only=True)

    def __init__(
        self,
        name: str,
        answers: Sequence[str | int],
        wording: str = "",
        *,
        optional: bool = False,
        ordered: bool = False,
        omit: bool = False,
        range: Range | None = None,
        sensitive: str | int | None = None,
        values: Sequence[float] | None = None,
        formula: Formula | None = None,
        merges: Mapping[str, Sequence[str]] | Sequence[tuple[str, str]] = (),
        asked: "Question | None" = None,
        liars: Sequence[int] = (),
        beside: "Question | None" = None,
        **page: Unpack[OnPage],
    ) -> None:
        if isinstance(answers, str):
            raise BadQuestion(name, f"needs a list of answers, got the text {answers!r}", 'write ["no", "yes"]')
        if any(not isinstance(answer, str | int) for answer in answers):
            raise BadQuestion(name, f"needs words as answers, got {list(answers)}", 'write ["no", "yes"]')
        words = tuple(str(answer) for answer in answers)
        if optional and REFUSAL not in words:
            words = (*words, REFUSAL)
        if page.get("ask_if") is not None and page.get("otherwise") is None and range is None and asked is None:
            words = (*(word for word in words if word != NOT_ASKED), NOT_ASKED)
        for key, value in {
            "name": name,
            "answers": words,
            "wording": wording,
            "optional": optional,
            "ordered": ordered,
            "omit": omit,
            "range": range,
            "sensitive": None if sensitive is None else str(sensitive),
            "values": None if values is None else tuple(values),
            "formula": formula,
            "merges": _merges(name, merges),
            "asked": asked,
            "liars": tuple(liars),
            "beside": beside,
            **_on_page(name, page),
        }.items():
            object.__setattr__(self, key, value)
        self._check()

    def _check(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise BadQuestion(self.name, "needs a name of at least one letter", "give it one")
        if "`" in self.name:
            raise BadQuestion(self.name, "has a backtick in its name, which expressions use", "choose another name")
        if self.name == "_design":
            raise BadQuestion(self.name, "has a name that replies files use themselves", "choose another name")
        if len(self.answers) < 2 and self.range is None:
            raise BadQuestion(self.name, f"needs two answers or more, got {len(self.answers)}", "add answers")
        if len(set(self.answers)) < len(self.answers):
            twice = next(answer for answer in self.answers if self.answers.count(answer) > 1)
            raise BadQuestion(self.name, f"has the answer {twice!r} twice", "remove one of them")
        if any(not answer.strip() for answer in self.answers):
            raise BadQuestion(self.name, "has an empty answer", "give every answer a word; empty means missing")
        if self.sensitive is not None and self.sensitive not in self.answers:
            raise BadQuestion(self.name, f"has no answer {self.sensitive!r} that could be sensitive",
                              f"name one of {', '.join(self.answers[:5])}")  # fmt: skip
        for word, answer in self.merges:
            if word in self.answers or answer not in self.answers:
                raise BadQuestion(self.name, f"cannot count {word!r} as {answer!r}",
                                  'write merges = { "an answer" = ["other words", "of the data"] }')  # fmt: skip
        self._check_values()
        self._check_range()
        self._check_page()

    def _check_values(self) -> None:
        if self.values is None:
            return
        numbers = [value for value in self.values if isinstance(value, Real) and not isinstance(value, bool)]
        if (
            len(numbers) != len(self.answers)
            or len(self.values) != len(self.answers)
            or not all(map(isfinite, numbers))
        ):
            raise BadQuestion(self.name, f"needs {len(self.answers)} numbers as values, got {list(self.values)}",
                              "give one for each answer")  # fmt: skip

    def _check_range(self) -> None:
        if self.range is None and self.omit:
            raise BadQuestion(self.name, "has answers, so it cannot have omit = true", "use optional = true")
        if self.range is not None and self.optional:
            raise BadQuestion(self.name, "is a number, which cannot be optional: a refusal would be visible",
                              "use omit = true, which says so")  # fmt: skip

    def _check_page(self) -> None:
        if self.multiple and (len(self.answers) != 2 or self.range is not None):
            raise BadQuestion(self.name, "is ticked or not, so it needs two answers", 'write answers = ["no", "yes"]')
        if self.multiple and self.matrix:
            raise BadQuestion(self.name, "has both multiple and matrix", "leave one of them out")
        if self.matrix and self.range is not None:
            raise BadQuestion(self.name, "is a number, which no matrix has", "give it answers, or leave matrix out")
        if self.ask_if is None:
            if self.otherwise is not None:
                raise BadQuestion(self.name, "has otherwise, but is asked of everybody", "add ask_if, or leave it out")
            return
        if self.range is None:
            if self.otherwise is not None and self.otherwise not in self.answers:
                raise BadQuestion(self.name, f"has no answer {self.otherwise!r} for those who are not asked",
                                  f"write otherwise = one of {', '.join(self.answers[:5])}")  # fmt: skip
        elif not isinstance(self.otherwise, int | float) or not self.range.low <= self.otherwise <= self.range.high:
            raise BadQuestion(self.name, "is a number and not asked of everybody, but lacks a number for the others",
                              f"write otherwise = {self.range.low:g}")  # fmt: skip

    def __len__(self) -> int:
        return len(self.answers)

    def __repr__(self) -> str:
        if self.range is not None:
            return f"Question({self.name!r}, {self.range.low:g} to {self.range.high:g} in {len(self)} cells)"
        words = [repr(shortened(answer, 30)) for answer in self.answers]
        few = words if len(words) <= FEW_ANSWERS else [*words[: FEW_ANSWERS - 1], f"{len(words)} answers in all"]
        return f"Question({self.name!r}, [{', '.join(few)}])"

    @property
    def plain(self) -> "Question":
        """The question as people answer it, without truths that exist in the analysis only."""
        return self if self.asked is None else self.asked

    @property
    def parts(self) -> tuple["Question", ...]:
        """The questions whose answers its cells combine: itself, or itself and the one beside it."""
        return (self,) if self.beside is None else (self.plain, self.beside)

    @property
    def is_number(self) -> bool:
        """Whether people give, and replies hold, a number rather than one of the answers."""
        return self.range is not None and not self.range.by_interval

    def cell(self, answer: str) -> int:
        """The position of an answer."""
        if answer not in self.answers:
            raise UnknownAnswer(self.name, [answer], self.answers)
        return self.answers.index(answer)

    @property
    def offered(self) -> tuple[str, ...]:
        """The answers that people may pick: all but the one of those who are not asked."""
        return self.answers[:-1] if self.adds_answer else self.answers

    @property
    def adds_answer(self) -> bool:
        """Whether those who are not asked have an answer of their own."""
        return self.ask_if is not None and self.otherwise is None

    @property
    def otherwise_answer(self) -> float:
        """What is answered for those who are not asked: a cell, or a number."""
        if self.range is None:
            return self.cell(NOT_ASKED if self.otherwise is None else str(self.otherwise))
        given = float(self.otherwise or 0.0)
        return given if self.is_number else int(self.range.cells(np.array([given]))[0])

    @property
    def sensitive_cell(self) -> int:
        """The position of the answer that people would rather deny: the second unless another is named."""
        return 1 if self.sensitive is None else self.cell(self.sensitive)

    def with_range(self, limits: Range) -> "Question":
        """The same number, cut into other cells."""
        return replace(self, answers=interval_words(limits), range=limits)


def _merges(name: str, given: Mapping[str, Sequence[str]] | Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Words of data and the answers that they count as, given as pairs or by answer."""
    if not isinstance(given, Mapping):
        return tuple(given)
    if any(isinstance(words, str) or not isinstance(words, Sequence) for words in given.values()):
        raise BadQuestion(name, "needs lists of words in merges", 'write merges = { "b or c" = ["b", "c"] }')
    return tuple((str(word), str(answer)) for answer, words in given.items() for word in words)


def _on_page(name: str, page: OnPage) -> dict[str, object]:
    """Where and when the page asks a question, checked."""
    for key in page:
        if key not in OnPage.__annotations__:
            raise TypeError(f"Question() got an unexpected keyword argument {key!r}")
    words = {key: page.get(key, "") for key in PAGE_WORDS}
    for key, text in words.items():
        if not isinstance(text, str):
            raise BadQuestion(name, f"needs a text as {key}, got {text!r}", "correct it")
    given, otherwise = page.get("ask_if"), page.get("otherwise")
    if isinstance(otherwise, bool) or not isinstance(otherwise, str | int | float | None):
        raise BadQuestion(name, f"needs an answer as otherwise, got {otherwise!r}", "name one of its answers")
    when = condition(given) if given is not None and not isinstance(given, Condition) else given
    return {**words, "ask_if": when, "otherwise": otherwise}


def column_of(name: str, words: Sequence[str]) -> Question:
    """A column of replies that nobody is asked about, as a question; it may have a single answer."""
    return _altered(yes_no(name), answers=tuple(words))


def free_number(name: str) -> Question:
    """A column of replies that holds numbers nobody is asked about, without limits."""
    infinite = Range(float("-inf"), float("inf"), (float("-inf"), float("inf")))
    return _altered(yes_no(name), answers=("any number",), ordered=True, range=infinite)


def sometimes_asked(question: Question) -> Question:
    """A question that replies may lack, since not everybody was asked."""
    return _altered(question, omit=True)


def _altered(question: Question, **fields: object) -> Question:
    """The same with other fields, which no survey could have: only replies need them."""
    made = copy(question)
    for key, value in fields.items():
        object.__setattr__(made, key, value)
    return made


def computed(name: str, text: str, wording: str = "") -> Question:
    """A question that the device answers itself, no or yes, from other answers that are never sent.

    `computed("depressed", "phq1 + phq2 + phq3 >= 6")`: the others are numbers, or have `values`.
    """
    return Question(name, ("no", "yes"), wording, formula=formula(text))


def yes_no(name: str, wording: str = "", **page: Unpack[OnPage]) -> Question:
    """A question answered by no (cell 0) or yes (cell 1)."""
    return Question(name, ("no", "yes"), wording, **page)


def multiple(wording: str, options: Mapping[str, str], **page: Unpack[OnPage]) -> list[Question]:
    """A question with several answers: a yes-no question for each option, shown as boxes to tick.

    `multiple("Which of these have you taken?", {"cannabis": "Cannabis", "cocaine": "Cocaine"})`: names and wordings.
    """
    page["multiple"] = wording
    return [yes_no(name, text, **page) for name, text in options.items()]


def matrix(
    wording: str,
    answers: Sequence[str | int],
    items: Mapping[str, str],
    *,
    ordered: bool = False,
    **page: Unpack[OnPage],
) -> list[Question]:
    """Questions with the same answers, shown as one table: names and wordings of the items."""
    page["matrix"] = wording
    return [Question(name, answers, text, ordered=ordered, **page) for name, text in items.items()]


def number(
    name: str,
    low: float,
    high: float,
    wording: str = "",
    *,
    cells: int | None = None,
    cuts: Sequence[float] | None = None,
    integer: bool = False,
    omit: bool = False,
    **page: Unpack[OnPage],
) -> Question:
    """A question answered by a number between low and high.

    Its cells are `cells` intervals of equal width, or the intervals between `cuts`; by default one per
    whole number where that is at most 100, and 20 otherwise.
    """
    plain = all(isinstance(end, Real) and not isinstance(end, bool) for end in (low, high))
    if not plain or not low < high or not isfinite(high - low):
        raise BadQuestion(name, f"needs a range from a low to a higher number, got [{low}, {high}]", "correct it")
    if high - low < GRID * ulp(max(abs(low), abs(high))):
        raise BadQuestion(
            name, f"has a range too narrow for numbers as large as {high:g}", "count from another point than zero"
        )
    if integer and (low != round(low) or high != round(high)):
        raise BadQuestion(name, f"counts whole numbers, but its range is [{low}, {high}]", "use whole limits")
    if not isinstance(omit, bool):
        raise BadQuestion(name, f"needs omit as True or False, got {omit!r}", "correct it")
    if cells is not None and cuts is not None:
        raise BadQuestion(name, "has both cells and cuts", "give one of them")
    if cuts is not None:
        edges = edges_between(name, low, high, cuts, integer)
    else:
        edges = edges_of(name, low, high, cells, integer)
    limits = Range(low, high, edges, integer=integer, chosen=cells is not None or cuts is not None)
    return Question(name, interval_words(limits), wording, ordered=True, omit=omit, range=limits, **page)
