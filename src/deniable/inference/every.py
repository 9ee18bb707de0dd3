"""Every share of a design, as expressions that can be asked again."""

from itertools import pairwise
from math import ceil

import numpy as np

from deniable.channel.design import Design
from deniable.survey.question import Question
from deniable.survey.range import Range

SLICES = 4  # of a number that is not told by its interval


def every_share(design: Design) -> list[str]:
    """One expression for each answer of each question; numbers in intervals."""
    return [text for question in design.questions for text in _shares(question)]


def name_text(name: str) -> str:
    """A question's name as expressions write it."""
    plain = name.isidentifier() and name not in ("and", "or", "not", "in")
    return name if plain else f"`{name}`"


def answer_text(answer: str) -> str:
    """An answer as expressions write it."""
    return "'" + answer.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _shares(question: Question) -> list[str]:
    if question.range is None:
        return [f"{name_text(question.name)} == {answer_text(answer)}" for answer in question.answers]
    cuts = _cuts(question.range)
    pairs = list(pairwise(cuts))
    name, last = name_text(question.name), len(pairs) - 1
    return [f"{low} <= {name} {'<=' if place == last else '<'} {high}" for place, (low, high) in enumerate(pairs)]


def _cuts(limits: Range) -> list[str]:
    """The ends of the intervals: the cells that are told, or a few slices of the range."""
    edges = np.asarray(limits.edges) if limits.coarse else np.linspace(limits.low, limits.high, SLICES + 1)
    inner = [float(ceil(edge)) if limits.integer else float(edge) for edge in edges[1:-1]]
    return [
        repr(int(cut)) if cut.is_integer() else repr(cut) for cut in [float(limits.low), *inner, float(limits.high)]
    ]
