"""Learning task: the design, the target and the replies to learn from.

Learners see the design and the distinct replies of `Counts`, never their source. Replies have one order whatever
engine counted them, so that every engine gives the same tree. Single replies are needed only for numbers under noise,
which are sorted and assigned to cells, and for numbers that somebody skipped.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.schemes import clear
from deniable.count.counts import ArrayCounts, Counts, Distinct, all_answered
from deniable.count.cut import in_cells
from deniable.count.missing import Gaps, complete, lacking_answers, lacking_rows
from deniable.count.packed import MAX_KEYS
from deniable.count.possible import WatchedCounts
from deniable.count.replies import counts_of, refuse_lacking, warn_of_rows
from deniable.errors import BadRequest, MissingColumns, TooManyReplies
from deniable.frame.columns import Column, Missing, refuses, reported_columns
from deniable.frame.frames import arrow, eager
from deniable.inference.heaping import heaping_note
from deniable.inference.invert.reported import Reported
from deniable.inference.population.records import Records, Rows
from deniable.learn.columns import Columns, QuestionColumns, cells_of_replies, features_of, reported_replies
from deniable.learn.wide import MIN_QUESTIONS, strongest
from deniable.survey.question import Question
from deniable.survey.truths import refuse_beside


@dataclass(frozen=True, eq=False)
class Task:
    """The columns, the target (a question of the design) and the replies."""

    columns: Columns
    given: Design | None  # None: everything is asked in the clear
    target: Question
    reported: tuple[Column, ...]  # of distinct replies, the target last: reported cells or numbers
    counts: NDArray[np.float64]  # how many people gave each
    chosen: tuple[int, ...] = ()  # the questions to be reconstructed together, if any
    merged: Mapping[int, Sequence[Sequence[int]]] = field(default_factory=dict)  # groups of answers, by question
    note: str = ""  # how many replies lack a cell, and which numbers people seem to round
    versions: Mapping[str, Column] = field(default_factory=dict)  # of the replies, by the columns that name them

    @cached_property
    def records(self) -> Records:
        """Distinct replies as reported cells, in the one order; replies that are taken one by one in theirs."""
        found = self.unsorted_records
        as_they_are = self.given is None or self.versions or self.one_by_one
        return found if as_they_are or prod(found.sizes) <= MAX_KEYS else found.in_order()

    @cached_property
    def unsorted_records(self) -> Records:
        """The same in any order, where there are too many possible ones to be sorted by being counted."""
        if self.given is None:
            return Records.of(self.reported, (*self.columns.sizes, len(self.target)), self.counts)
        return records_of(self.given, self.questions, self.reported, self.counts)

    @property
    def replies(self) -> Distinct:
        """Distinct replies by the names of their questions, with their versions if they have some."""
        names = [question.name for question in self.questions]
        if not self.versions:
            return self.records.named(names)
        return Distinct({**self.versions, **dict(zip(names, self.reported, strict=True))}, self.counts)

    @property
    def n(self) -> int:
        """How many replies there are."""
        return round(float(self.counts.sum()))

    @cached_property
    def design(self) -> Design:
        """The design, or one that asks all columns in the clear."""
        return self.given or Design([clear(question) for question in self.questions], check_text=False)

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """All questions, the target last."""
        return (*self.columns.questions, self.target)

    @cached_property
    def channels(self) -> list[Channel]:
        """The channels of these questions."""
        blocks = self.design.blocks_of(question.name for question in self.questions)
        return [channel for block in blocks for channel in block.channels]

    @property
    def is_clear(self) -> bool:
        """Whether all replies are the truth: asked in the clear, or by lotteries that always say it."""
        return self.given is None or all(self.design.is_unchanged(question.name) for question in self.questions)

    @cached_property
    def absent(self) -> set[int]:
        """The indices of numbers that somebody skipped."""
        if self.versions:  # where a question that is not asked was not skipped
            return set()
        return {index for index, reported in enumerate(self.reported) if not all_answered(reported)}

    def part(self, rows: Rows) -> "Task":
        """The same task with some of the replies."""
        versions = {name: column[rows] for name, column in self.versions.items()}
        reported = tuple(column[rows] for column in self.reported)
        return replace(self, reported=reported, counts=self.counts[rows], versions=versions)

    @property
    def under_noise(self) -> list[int]:
        """The indices of numbers under noise."""
        if self.given is None:
            return []
        return [index for index, each in enumerate(self.questions[:-1]) if self.design.has_noise(each.name)]

    @cached_property
    def one_by_one(self) -> bool:
        """Whether replies are needed one by one."""
        return bool(self.under_noise or self.absent)

    def parted(self) -> "Task":
        """The same task reply by reply, shuffled the same way wherever they were counted, where that is needed."""
        if not self.one_by_one:
            return self
        names = [*self.columns.names, self.target.name]
        found = Distinct(dict(zip(names, self.reported, strict=True)), self.counts).one_by_one()
        return replace(self, reported=tuple(found.columns.values()), counts=found.counts)


def task_of_replies(design: Design, replies: Any, name: str | None, missing: Missing) -> Task:
    """The task of predicting the named target (or the design's) from replies, as `dn.estimate` takes them."""
    target = target_of(design, name or design.target)
    counts = counts_of(design, replies, missing)
    asked = [design.question(each) for each in counts.names if each in design.names and each != target.name]
    questions = tuple(each for each in asked if each.beside is None)
    if lacking := [each for each in design.names if each not in counts.names]:
        with suppress(MissingColumns):  # what is not there is not learnt from, but one-hot columns are refused
            counts.distinct(lacking)
    if not questions:
        raise BadRequest("replies", "answers to other questions than the target", target.name, "add a question")
    refuse_noise_of_versions(design, (*questions, target))  # before anything is collected
    counts = learnable(counts, design, questions)
    kept = strongest(design, counts, questions, target)
    warn_of_rows(design, replies, [each.name for each in kept])
    try:
        task = _task(design, counts, QuestionColumns(kept), target)
    except TooManyReplies as refused:
        if len(kept) == len(questions) or refused.fitting < MIN_QUESTIONS:
            raise
        kept = strongest(design, counts, questions, target, refused.fitting - 1)  # beside the target
        task = _task(design, counts, QuestionColumns(kept), target)
    if mixed := [each.name for each in asked if each.beside is not None]:
        left_out = f"not learnt from, since reports depend on another answer as well: {', '.join(mixed)}"
        task = replace(task, note="; ".join(filter(None, [task.note, left_out])))
    if len(kept) == len(questions):
        return task
    note = f"learnt from the {len(kept)} of {len(questions)} questions that tell most about {target.name}"
    return replace(task, note="; ".join(filter(None, [task.note, note])))


def task_of_columns(design: Design, X: Any, y: Any, missing: Missing) -> Task:  # noqa: N803
    """The task of predicting y (the question of its name, else the design's target) from X."""
    target = target_of(design, name if (name := getattr(y, "name", None)) in design.names else design.target)
    columns = features_of(design, X, target.name)
    answers = np.asarray(y)
    if answers.ndim > 1 and answers.shape[1] != 1:
        way_out = "put one-hot columns together again: pandas.from_dummies(y)"
        raise BadRequest("y", f"one column with the answers to {target.name}", f"{answers.shape[1]} columns", way_out)
    answers = answers.reshape(-1, 1)
    if not len(answers):
        raise BadRequest("X", "at least one reply", 0, "collect replies first")
    reported = [
        *reported_replies(design, columns.questions, X, missing),
        *reported_replies(design, [target], answers, missing),
    ]
    if len({len(column) for column in reported}) > 1:
        raise BadRequest(
            "y", f"as long as X ({len(reported[0])})", len(answers), "give one target answer for each reply"
        )
    named = dict(zip([*columns.names, target.name], reported, strict=True))
    counts = ArrayCounts(versions_of(design, named, X) | named)
    if refuses(missing):
        refuse_lacking(design, counts)
    return _task(design, WatchedCounts(design, counts), columns, target)


def refuse_noise_of_versions(design: Design, questions: Sequence[Question]) -> None:
    """Refuse numbers under noise where replies to these questions come in versions."""
    names = [question.name for question in questions]
    noisy = [name for name in names if design.has_noise(name)]
    if noisy and any(not block.is_plain for block in design.blocks_of(names)):
        expected = "without numbers under noise where a design has versions"
        raise BadRequest("replies", expected, ", ".join(noisy), "leave them out")


def versions_of(design: Design, names: Iterable[str], replies: Any) -> dict[str, Column]:
    """The versions that a frame of replies names, of those blocks that these questions belong to."""
    columns = [name for name in design.columns_of(names) if name not in design.names]
    if not columns:
        return {}
    known = [design.reported(name) for name in columns]
    frame = eager(replies, "X")
    if lacking := [name for name in columns if name not in frame.columns]:
        raise MissingColumns(lacking, frame.columns, what="of versions ")
    return reported_columns(known, lambda name: arrow(frame[name]), frame.columns)


def _task(design: Design, counts: Counts, columns: QuestionColumns, target: Question) -> Task:
    asked = design.columns_of(question.name for question in (*columns.questions, target))
    if versions := [name for name in asked if name not in design.names]:
        found = counts.distinct(asked, answered=False).in_order()
        reported = tuple(found.columns[question.name] for question in (*columns.questions, target))
        known = Reported.of(design, found, [target])
        note = "; ".join(filter(None, [known.gaps.note, _lacking_note(design, found, target.name), known.note]))
        return Task(columns, design, target, reported, found.counts, note=note,
                    versions={name: found.columns[name] for name in versions})  # fmt: skip
    whole, gaps = complete_replies(design, counts, [*columns.questions, target], answered=False)
    reported = tuple(whole.columns.values())  # replies with a skipped number are kept
    note = "; ".join(filter(None, [gaps.note, heaping_note(design, whole, columns.questions)]))
    return Task(columns, design, target, reported, whole.counts, note=note).parted()


def _lacking_note(design: Design, replies: Distinct, target: str) -> str:
    """How many replies lack an answer that their version asks for; what they do answer counts."""
    lacking = lacking_answers(design, replies.columns)
    lacking.pop(target, None)  # without which a reply teaches nothing: that is said apart
    count = round(float(replies.counts[lacking_rows(lacking, len(replies.counts))].sum()))
    return Gaps(replies.n, count, replies.n - count, tuple(lacking)).sentence("complete are")


def learnable(counts: Counts, design: Design, questions: Sequence[Question]) -> Counts:
    """Counts in which numbers in the clear are told by their cells; beside numbers under noise they are cut anew."""
    return counts if any(design.has_noise(each.name) for each in questions) else in_cells(counts, design, questions)


def complete_replies(
    design: Design, counts: Counts, questions: Sequence[Question], answered: bool = True
) -> tuple[Distinct, Gaps]:
    """The distinct replies to these questions without missing cells, and what the others lack."""
    return complete(counts, [design.reported(question) for question in questions], answered)


def records_of(
    design: Design, questions: Sequence[Question], reported: Sequence[Column], counts: NDArray[np.float64]
) -> Records:
    """Distinct replies to some questions, the target last, as reported cells."""
    asked = [design.reported(question) for question in questions]
    return Records.of(cells_of_replies(asked, reported), tuple(map(len, asked)), counts)


def target_of(design: Design, name: str | None) -> Question:
    """The question to predict."""
    if name is None:
        raise BadRequest("the target", "a question of the design", None, "name it, or set target in the design")
    question = design.question(name)
    refuse_beside(question)
    if question.range is not None:
        raise BadRequest("the target", "a question with answers", name, "choose another, or ask it with answers")
    return question


def kind_of_answers(replies: Any, name: str) -> type:
    """The Python type of a question's answers in some replies: bool, int or str."""
    try:
        kind = nw.from_native(replies).collect_schema()[name]
    except (TypeError, KeyError):
        return str
    return bool if kind == nw.Boolean else int if kind.is_integer() else str
