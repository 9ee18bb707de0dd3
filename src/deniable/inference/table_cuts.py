"""Numbers in a table: cut where the analyst says so, since a row for every number tells nobody anything."""

from collections.abc import Mapping, Sequence
from numbers import Real

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.survey.cutting import cut_at
from deniable.survey.question import Question

MAX_INTERVALS = 30  # of a number whose cells nobody chose

Cuts = Mapping[str, Sequence[float]]  # of numbers, by name


def table_questions(design: Design, names: Sequence[str], cuts: Cuts | None = None) -> list[Question]:
    """The questions of a table, numbers in the intervals between their cuts."""
    found, where = [design.question(name) for name in names], cuts or {}
    for name in where:
        if name not in names or not design.question(name).is_number:
            raise BadRequest("cuts", "of numbers in the table that are not reported by interval", name,
                             "cut another one, or leave it out")  # fmt: skip
    return [_cut(each, where[each.name]) if each.name in where else each for each in found]


def check_intervals(questions: Sequence[Question], cuts: Cuts | None) -> None:
    """Ask for cuts of a number that would fill pages."""
    for question in questions:
        limits = question.range
        if limits is None or limits.chosen or not question.is_number or question.name in (cuts or {}):
            continue
        if len(question) > MAX_INTERVALS:
            raise BadRequest(f"the table of {question.name!r}", f"at most {MAX_INTERVALS} intervals", len(question),
                             f"say where to cut it: cuts={{'{question.name}': [30, 50]}}, or --cuts "
                             f"{question.name}=30,50")  # fmt: skip


def _cut(question: Question, cuts: Sequence[float]) -> Question:
    limits = question.range
    assert limits is not None
    numbers = [each for each in cuts if isinstance(each, Real) and not isinstance(each, bool)]
    if not numbers or len(numbers) < len(cuts) or not all(limits.low < each < limits.high for each in numbers):
        raise BadRequest(f"cuts of {question.name!r}", f"numbers between {limits.low:g} and {limits.high:g}",
                         list(cuts), "correct them")  # fmt: skip
    return cut_at(question, sorted({float(each) - limits.integer / 2 for each in numbers}))
