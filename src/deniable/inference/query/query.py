"""Queries: expressions as masks over the cells of a design's questions.

The questions that an expression names become the axes of a table, and the expression becomes a table
of true and false over their cells. Numbers are cut at the expression's own thresholds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deniable.channel.design import Design
from deniable.errors import BadExpression, UnknownAnswer, UnknownQuestion
from deniable.inference.query.expression import Comparison, Expression, Truths, parse
from deniable.survey.cutting import cut_also_at, cut_at, finer
from deniable.survey.question import REFUSAL, Question
from deniable.survey.range import Range
from deniable.survey.truths import cells_of_part

ENOUGH = 20  # cells of a number under noise, besides those that thresholds cut


@dataclass(frozen=True)
class Query:
    """The questions that some expressions name, cut where they need it, and where each holds."""

    questions: tuple[Question, ...]
    masks: tuple[Truths, ...]


def query_of(design: Design, *texts: str, also: Sequence[Question] = ()) -> Query:
    """What these expressions say of one table, which has the questions of `also` as its first axes."""
    expressions = [parse(text) for text in texts]
    comparisons = [each for expression in expressions for each in expression.comparisons]
    for expression in expressions:
        for comparison in expression.comparisons:
            _check(design, expression, comparison)
    holders = {each.name: design.holder(each.name).name for each in comparisons}
    names = dict.fromkeys([*(question.name for question in also), *(holders[each.name] for each in comparisons)])
    given = {question.name: question for question in also}
    questions = [
        _cut(
            design,
            given.get(name) or design.question(name),
            name in given,
            [each for each in comparisons if each.name == name],
        )
        for name in names
    ]
    shape = tuple(len(question) for question in questions)

    def judge(comparison: Comparison) -> Truths:
        axis = list(names).index(holders[comparison.name])
        part = _part(questions[axis], comparison.name)
        cells = _cells(part, comparison, design.has_noise(questions[axis].name))
        cells = cells[cells_of_part(questions[axis], comparison.name)]
        return cells.reshape([-1 if index == axis else 1 for index in range(len(names))])

    masks = tuple(np.broadcast_to(expression.truths(judge), shape) for expression in expressions)
    return Query(tuple(questions), masks)


def _part(question: Question, name: str) -> Question:
    """The question of that name: itself, or the one beside it."""
    return next((part for part in question.parts if part.name == name), question)


def _check(design: Design, expression: Expression, comparison: Comparison) -> None:
    """Whether the question exists and can be compared in this way."""

    def wrong(problem: str, way_out: str) -> BadExpression:
        return BadExpression(expression.text, comparison.position, problem, way_out)

    try:
        question = _part(design.holder(comparison.name), comparison.name)
    except UnknownQuestion as error:
        raise wrong(error.problem, error.way_out) from error
    if question.range is not None:
        if not comparison.numeric:
            raise wrong(f"{question.name} is a number, got {comparison.values[0]!r}", "write the number without quotes")
        if comparison.sign in ("==", "!=", "in") and not question.range.integer:
            raise wrong(f"{question.name} is measured, so it is never exactly a value", "use < and >")
        if question.range.by_interval:
            _check_cuts(wrong, question, question.range, comparison)
        return
    for value in comparison.values:
        if value not in question.answers:
            unknown = UnknownAnswer(question.name, [value], question.answers)
            raise wrong(unknown.problem, unknown.way_out)
    if comparison.sign in ("<", "<=", ">", ">=") and not question.ordered:
        raise wrong(f"the answers of {question.name} have no order", "use == or in, or set ordered = true")


def _check_cuts(
    wrong: Callable[[str, str], BadExpression], question: Question, limits: Range, comparison: Comparison
) -> None:
    """A number reported as an interval can be compared only at its cuts."""
    for threshold in _thresholds(limits, comparison):
        edges = np.asarray(limits.edges)
        if (
            limits.edges[0] < threshold < limits.edges[-1]
            and not np.isclose(edges, threshold, rtol=1e-12, atol=1e-12).any()
        ):
            cuts = [float(np.ceil(edge)) if limits.integer else edge for edge in limits.edges]
            below, above = next(pair for pair in pairwise(cuts) if threshold <= pair[1])
            shown = ", ".join(comparison.values)
            raise wrong(f"{question.name} is reported in intervals, and {shown} lies inside one",
                        f"the nearest cuts are {below:g} and {above:g} (>= or <)")  # fmt: skip


def _thresholds(limits: Range, comparison: Comparison, under_noise: bool = False) -> list[float]:
    """The edges that a comparison with numbers needs."""
    edges = []
    for text in comparison.values:
        if comparison.sign not in (">", "<="):
            edges.append(limits.threshold(float(text), False, under_noise))
        if comparison.sign not in (">=", "<"):
            edges.append(limits.threshold(float(text), True, under_noise))
    return edges


def _cut(design: Design, question: Question, keep: bool, comparisons: Sequence[Comparison]) -> Question:
    """The question, cut at all thresholds.

    A number in the clear needs no other cells; one under noise needs enough to show its distribution.
    """
    if question.range is None or question.range.by_interval:
        return question
    under_noise = design.has_noise(question.name)
    thresholds = [edge for comparison in comparisons for edge in _thresholds(question.range, comparison, under_noise)]
    if design.is_clear(question.name) and not keep:
        return cut_at(question, thresholds)
    return cut_also_at(finely_cut(design, question), thresholds)


def finely_cut(design: Design, question: Question) -> Question:
    """A number under noise in cells enough to show its distribution, its own edges among theirs; others stay."""
    return finer(question, ENOUGH) if design.has_noise(question.name) else question


def _cells(question: Question, comparison: Comparison, under_noise: bool) -> Truths:
    """Which cells of its question a comparison holds for."""
    if question.range is not None:
        return _number_cells(question.range, comparison, under_noise)
    indices = [question.cell(value) for value in comparison.values]
    cells = np.arange(len(question))
    if comparison.sign in ("==", "in"):
        return np.isin(cells, indices)
    if comparison.sign == "!=":
        return ~np.isin(cells, indices)
    answered = np.array([not (question.optional and answer == REFUSAL) for answer in question.answers])
    signs = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    return np.asarray(signs[comparison.sign](cells, indices[0]) & answered)


def _number_cells(limits: Range, comparison: Comparison, under_noise: bool) -> Truths:
    starts = np.asarray(limits.edges[:-1])
    slack = 1e-12 * max(1.0, abs(limits.low), abs(limits.high)) if limits.by_interval else 0.0

    def from_(value: float, above: bool) -> Truths:
        return np.asarray(starts >= limits.threshold(value, above, under_noise) - slack)

    values = [float(text) for text in comparison.values]
    if comparison.sign in (">", "<="):
        mask = from_(values[0], above=True)
        return mask if comparison.sign == ">" else ~mask
    if comparison.sign in (">=", "<"):
        mask = from_(values[0], above=False)
        return mask if comparison.sign == ">=" else ~mask
    equal = np.logical_or.reduce([from_(value, False) & ~from_(value, True) for value in values])
    return np.asarray(~equal if comparison.sign == "!=" else equal)
