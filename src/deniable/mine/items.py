"""Items to mine for, and the degree to which each report supports them.

An item is one answer to one question, written "smokes=yes". A reply's weight for an item depends only on the degree to
which its report supports the item. Under the schemes of the papers there are two degrees: the report is the same answer
(under Warner's scheme with theta below 1/2 the opposite one), or it is any other. A general table of chances may have
more. Each term t of the group's factored inverse (see inference/invert/factored.py) has one factor for each degree:

    levels[t, degree]

Degree 0 is that of most reports, and of skipped numbers: respondents who skip a number have none of its items.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.errors import BadRequest, NotAnItem, NotInvertible, UnknownItem
from deniable.inference.invert.factored import FactoredInverse, factored_inverse, untouched
from deniable.survey.question import Question
from deniable.survey.truths import refuse_beside

MAX_DEGREES = 16
CLOSE = 1e-6  # chances are rounded to multiples of 2^-32, so equal factors may differ slightly


@dataclass(frozen=True)
class Item:
    """One answer to one question, and how reports support it."""

    word: str
    reported: Question
    report_classes: tuple[tuple[int, ...], ...]  # the reported cells of each degree but 0
    group: int  # questions of one group share a draw
    coefficients: NDArray[np.float64]  # [term], of the group's factored inverse
    levels: NDArray[np.float64]  # [term, degree]


def wanted_items(design: Design, wanted: Iterable[str] | None) -> dict[str, Question]:
    """The words of all items of a design, or of the wanted ones, and their questions."""
    questions = [question for question in design.questions if question.beside is None]
    known = {f"{question.name}={answer}": question for question in questions for answer in question.answers}
    if len(known) < sum(map(len, questions)):
        raise BadRequest("an item", "one answer to one question", "two that read alike", "rename a question")
    names = set(known) | set(design.names) if wanted is None else {str(each) for each in wanted}
    for question in design.questions if wanted is not None else ():
        if question.name in names:
            refuse_beside(question)
    if unknown := sorted(names - set(known) - set(design.names)):
        raise UnknownItem(unknown[0], [*design.names, *known])
    chosen = {word: question for word, question in known.items() if word in names or question.name in names}
    if not chosen:
        raise BadRequest("items", 'words like "smokes=yes" or names of questions', [], "name some, or leave it out")
    return chosen


def items_of(design: Design, wanted: Iterable[str] | None = None) -> list[Item]:
    """All items of a design, or the wanted ones: words like "smokes=yes", or names of questions for all their items."""
    chosen = wanted_items(design, wanted)
    indices = {name: index for index, channel in enumerate(design.channels) for name in channel.names}
    touched = sorted({indices[question.name] for question in chosen.values()})
    inverses = {index: _factored(design.channels[index]) for index in touched}
    return [
        _item(word, question, design.channels[index], inverses[index], index)
        for word, question in chosen.items()
        for index in [indices[question.name]]
    ]


def can_be_items(design: Design) -> tuple[list[str], dict[str, str]]:
    """The questions whose answers can be mined for, and why the others cannot."""
    fit, why = [], {}
    for name in design.names:
        try:
            items_of(design, [name])
            fit.append(name)
        except NotAnItem as error:
            why[name] = error.why
    return fit, why


def _factored(channel: Channel) -> FactoredInverse:
    """The factored inverse of a channel; the identity for questions in the clear."""
    if channel.has_noise:
        raise NotAnItem(channel.names[0], "it is a number under noise")
    if channel.is_clear:
        return untouched(*channel.group)
    try:
        return factored_inverse(channel)
    except NotInvertible as error:
        raise NotAnItem(", ".join(channel.names), "the group is too large to be inverted") from error


def _item(word: str, question: Question, channel: Channel, factored: FactoredInverse, group: int) -> Item:
    """An answer as an item; refused if reports support it in too many degrees."""
    cell = question.answers.index(word.removeprefix(f"{question.name}="))
    factors = factored.factors[question.name][:, cell]  # [term, report]
    if question.omit:
        factors = np.column_stack([factors, np.zeros(len(factors))])  # left out is the last report
    degrees = _degrees(factors)
    if len(degrees) > MAX_DEGREES:
        raise NotAnItem(question.name, f"its reports speak for them in more than {MAX_DEGREES} degrees")
    alone = factored.coefficients @ factors
    degrees.sort(key=lambda some: (question.omit and len(alone) - 1 in some, len(some), -alone[some[0]]), reverse=True)
    levels = np.column_stack([factors[:, some].mean(axis=1) for some in degrees])
    report_classes = tuple(tuple(some) for some in degrees[1:])
    return Item(word, channel.reported(question), report_classes, group, factored.coefficients, levels)


def _degrees(factors: NDArray[np.float64]) -> list[list[int]]:
    """Reports grouped by equal factors."""
    slack = CLOSE * float(np.abs(factors).max())
    left = np.ones(factors.shape[1], dtype=bool)
    degrees: list[list[int]] = []
    while left.any() and len(degrees) <= MAX_DEGREES:
        first = int(np.argmax(left))
        same = left & (np.abs(factors - factors[:, [first]]).max(axis=0) <= slack)
        degrees.append(np.flatnonzero(same).tolist())
        left &= ~same
    return degrees
