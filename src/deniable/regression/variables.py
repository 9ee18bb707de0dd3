"""Variables of a regression: which of them replies tell as they are, and which a lottery or noise disguises.

clear   replies hold the truth: a question in the clear, the column of versions, a column beside the questions
cells   replies hold a report, from which each true cell gets a signed weight
noise   replies hold a number plus noise of mean zero
"""

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from deniable.channel.design import Design
from deniable.errors import BadFormula, BadRequest, DeniableError, NotIdentified
from deniable.errors.refusal import nearest
from deniable.frame.columns import Column
from deniable.inference.query.query import query_of
from deniable.regression.formula import ParsedFormula
from deniable.regression.outcome import Answers, Floats, Number, OrderedAnswers, Outcome
from deniable.survey.question import Question
from deniable.survey.truths import refuse_beside

MAX_WORDS = 50  # of a column beside the questions
Source = Literal["clear", "cells", "noise"]


@dataclass(frozen=True)
class Variable:
    """A question or column of a formula."""

    question: Question  # as people truly answer it
    source: Source

    @property
    def name(self) -> str:
        """What the formula calls it."""
        return self.question.name

    @property
    def is_number(self) -> bool:
        """Whether a formula takes it as a number: those reported by interval lie in its middle."""
        return self.question.range is not None

    def numbers(self, column: Column) -> Column:
        """The numbers of a column of numbers or of intervals."""
        limits = self.question.range
        if limits is None or not limits.by_interval or column.dtype.kind in "fc":
            return column
        return np.asarray(limits.middles[column])


@dataclass(frozen=True)
class Explained:
    """The outcome of a regression as a variable, and as a model."""

    variable: Variable
    model: Outcome
    mask: Any = None  # [cell] of an expression: where it holds

    @property
    def folds(self) -> Floats | None:
        """What true cells add up to in the model's moments, [cell, m]; none where they are the same."""
        if self.mask is not None:  # the answers of two may only change places
            return np.stack([~self.mask, self.mask], axis=1).astype(float)
        limits = self.variable.question.range
        if self.model.is_number and limits is not None and limits.by_interval:
            return np.stack([np.ones(len(limits.middles)), limits.middles], axis=1)
        return None


def variable_of(design: Design, name: str) -> Variable:
    """A name of the formula, as replies tell it."""
    if name not in design.names:
        _check_few_words(design, name)
        return Variable(design.reported(name), "clear")
    question, block = design.question(name), design.block(name)
    refuse_beside(question)
    if not question.is_number:
        return Variable(question, "clear" if design.is_clear(name) else "cells")
    if block.chosen and not block.asked_by_all(name):
        raise NotIdentified(f"a regression with {name}", "not every version that can be chosen asks it",
                            "ask it in every version")  # fmt: skip
    channels = block.channels_of(name)
    if all(channel.says_the_truth for channel in channels):
        return Variable(question, "clear")
    if any(not channel.says_the_truth and not (channel.noise is not None and len(channel.lottery) == 1)
           for channel in channels):  # fmt: skip
        raise BadRequest("a number in a formula", "in the clear, with noise added, or reported by its interval", name,
                         "leave it out")  # fmt: skip
    return Variable(question, "noise")


def _check_few_words(design: Design, name: str) -> None:
    """Refuse a column of so many words that they are ids or free text, each of which would be a coefficient."""
    column = design.reported(name)
    beside = any(each.name == name for each in design.others)
    if beside and not column.is_number and len(column) > MAX_WORDS:
        expected = f"of at most {MAX_WORDS} different words, or of numbers alone"
        way_out = "group its words, or mend what is no number"
        raise BadRequest(f"the column {name!r} in a formula", expected, len(column), way_out)


def explained(design: Design, formula: ParsedFormula) -> Explained:
    """The outcome of a formula: a name, or an expression about one question."""
    name = formula.outcome.strip("`")
    if name in design.columns:
        found = variable_of(design, name)
        return Explained(found, _model(found))
    if re.fullmatch(r"`[^`]*`|[\w.]+", formula.outcome):
        known = [each for each in design.columns if each not in formula.predictors]
        raise BadFormula(formula.text, f"explains {name!r}, which is no question or column", nearest(name, known))
    try:
        query = query_of(design, formula.outcome)
    except DeniableError as error:
        raise BadFormula(formula.text, f"has no readable outcome: {error.problem}", error.way_out) from error
    if len(query.questions) != 1:
        raise BadFormula(formula.text, "explains several questions at once", "compute one question from them")
    source = variable_of(design, query.questions[0].name).source
    if source == "noise":
        raise BadFormula(formula.text, "explains an interval of a number under noise",
                         f"write {query.questions[0].name} ~ ...")  # fmt: skip
    found = Variable(query.questions[0], source)
    return Explained(found, Answers(formula.outcome, ("no", "yes")), query.masks[0])


def _model(variable: Variable) -> Outcome:
    question = variable.question
    if variable.is_number:
        return Number(question.name, ())
    ordered = question.ordered and not question.optional and len(question) > 2  # a refusal has no place in an order
    return (OrderedAnswers if ordered else Answers)(question.name, question.answers)
