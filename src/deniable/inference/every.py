"""Every share of a design, as expressions that can be asked again."""

from dataclasses import replace
from itertools import pairwise
from math import ceil

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.count.cut import in_cells
from deniable.errors import NoReplies, NotIdentified
from deniable.inference.estimates import Estimate
from deniable.inference.query.expression import answer_text, name_text
from deniable.inference.query.query import query_of
from deniable.inference.reported_table import ReportedTable
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import Question
from deniable.survey.range import Range

SLICES = 4  # of a number that is not reported as an interval
NOTHING_KNOWN = Estimate(0.0, 1.0, 0.0, 1.0, 0, "inverse", 1.0, caveat="no reply answers it")


def every_estimate(
    design: Design, counts: Counts, given: str | None = None, sample: Sample | None = None
) -> dict[str, Estimate]:
    """The share of each answer of each question, by its expression; a question's shares come from one table.

    Each question counts the replies that answer it. One that nobody answers is left out, if others are answered.
    """
    found: dict[str, Estimate] = {}
    names = [name for name in design.names if name in counts.names] if given is None and sample is None else []
    in_slices = [each for name in names for each in _numbers_in_slices(design, design.question(name))]
    together = in_cells(counts, design, in_slices).tables([design.columns_of([name]) for name in names])
    alone = dict(zip(names, together, strict=True))
    unanswered: list[NoReplies] = []
    parts = [(question.name, part) for question in design.questions for part in question.parts]
    for holder, question in parts:
        try:
            found |= _estimates_of(design, alone.get(holder, counts), question, given, sample)
        except NoReplies as error:
            unanswered.append(error)
            found |= dict.fromkeys(shares_of(question), NOTHING_KNOWN)
        except NotIdentified as error:
            found |= dict.fromkeys(shares_of(question), replace(NOTHING_KNOWN, caveat=error.problem))
    if len(unanswered) == len(parts):
        raise unanswered[0]
    return found


def _numbers_in_slices(design: Design, question: Question) -> tuple[Question, ...]:
    """A number as its shares cut it."""
    return query_of(design, *shares_of(question)).questions if question.is_number else ()


def _estimates_of(
    design: Design, counts: Counts, question: Question, given: str | None, sample: Sample | None
) -> dict[str, Estimate]:
    texts = shares_of(question)
    query = query_of(design, *texts, *([] if given is None else [given]))
    reported = ReportedTable.of(design, counts, query.questions, sample)
    base = None if given is None else query.masks[-1]
    return {
        text: reported.share(mask if base is None else mask & base, base)
        for text, mask in zip(texts, query.masks, strict=False)
    }


def shares_of(question: Question) -> list[str]:
    """One expression for each answer; for a number, one for each interval."""
    name = name_text(question.name)
    if question.range is None:
        return [f"{name} == {answer_text(answer)}" for answer in question.answers]
    pairs = list(pairwise(_cuts(question.range)))
    ends = ["<"] * (len(pairs) - 1) + ["<="]
    return [f"{low} <= {name} {end} {high}" for (low, high), end in zip(pairs, ends, strict=True)]


def every_share(
    design: Design, counts: Counts, given: str | None = None, sample: Sample | None = None
) -> list[tuple[tuple[str, str], Estimate]]:
    """The same by question and answer."""
    found = every_estimate(design, counts, given, sample)
    return [
        ((question.name, answer), found[text])
        for question in (part for each in design.questions for part in each.parts)
        for answer, text in zip(_words(question), shares_of(question), strict=True)
    ]


def _words(question: Question) -> list[str]:
    """The answer, or the interval of a number, that each expression of `shares_of` is about."""
    limits, cuts = question.range, [] if question.range is None else _cuts(question.range)
    if limits is None or (limits.by_interval and len(cuts) == len(question) + 1):
        return list(question.answers)
    if not limits.integer:
        return [f"{low} to {high}" for low, high in pairwise(cuts)]
    ends = [*[int(cut) - 1 for cut in cuts[1:-1]], int(cuts[-1])]  # the last interval is closed
    return [low if low == str(high) else f"{low} to {high}" for low, high in zip(cuts[:-1], ends, strict=True)]


def _cuts(limits: Range) -> list[str]:
    """The ends of the intervals: the cells that are reported, or a few slices of the range."""
    edges = np.asarray(limits.edges) if limits.by_interval else np.linspace(limits.low, limits.high, SLICES + 1)
    inner = [float(ceil(edge)) if limits.integer else float(edge) for edge in edges[1:-1]]
    ends = [float(limits.low), *inner, float(limits.high)]
    return [repr(int(cut)) if cut.is_integer() else repr(cut) for cut in dict.fromkeys(ends)]
