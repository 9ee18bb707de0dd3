"""Pilot: a few people asked in the clear, who say which questions tell most about the target, and which answers.

Answers that say the same of the target are merged: a version of fewer cells is said more loudly at the same epsilon.
Two answers are merged where that loses least information about the target, as long as what is left, heard as loudly as
its cells allow, grows:

    heard = I(target; answers) * p^2,     p = (e^epsilon - 1) / (e^epsilon - 1 + cells of the pair)

legend: I mutual information, of counts with half a person added to each cell
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import expm1
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadRequest
from deniable.frame.columns import true_columns
from deniable.frame.frames import arrow, eager
from deniable.frame.in_memory import in_memory
from deniable.inference.independence import mutual_information
from deniable.survey.question import Question, number
from deniable.survey.range import Range

MIN_PEOPLE = 30
BANDS = 8  # of a number, before they are merged
ADDED = 0.5  # people in each cell

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pilot:
    """True answers of a few people, and the questions they answered."""

    frame: Any
    questions: tuple[Question, ...]
    cells: Mapping[str, NDArray[Any]]  # [person] by question; of numbers that are not told by interval the numbers

    @classmethod
    def of(cls, questions: Sequence[Question], people: Any) -> "Pilot":
        """The pilot's answers, checked."""
        frame = eager(people, "pilot")
        if len(frame) < MIN_PEOPLE:
            raise BadRequest("pilot", f"{MIN_PEOPLE} people or more", len(frame), "ask more people, or leave it out")
        return cls(people, (), {}).asked(questions)

    @property
    def n(self) -> int:
        """How many people it has."""
        return len(next(iter(self.cells.values())))

    def people(self, rows: NDArray[np.intp], names: Sequence[str]) -> Any:
        """What some of them answered, as a frame."""
        return eager(self.frame, "pilot")[rows.tolist()].select(*names).to_native()

    def part(self, rows: NDArray[np.intp]) -> "Pilot":
        """Some of its people."""
        cells = {name: column[rows] for name, column in self.cells.items()}
        return Pilot(eager(self.frame, "pilot")[rows.tolist()].to_native(), self.questions, cells)

    def question(self, name: str) -> Question:
        """The question of that name."""
        return next(question for question in self.questions if question.name == name)

    def table(self, *names: str) -> Floats:
        """Counts of people by their answers to some questions, and half a person in each cell."""
        shape = [len(self.question(name)) for name in names]
        found = np.full(shape, ADDED)
        np.add.at(found, tuple(self.cells[name] for name in names), 1.0)
        return found

    def shares(self, *names: str) -> Floats:
        """The share of people with each combination of answers to some questions."""
        found = self.table(*names)
        return np.asarray(found / found.sum())

    def information(self, name: str, target: str) -> float:
        """What a question tells about the target, less what chance makes of as many people."""
        table = self.table(name, target)
        chance = (table.shape[0] - 1) * (table.shape[1] - 1) / (2 * self.n)
        return float(mutual_information(table) - chance)

    def strongest(self, target: str) -> list[str]:
        """The other questions, those first that tell most about the target."""
        others = [question.name for question in self.questions if question.name != target]
        return sorted(others, key=lambda name: -self.information(name, target))

    def asked(self, questions: Sequence[Question]) -> "Pilot":
        """The same people's answers to other questions, which may be some of these with their answers merged."""
        frame = eager(self.frame, "pilot")
        answers = true_columns(questions, lambda name: arrow(frame[name]), frame.columns)
        kinds = {each.name: np.float64 if each.is_number else np.int64 for each in questions}
        return Pilot(self.frame, tuple(questions), {name: answers[name].astype(kinds[name]) for name in answers})

    def merged(self, name: str, target: str, epsilon: float) -> Question:
        """A question with those answers merged that say the same of the target."""
        question, table = self.question(name), self.table(name, target)
        if name == target or question.optional:
            return question
        odds, classes = expm1(epsilon), table.shape[1]

        def heard(groups: Sequence[Sequence[int]]) -> float:
            loud = odds / (odds + classes * len(groups))
            return float(mutual_information(_joined(table, groups)) * loud**2)

        return _with_groups(question, max(_merging(table, question.ordered), key=heard))


def held(people: Any, names: Sequence[str], beside: Sequence[str] = ()) -> Any:
    """A pilot in memory, since surveys are simulated among its people: of a lazy frame these columns, read once."""
    return in_memory(people, names, "pilot", "give a random sample of them", beside)


def banded(question: Question, pilot: Any = None) -> Question:
    """A number without cells of its own in a few bands, as even in people as a pilot tells; all else as it is."""
    limits = question.range
    if limits is None:
        return question
    if limits.chosen:
        return _by_interval(question)
    if pilot is None or question.name not in (frame := eager(pilot, "pilot")).columns:
        cuts = np.linspace(limits.low, limits.high, BANDS // 2 + 1)[1:-1]
    else:
        (values,) = true_columns([question], lambda name: arrow(frame[name]), frame.columns).values()
        cuts = np.quantile(values[~np.isnan(values)], np.linspace(0, 1, BANDS + 1)[1:-1])
    cuts = np.unique(np.round(cuts) if limits.integer else cuts)
    kept = [float(cut) for cut in cuts if limits.low < cut < limits.high]
    return _cut(question, limits, kept)


def _cut(question: Question, limits: Range, cuts: Sequence[float]) -> Question:
    """A number by the intervals between these cuts."""
    made = number(question.name, limits.low, limits.high, question.wording, cuts=cuts, integer=limits.integer)
    return _by_interval(made)


def _by_interval(question: Question) -> Question:
    """A number as its interval, which must be answered: a visible gap has no epsilon."""
    assert question.range is not None
    return replace(question, omit=False).with_range(replace(question.range, by_interval=True))


def _merging(table: Floats, ordered: bool) -> Iterator[list[list[int]]]:
    """Answers in ever fewer groups, two at last, by the merger that loses least information each time."""
    groups = [[cell] for cell in range(len(table))]
    yield groups
    while len(groups) > 2:
        count = len(groups)
        pairs = [
            (one, two) for one in range(count) for two in range(one + 1, min(count, one + 2) if ordered else count)
        ]
        groups = max(
            (_merged(groups, *pair) for pair in pairs), key=lambda some: mutual_information(_joined(table, some))
        )
        yield groups


def _merged(groups: Sequence[list[int]], one: int, two: int) -> list[list[int]]:
    rest = [group for index, group in enumerate(groups) if index not in (one, two)]
    return sorted([*rest, sorted([*groups[one], *groups[two]])])


def _joined(table: Floats, groups: Sequence[Sequence[int]]) -> Floats:
    return np.array([table[list(group)].sum(axis=0) for group in groups])


def _with_groups(question: Question, groups: Sequence[Sequence[int]]) -> Question:
    """The question whose answers are groups of the former ones."""
    if len(groups) == len(question):
        return question
    if (limits := question.range) is not None:
        cuts = [limits.edges[group[0]] + limits.integer / 2 for group in groups[1:]]
        return _cut(question, limits, cuts)
    words = [_either([question.answers[cell] for cell in group]) for group in groups]
    former = {answer: [word for word, meant in question.merges if meant == answer] for answer in question.answers}
    merges = {
        word: [
            each for cell in group for each in (question.answers[cell], *former[question.answers[cell]]) if each != word
        ]
        for word, group in zip(words, groups, strict=True)
    }
    sensitive = None if question.sensitive is None else _word_of(question.sensitive_cell, words, groups)
    return Question(
        question.name, words, question.wording, ordered=question.ordered, sensitive=sensitive, merges=merges
    )


def _word_of(cell: int, words: Sequence[str], groups: Sequence[Sequence[int]]) -> str:
    return next(word for word, group in zip(words, groups, strict=True) if cell in group)


def _either(words: Sequence[str]) -> str:
    """One of these words: "a, b or c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
