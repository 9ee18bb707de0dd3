"""Numbers cut into other cells than the questionnaire's: the one place where that is done.

Answers, and numbers that are reported by their interval, stay as they are: nobody knows more of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from deniable.survey.question import Question
from deniable.survey.range import Range, edges_of


def cut_at(question: Question, thresholds: Iterable[float]) -> Question:
    """A number with these edges alone between its ends."""
    return _cut(question, lambda limits: limits.only(thresholds))


def cut_also_at(question: Question, thresholds: Iterable[float]) -> Question:
    """A number with these edges besides its own."""
    return _cut(question, lambda limits: limits.cut(thresholds))


def coarser(question: Question, cells: int) -> Question:
    """A number in so many cells at most, their edges taken from its own."""
    return _cut(question, lambda limits: limits.fewer(cells))


def finer(question: Question, cells: int | None = None) -> Question:
    """A number in at least its default cells, or in some `cells` of them, its own edges among theirs."""
    return _cut(
        question, lambda limits: limits.finer() if cells is None else limits.finer().fewer(cells).cut(limits.edges)
    )


def cut_into(question: Question, cells: int, max_whole: int) -> Question:
    """A number in so many even cells, or one for each whole number if there are few; chosen cells stay."""

    def even(limits: Range) -> Range:
        if limits.chosen:
            return limits
        count = cells
        if limits.integer:
            whole = int(limits.high - limits.low) + 1
            count = whole if whole <= max_whole else min(cells, whole)
        return replace(limits, edges=edges_of(question.name, limits.low, limits.high, count, limits.integer))

    return _cut(question, even)


def _cut(question: Question, change: Callable[[Range], Range]) -> Question:
    if question.range is None or question.range.by_interval:
        return question
    return question.with_range(change(question.range))
