"""Truth that a plan takes for granted: the shares of the answers, as far as they are expected.

A plain number is the share of whatever is planned. Shares by question are those of its answers; several questions are
then taken to be independent. What is not expected is the worst that can be, where the worst is finite.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from numbers import Real

import numpy as np

from deniable.channel.design import Design
from deniable.deniability.whole import Prior, prior_of
from deniable.errors import BadRequest, TooManyCells
from deniable.inference.invert.stack import Table
from deniable.survey.question import Question

Share = float | Mapping[str, Prior] | None
MAX_CELLS = 2**16  # true ones of the questions of one figure


@dataclass(frozen=True)
class Expected:
    """Shares that a collector expects: one of whatever is planned, or those of some questions."""

    share: float | None = None
    by_question: Mapping[str, Prior] = field(default_factory=dict)

    @classmethod
    def of(cls, design: Design, given: Share) -> "Expected":
        """What was given, if it can be."""
        if given is None or (isinstance(given, Real) and not isinstance(given, bool)):
            return cls(None if given is None else _share("share", float(given)))
        if not isinstance(given, Mapping):
            raise BadRequest("share", "a number, or shares by question", given, 'write 0.1 or {"smokes": 0.1}')
        for name, prior in given.items():
            question = design.question(name)
            if question.is_number:
                raise BadRequest(f"the share of {name}", "that of a question with answers", prior, "leave it out")
            if not is_one_of_many(question, prior):
                prior_of(question, prior, "share")
            else:
                _share(f"the share of {name}", float(prior))  # type: ignore[arg-type]
        return cls(None, dict(given))

    def knows(self, name: str) -> bool:
        """Whether shares of this question's answers are expected."""
        return name in self.by_question

    def of_question(self, question: Question) -> "Expected":
        """What is expected of a question that is planned alone."""
        prior = self.by_question.get(question.name)
        if prior is not None and is_one_of_many(question, prior):
            return Expected(float(prior))  # type: ignore[arg-type]
        return self

    def margin(self, question: Question) -> Table:
        """The shares of a question's answers: those expected, or even ones."""
        if question.name in self.by_question:
            return prior_of(question, self.by_question[question.name], "share")
        if question.range is None:
            return prior_of(question)
        widths = np.diff(question.range.edges)
        return np.asarray(widths / widths.sum())

    def table(self, questions: Sequence[Question]) -> Table:
        """The true table of independent questions."""
        cells = prod(len(question) for question in questions)
        if cells > MAX_CELLS:
            raise TooManyCells([question.name for question in questions], cells, MAX_CELLS)
        return np.asarray(reduce(np.multiply.outer, [self.margin(question) for question in questions], np.ones(())))

    def granted(self, questions: Iterable[Question]) -> tuple[str, ...]:
        """In words, what the table of these questions takes for granted."""
        names = [question.name for question in questions]
        evenly = [name for name in names if not self.knows(name)]
        notes = [f"answers to {', '.join(evenly)} taken to be evenly spread"] if evenly else []
        return (*notes, *([f"answers to {', '.join(names)} taken to be independent"] if len(names) > 1 else []))


def is_one_of_many(question: Question, prior: Prior) -> bool:
    """Whether a share is that of any one among more than two answers, and of the others nothing is known."""
    return isinstance(prior, Real) and not isinstance(prior, bool) and len(question) != 2


def _share(what: str, share: float) -> float:
    if not 0 <= share <= 1:
        raise BadRequest(what, "between 0 and 1", share, "leave it out for the worst case")
    return share
