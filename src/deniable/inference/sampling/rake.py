"""Raking: weights under which questions asked in the clear have the shares that the population is known to have.

Weights are multiplied margin by margin until all shares are right (iterative proportional fitting; Deming and Stephan
1940).
"""

from collections.abc import Mapping
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.beside import with_columns
from deniable.count.counts import is_answered
from deniable.count.replies import counts_of
from deniable.errors import BadRequest
from deniable.inference.sampling.readings import as_column, in_memory
from deniable.survey.question import Question

ROUNDS = 1000
PRECISION = 1e-10  # of a share

Margins = Mapping[str, Mapping[str, float]]


def rake(design: Design, replies: Any, margins: Margins, *, weights: str | None = None) -> Any:
    """A weight for every reply, as a column of the replies' own kind, that gives the margins these shares.

    Margins are by question, then by answer: {"sex": {"Female": 0.52, "Male": 0.48}}. Weights that replies have already
    are the start. Weights have a mean of one.
    """
    check_design(design)
    frame = in_memory(replies)
    if disguised := [name for name in margins if name in design.names and not design.is_clear(name)]:
        raise BadRequest("the margins to rake to", "of questions asked in the clear", disguised[0], "name other ones")
    named = [*margins, *([] if weights is None else [weights])]
    design = with_columns(design, replies, named)
    counts = counts_of(design, frame, one_by_one=True)
    columns = counts.distinct(list(dict.fromkeys(named)), answered=False).columns
    for name in named:
        if not is_answered(columns[name]).all():
            raise BadRequest(f"the column {name!r}", "complete", "missing cells", "fill them, or drop these replies")
    found = np.ones(len(next(iter(columns.values())))) if weights is None else np.asarray(columns[weights], dtype=float)
    if (found < 0).any():
        raise BadRequest(
            f"the weights in {weights!r}", "numbers that are not negative", f"{found.min():g}", "mend them"
        )
    wanted = [(columns[name], _shares(design.reported(name), columns[name], margins[name])) for name in margins]
    return as_column(frame, "weight", _raked(found / found.mean(), wanted))


def _raked(weights: NDArray[np.float64], wanted: list[tuple[Any, NDArray[np.float64]]]) -> NDArray[np.float64]:
    for _ in range(ROUNDS):
        largest = 0.0
        for cells, shares in wanted:
            have = np.bincount(cells, weights, len(shares)) / weights.sum()
            largest = max(largest, float(np.abs(have - shares).max()))
            weights = weights * np.where(have > 0, shares / np.where(have > 0, have, 1.0), 1.0)[cells]
        weights = weights / weights.mean()
        if largest < PRECISION:
            return weights
    raise BadRequest("the margins to rake to", "reachable together", f"some that are still {largest:.1g} off",
                     "merge rare answers, or rake to fewer questions")  # fmt: skip


def _shares(question: Question, cells: NDArray[Any], wanted: Mapping[str, float]) -> NDArray[np.float64]:
    """The shares of a question's answers, in order, if they make sense."""
    name = question.name
    if unknown := [each for each in wanted if each not in question.answers]:
        raise BadRequest(
            f"a margin of {name!r}", f"of its answers {', '.join(question.answers)}", unknown[0], "mend it"
        )
    shares = np.array([float(wanted.get(answer, 0.0)) for answer in question.answers])
    if (shares < 0).any() or not isclose(shares.sum(), 1.0, abs_tol=1e-6):
        raise BadRequest(f"the margins of {name!r}", "shares that add up to 1", f"{shares.sum():g}", "mend them")
    there = np.bincount(cells, minlength=len(shares)) > 0
    for index in np.flatnonzero(there != (shares > 0)):
        got = "nobody who answers so" if shares[index] > 0 else "people who answer so, and a share of 0"
        raise BadRequest(f"the margin {name} = {question.answers[index]}", "a share of some replies", got,
                         "merge it with another answer")  # fmt: skip
    return np.asarray(shares / shares.sum())
