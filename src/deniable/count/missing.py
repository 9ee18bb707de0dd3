"""Complete cases: the replies that answer every question a figure needs, and a note on how many do not.

A cell may be missing, and nobody knows why: a row was cut off, two files were joined. A figure counts the replies that
answer every question it needs, and says how many do not. In the data such a cell is null, like a number skipped on
purpose and a refusal; the question's settings say which it is:

    optional   the answer "prefer not to say", counted like any other
    omit       a skipped number: figures about it leave it out, learners follow every branch
    neither    a missing cell
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct, all_answered, is_answered
from deniable.errors import NoReplies
from deniable.survey.question import Question

MAX_NAMES = 4  # questions that a note names


@dataclass(frozen=True)
class Gaps:
    """How many replies a figure rests on, how many lack a cell that it needs, and in which questions."""

    replies: int
    lacking: int
    used: int
    names: tuple[str, ...] = ()  # the questions with missing cells
    omitted: tuple[str, ...] = ()  # numbers that may be left out
    sampling: str = ""  # what people who were not drawn evenly are worth

    @classmethod
    def of(
        cls,
        questions: Sequence[Question],
        missing: Mapping[str, NDArray[np.bool_]],  # [reply], by question
        counts: NDArray[np.float64],
        used: float | None = None,
    ) -> "Gaps":
        """What some replies lack of these questions; refused if every reply lacks something."""
        replies = round(float(counts.sum()))
        lacking = round(float(counts[lacking_rows(missing, len(counts))].sum()))
        if replies and lacking == replies:
            asked = ", ".join(question.name for question in questions)
            cells = ", ".join(f"{name!r} ({counts[there].sum():.0f})" for name, there in missing.items())
            problem = f"answers {asked}: missing values in {cells}"
            raise NoReplies(f"none of the {replies:,} replies", problem, "fill these cells, or leave a question out")
        omitted = tuple(question.name for question in questions if question.omit)
        return cls(replies, lacking, replies - lacking if used is None else round(used), tuple(missing), omitted)

    @property
    def note(self) -> str:
        """A note for readers; empty where no cell is missing and people were drawn evenly."""
        return "; ".join(filter(None, [self.sentence("rests on"), self.sampling]))

    def sentence(self, verb: str) -> str:
        """The same for another use of the replies."""
        if not self.lacking:
            return ""
        why = [f"{self.lacking:,} {'lacks' if self.lacking == 1 else 'lack'} {_any_of(self.names)}"]
        if left_out := self.replies - self.lacking - self.used:
            why.append(f"{left_out:,} left out {_any_of(self.omitted)}")
        return f"{verb} {self.used:,} of {self.replies:,} replies: {' and '.join(why)}; they may differ"


NO_GAPS = Gaps(0, 0, 0)


def complete(counts: Counts, questions: Sequence[Question], answered: bool = True) -> tuple[Distinct, Gaps]:
    """The distinct replies that lack no cell of these (reported) questions, and what the others lack.

    With `answered`, replies with a skipped number are left out too.
    """
    questions = list({question.name: question for question in questions}.values())
    replies = counts.distinct([question.name for question in questions], answered=False)
    found = complete_ones(replies, questions, answered)
    missing = missing_cells(questions, replies.columns)
    return found, Gaps.of(questions, missing, replies.counts, float(found.counts.sum()))


def complete_ones(replies: Distinct, questions: Sequence[Question], answered: bool = True) -> Distinct:
    """Those of some replies that lack no cell of these (reported) questions."""
    missing = missing_cells(questions, replies.columns)
    found = replies.only(~lacking_rows(missing, len(replies.counts))) if missing else replies
    return found.answered(answered and any(question.omit for question in questions))


def missing_cells(
    questions: Sequence[Question], columns: Mapping[str, NDArray[np.generic]]
) -> dict[str, NDArray[np.bool_]]:
    """Where replies lack a cell, [reply], of those questions of which any do."""
    needed = [question.name for question in questions if not question.omit]
    return {name: ~is_answered(columns[name]) for name in needed if not all_answered(columns[name])}


def lacking_answers(design: Design, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.bool_]]:
    """Where replies lack an answer that their version asks for, [reply], of those questions of which any do."""
    found = {}
    for block in design.versioned:
        for name in block.names if block.column in columns else ():
            if name in columns and not design.question(name).omit:
                versions = columns[str(block.column)]
                asks = np.array([name in version.names for version in block.versions])
                found[name] = (versions >= 0) & asks[versions] & ~is_answered(columns[name])
    return {name: there for name, there in found.items() if there.any()}


def lacking_rows(missing: Mapping[str, NDArray[np.bool_]], rows: int) -> NDArray[np.bool_]:
    """The replies that lack a cell."""
    lacking = np.zeros(rows, dtype=bool)
    for there in missing.values():
        lacking |= there
    return lacking


def _any_of(names: Sequence[str]) -> str:
    shown = (
        list(names) if len(names) <= MAX_NAMES else [*names[: MAX_NAMES - 1], f"{len(names) - MAX_NAMES + 1} others"]
    )
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
