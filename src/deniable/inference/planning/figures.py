"""Figures that can be planned: shares of questions, of expressions and of table cells, and means of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from deniable.channel.design import Design
from deniable.deniability.asked import ways_of
from deniable.errors import BadRequest, NobodyMet, NotIdentified, TooManyCells
from deniable.inference.error import NOBODY
from deniable.inference.every import answer_text, name_text, shares_of
from deniable.inference.planned import PlannedQuestion, answer_variances
from deniable.inference.planning.means import mean_spread
from deniable.inference.planning.spread import Cells, Spread, known_spread, share_spread
from deniable.inference.planning.truth import Expected
from deniable.inference.query.expression import Truths, parse
from deniable.inference.query.query import Query, query_of
from deniable.survey.question import Question

MAX_ROWS = 256  # cells of a table
ALIKE = "people taken to answer alike whichever version they choose"


@dataclass(frozen=True)
class Figure:
    """A figure, the questions it rests on, and its spread; of several the one that needs most."""

    name: str
    questions: tuple[str, ...]
    spreads: tuple[Spread, ...]
    granted: tuple[str, ...] = ()  # in words


def question_figure(design: Design, question: Question, given: str | None, expected: Expected) -> Figure | None:
    """The shares of a question's answers; None where replies do not tell them."""
    if given is not None or expected.of_question(question).knows(question.name):
        return _by_expressions(design, question, given, expected)
    block, share = design.block(question.name), expected.of_question(question).share
    ways = ways_of(block)[question.name]
    if block.is_plain:
        found = answer_variances(ways[0].channel, ways[0].question)
    else:
        planned = PlannedQuestion.of(block, ways)
        if not planned.is_identified:
            return None
        found = planned.answer_variances
    return Figure(question.name, (question.name,), tuple(Spread(each, share) for each in found))


def _by_expressions(design: Design, question: Question, given: str | None, expected: Expected) -> Figure | None:
    """A question's answers one by one, as expressions; of two known ones the second, which the other mirrors."""
    texts = shares_of(question)
    expected = expected.of_question(question)
    known = len(texts) == 2 and expected.knows(question.name)
    try:
        found = [expression_figure(design, text, given, expected) for text in (texts[1:] if known else texts)]
    except NotIdentified:
        return None
    spreads = tuple(spread for each in found for spread in each.spreads)
    return Figure(question.name, found[0].questions, spreads, found[0].granted)


def expression_figure(design: Design, text: str, given: str | None, expected: Expected) -> Figure:
    """The share of those for whom an expression holds (among those for whom `given` does)."""
    query = query_of(design, text, *([] if given is None else [given]))
    _refuse_noise(design, query)
    within = np.ones_like(query.masks[0]) if given is None else query.masks[1]
    names = [] if given is None else names_in(given)
    name = text if given is None else f"{text} given {given}"
    return _figure(design, name, query.questions, query.masks[0], within, names, expected)


def table_figures(design: Design, names: Sequence[str], expected: Expected) -> list[Figure]:
    """The shares of the cells of a table."""
    questions = [design.question(name) for name in names]
    shape = tuple(len(question) for question in questions)
    if prod(shape) > MAX_ROWS:
        raise TooManyCells(names, prod(shape), MAX_ROWS)
    _refuse_noise(design, Query(tuple(questions), ()))
    everybody, found = np.ones(shape, dtype=bool), []
    for cell in np.ndindex(*shape):
        mask = np.zeros(shape, dtype=bool)
        mask[cell] = True
        words = [_cell_text(question, index) for question, index in zip(questions, cell, strict=True)]
        found.append(_figure(design, " and ".join(words), questions, mask, everybody, [], expected))
    return found


def mean_figure(design: Design, name: str, sd: float | None, given: str | None, expected: Expected) -> Figure:
    """The mean of a number (among those for whom `given` holds)."""
    question = design.question(name)
    if not question.is_number:
        raise BadRequest("mean", "a question whose replies are numbers", name, "plan shares of its answers")
    spread, names, granted = mean_spread(design.block(name), question, sd), [name], []
    if sd is None:
        granted.append("half of the numbers taken to lie at either end of the range")
    if question.omit:
        granted.append("replies are those that give the number")
    if given is not None:
        query = query_of(design, given)
        _refuse_noise(design, query)
        names += [each.name for each in query.questions]
        if any(not design.block(each).is_plain for each in names):
            raise BadRequest("given", "left out for a mean with versions", given, "plan the mean of all")
        truth = expected.table(query.questions)
        cells = Cells.of(design, query.questions, query.masks[0], query.masks[0])
        spread *= float(cells.squares[:, 2] @ truth.ravel()) / _people(float(truth[query.masks[0]].sum())) ** 2
        granted += [*expected.granted(query.questions), f"{name} taken to be independent of the condition"]
    of = f"the mean of {name}" + ("" if given is None else f" given {given}")
    return Figure(of, tuple(names), (Spread(lambda _: spread, 0.0, (-inf, inf)),), tuple(granted))


def _figure(
    design: Design, name: str, questions: Sequence[Question], mask: Truths, given: Truths, conditions: Sequence[str],
    expected: Expected,
) -> Figure:  # fmt: skip
    """A share among the given cells, at the truth that is expected, or at the worst with that condition."""
    truth = expected.table(questions)
    _people(float(truth[given].sum()))
    if not (mask & given).any() or not (~mask & given).any():
        always = "everybody" if (mask & given).any() else "nobody"
        raise BadRequest("the expression", "true for some and false for others", f"one that holds for {always}",
                         "plan another one")  # fmt: skip
    own = [question for question in questions if question.name not in conditions]
    asked_of = [question for question in questions if question.name in conditions]
    if expected.share is None and (not own or any(expected.knows(question.name) for question in own)):
        spread, granted = known_spread(design, questions, mask, given, truth), expected.granted(questions)
    else:
        spread = share_spread(design, questions, mask, given, truth, expected.share)
        granted = expected.granted(asked_of)
    names = tuple(question.name for question in questions)
    chosen = any(design.block(each).chosen for each in names)
    return Figure(name, names, (spread,), (*granted, *([ALIKE] if chosen else [])))


def _refuse_noise(design: Design, query: Query) -> None:
    noisy = [question.name for question in query.questions if design.has_noise(question.name)]
    if noisy:
        raise BadRequest("a plan", "for shares of questions without noise", ", ".join(noisy),
                         "plan the number's mean, or its shares by simulation on a pilot")  # fmt: skip


def _people(share: float) -> float:
    """The share of those who meet a condition, if anybody does."""
    if share <= NOBODY:
        raise NobodyMet(share)
    return share


def names_in(text: str) -> list[str]:
    """The questions that an expression names."""
    return list(dict.fromkeys(each.name for each in parse(text).comparisons))


def _cell_text(question: Question, index: int) -> str:
    """One answer as an expression; of a number, the interval in words."""
    name, word = name_text(question.name), question.answers[index]
    return f"{name} == {answer_text(word)}" if question.range is None else f"{name} {word}"
