"""Smoothing of estimated people into shares that naive Bayes can multiply.

None      the papers' shares, which may be negative
laplace   clipped at zero, and one person added to each answer of each class
auto      shrunk by their signal to noise (`shrink`), clipped at zero, and two typical standard errors of people added
          to each class, who answer like the whole population

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.inference.invert.inverse import even_dependence_stderr, even_stderr
from deniable.learn.shrink import are_dependent, dependence_kept, share_of_answers, towards_even, with_dependence
from deniable.survey.question import Question

Floats = NDArray[np.float64]
Smoothing = Literal["auto", "laplace"] | None
ERRORS_ADDED = 2.0  # people added to each answer, in standard errors of the estimate, times the answer's share
RARE = 0.25  # times an even share: no cell of a number counts as rarer than that


@dataclass(frozen=True)
class TableErrors:
    """Typical standard errors of a question's estimated people."""

    answer: float
    count: float  # of an answer and class
    dependence: float  # of such a count minus its expectation under independence


@dataclass(frozen=True)
class UsualErrors:
    """Standard errors that estimated people of a class usually have, and those of each question by class."""

    classes: float
    tables: Sequence[TableErrors]

    @property
    def dependences(self) -> list[float]:
        """Question by question."""
        return [table.dependence for table in self.tables]


def even_errors(design: Design, question: Question, target: Question, n: float) -> TableErrors:
    """The errors there would be if all answers were equally frequent."""
    pair = [question, target]
    return TableErrors(
        even_stderr(design, [question], n), even_stderr(design, pair, n), even_dependence_stderr(design, pair, n)
    )


@dataclass(frozen=True)
class Shrunk:
    """Estimated people, by class and by answer and class, shrunk; see `shrink`."""

    classes: Floats
    tables: list[Floats]
    errors: list[Floats]  # left in each table
    plain: NDArray[np.bool_]  # answers plainly depend on the class, and nothing was shrunk


def shrunk_people(classes: Floats, tables: Sequence[Floats], errors: UsualErrors) -> Shrunk:
    """The estimates, each kept by its signal to noise."""
    plain = are_dependent(tables, errors.dependences)
    informative = max(sum(len(table) - 1 for table in tables), 1)
    shares = towards_even(classes, errors.classes)
    shrunk, left = [], []
    for table, error in zip(tables, errors.tables, strict=True):
        answers, people = towards_even(table.sum(axis=1), error.answer), table.sum(axis=(0, 1))
        kept = np.where(plain, 1.0, dependence_kept(answers, shares, error.dependence / people, informative))
        shrunk.append(with_dependence(table, kept, error.answer))
        left.append(kept * error.count)
    return Shrunk(np.where(plain, classes, shares * classes.sum(axis=0)), shrunk, left, plain)


def learnt_shares(
    classes: Floats,
    tables: Sequence[Floats],
    smoothing: Smoothing,
    stderrs: Sequence[Floats | float] | None = None,
    by_cells: Collection[int] = (),
) -> tuple[Floats, list[Floats]]:
    """P(v) from estimated people of each class, and question by question P(x | v) from those of each answer and class.

    `stderrs` are the usual standard errors of such counts, and `by_cells` the indices of numbers under noise.
    """
    chances = [
        shares_given_class(table, smoothing, 1.0 if stderrs is None else stderrs[index], index in by_cells)
        for index, table in enumerate(tables)
    ]
    return shares_of_classes(classes, smoothing), chances


def shares_of_classes(counts: Floats, smoothing: Smoothing) -> Floats:
    """P(v) from estimated people of each class (first axis)."""
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    kept = np.maximum(counts, 1.0)
    return np.asarray(kept / kept.sum(axis=0))


def shares_given_class(
    counts: Floats, smoothing: Smoothing, stderr: Floats | float = 1.0, by_cells: bool = False
) -> Floats:
    """P(x | v) from estimated people of each answer and class, and the usual standard error of such a count.

    With `by_cells` answers are cells of a number under noise, where a nearly empty cell is no evidence.
    """
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    if (counts.sum(axis=1) > 0).sum(axis=0).max() < 2:  # everybody gives the same answer: no information
        return np.full(counts.shape, 1 / len(counts))
    kept = np.maximum(counts, 0.0)
    added = np.ones_like(counts) if smoothing == "laplace" else _like_everybody(counts, stderr, by_cells)
    return np.asarray((kept + added) / (kept + added).sum(axis=0))


def _ratio(counts: Floats, totals: Floats) -> Floats:
    """Shares, none where there is nobody."""
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals != 0)


def _like_everybody(counts: Floats, stderr: Floats | float, by_cells: bool) -> Floats:
    """People who answer like everybody: twice the larger of one and the standard error, in every class."""
    share = share_of_answers(counts, RARE / len(counts) if by_cells else None)
    return np.asarray(ERRORS_ADDED * np.maximum(stderr, 1.0) * np.repeat(share[:, None], counts.shape[1], axis=1))
