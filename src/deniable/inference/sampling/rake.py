"""Raking: weights under which questions asked in the clear have the shares that the population is known to have.

Weights are multiplied margin by margin until all shares are right (iterative proportional fitting; Deming and Stephan
1940). All that is needed of replies is the sum of weights of each combination of answers.

legend: c combination of answers that occurs
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design, check_design
from deniable.count.beside import with_columns
from deniable.count.chunked import pieces_of
from deniable.count.counts import Distinct, is_answered
from deniable.count.merged import groups, same_rows
from deniable.count.replies import counts_of
from deniable.errors import BadRequest
from deniable.frame.columns import Column
from deniable.inference.sampling.reply_column import Floats, in_rows, reply_column
from deniable.survey.question import Question

ROUNDS = 1000
PRECISION = 1e-10  # of a share

Margins = Mapping[str, Mapping[str, float]]


def rake(design: Design, replies: Any, margins: Margins, *, weights: str | None = None) -> Any:
    """A weight for every reply, as a column of the replies' own kind, that gives the margins these shares.

    Margins are by question, then by answer: {"sex": {"Female": 0.52, "Male": 0.48}}. Weights that replies have already
    are the start. Weights have a mean of one. Of a Spark frame it is a column for `replies.withColumn("weight", ...)`.
    """
    check_design(design)
    frame = in_rows(replies)
    if disguised := [name for name in margins if name in design.names and not design.is_clear(name)]:
        raise BadRequest("the margins to rake to", "of questions asked in the clear", disguised[0], "name other ones")
    if not margins:
        raise BadRequest("the margins to rake to", "at least one", "none", "write {'sex': {'f': 0.5, 'm': 0.5}}")
    named = list(dict.fromkeys([*margins, *([] if weights is None else [weights])]))
    design = with_columns(design, replies, named)
    if weights is not None and not design.reported(weights).is_number:
        raise BadRequest(f"the weights in {weights!r}", "numbers", "words", "name another column")
    counts = counts_of(design, frame, one_by_one=True)
    pieces = pieces_of(counts, named, [] if weights is None else [weights], None)
    outline = pieces.outline
    _check(outline, weights)
    answers = Distinct({name: outline.columns[name] for name in margins}, outline.counts)
    cells = {name: column[groups(answers)[0]] for name, column in answers.columns.items()}
    own = _Weights(cells, np.ones(len(next(iter(cells.values())))), weights)
    (start,) = pieces.sum(own.by_combination)
    wanted = [(cells[name], _shares(design.reported(name), cells[name], margins[name])) for name in margins]
    raked = _raked(start * (outline.n / start.sum()), wanted)
    factors = np.divide(raked, start, out=np.zeros_like(start), where=start > 0)
    return reply_column(design, frame, counts, named, _Weights(cells, factors, weights))


@dataclass(frozen=True)
class _Weights:
    """The weight of each reply: its own, or one, times the factor of its combination of answers."""

    cells: Mapping[str, Column]  # [c]
    factors: Floats  # [c]
    weights: str | None

    def __call__(self, replies: Distinct) -> Floats:
        return np.asarray(self._own(replies) * self.factors[self._combinations(replies)])

    def by_combination(self, replies: Distinct) -> Sequence[Floats]:
        """The sum of weights of each combination."""
        index = self._combinations(replies)
        return [np.bincount(index, self._own(replies) * replies.counts, len(self.factors)).astype(float)]

    def _own(self, replies: Distinct) -> Floats:
        """The weights before raking."""
        return np.ones(len(replies.counts)) if self.weights is None else np.asarray(replies.columns[self.weights])

    def _combinations(self, replies: Distinct) -> NDArray[np.intp]:
        return same_rows(list(self.cells.values()), [replies.columns[name] for name in self.cells])


def _check(replies: Distinct, weights: str | None) -> None:
    for name, column in replies.columns.items():
        if not is_answered(column).all():
            raise BadRequest(f"the column {name!r}", "complete", "missing cells", "fill them, or drop these replies")
    own = np.ones(1) if weights is None else replies.columns[weights]
    if not np.isfinite(own).all() or (own < 0).any() or not own.any():
        got = "infinite ones" if not np.isfinite(own).all() else f"{own.min():g}" if own.any() else "only zeros"
        raise BadRequest(f"the weights in {weights!r}", "finite numbers that are not negative", got, "mend them")


def _raked(weights: Floats, wanted: Sequence[tuple[Column, Floats]]) -> Floats:
    """The weight of each combination after raking; `weights` before."""
    people = weights.sum()
    for _ in range(ROUNDS):
        largest = 0.0
        for cells, shares in wanted:
            have = np.bincount(cells, weights, len(shares)) / weights.sum()
            largest = max(largest, float(np.abs(have - shares).max()))
            weights = weights * np.where(have > 0, shares / np.where(have > 0, have, 1.0), 1.0)[cells]
        weights = weights * (people / weights.sum())
        if largest < PRECISION:
            return weights
    raise BadRequest("the margins to rake to", "reachable together", f"some that are still {largest:.1g} off",
                     "merge rare answers, or rake to fewer questions")  # fmt: skip


def _shares(question: Question, cells: Column, wanted: Mapping[str, float]) -> Floats:
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
