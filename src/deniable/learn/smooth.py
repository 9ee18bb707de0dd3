"""Smoothing of estimated people into shares that naive Bayes can multiply.

None      the papers' shares, which may be negative
laplace   clipped at zero, and one person added to each answer of each class
auto      shrunk by their signal to noise (`shrink`), then the likeliest people by each cell's own noise (`posterior`)

legend: x answers (first axis), v classes (second axis); further axes are many tables at once
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.inference.invert.inverse import cell_noise, even_dependence_stderr, even_stderr
from deniable.inference.invert.stacks import stacks_of
from deniable.learn.posterior import Noise, likeliest_people, weight_of_cells
from deniable.learn.shrink import (
    are_dependent,
    belief,
    dependence_kept,
    expected_signal,
    plainly_kept,
    share_of_answers,
    towards_even,
    with_dependence,
)
from deniable.survey.question import Question

Floats = NDArray[np.float64]
Smoothing = Literal["auto", "laplace"] | None
RARE = 0.25  # times an even share: no cell of a number counts as rarer than that


@dataclass(frozen=True)
class TableErrors:
    """Typical standard errors of a question's estimated people, and the noise of each cell."""

    answer: float
    dependence: float  # of people of an answer and class minus their expectation under independence
    noise: Noise  # of an answer and class


@dataclass(frozen=True)
class UsualErrors:
    """Standard errors that estimated people of a class usually have, and those of each question by class."""

    classes: float
    tables: Sequence[TableErrors]

    @property
    def dependences(self) -> list[float]:
        """Question by question."""
        return [table.dependence for table in self.tables]

    @property
    def noises(self) -> list[Noise]:
        """Question by question."""
        return [table.noise for table in self.tables]


def even_errors(design: Design, question: Question, target: Question, n: float) -> TableErrors:
    """The standard errors there would be if all answers were equally frequent, and the lottery's noise."""
    pair = [question, target]
    dependence = even_dependence_stderr(design, pair, n)
    return TableErrors(even_stderr(design, [question], n), dependence, partial(cell_noise, stacks_of(design, pair)))


@dataclass(frozen=True)
class ShrunkPeople:
    """Estimated people, by class and by answer and class, shrunk; see `shrink`."""

    classes: Floats
    tables: list[Floats]
    kept: list[Floats]  # of each table's dependences
    plain: NDArray[np.bool_]  # answers plainly depend on the class, and hardly anything was shrunk


def shrunk_people(classes: Floats, tables: Sequence[Floats], errors: UsualErrors) -> ShrunkPeople:
    """The estimates, each kept by its signal to noise."""
    plain = are_dependent(tables, errors.dependences)
    informative = max(sum(len(table) - 1 for table in tables), 1)
    shares = towards_even(classes, errors.classes)
    answers = [
        towards_even(table.sum(axis=1), error.answer) for table, error in zip(tables, errors.tables, strict=True)
    ]
    uncertain = errors.classes / np.maximum(classes.sum(axis=0), 1.0)
    signals = [expected_signal(each, shares, uncertain, informative) for each in answers]
    strengths = belief(tables, signals, errors.dependences)
    shrunk, parts = [], []
    for table, signal, error in zip(tables, signals, errors.tables, strict=True):
        people = table.sum(axis=(0, 1))
        weak = dependence_kept(signal, error.dependence / people, strengths)
        kept = np.where(plain, plainly_kept(table, error.dependence), weak)
        shrunk.append(with_dependence(table, np.where(plain, table.sum(axis=0), shares * people), kept, error.answer))
        parts.append(kept)
    return ShrunkPeople(np.where(plain, classes, shares * classes.sum(axis=0)), shrunk, parts, plain)


def learnt_shares(
    classes: Floats,
    tables: Sequence[Floats],
    smoothing: Smoothing,
    noises: Sequence[Noise] = (),
    kept: Sequence[Floats] | None = None,
    by_cells: Collection[int] = (),
) -> tuple[Floats, list[Floats]]:
    """P(v) from estimated people of each class, and question by question P(x | v) from those of each answer and class.

    "auto" needs the `noises` of the tables, how much of their dependences was `kept`, if not all, and the indices of
    numbers under noise (`by_cells`), where a nearly empty cell is no evidence.
    """
    if smoothing != "auto":
        return shares_of_classes(classes, smoothing), [shares_given_class(table, smoothing) for table in tables]
    parts: Sequence[Floats | float] = kept or [1.0] * len(tables)
    chances = [
        shares_given_class(_likeliest(table, noise, part, index in by_cells), None)
        for index, (table, noise, part) in enumerate(zip(tables, noises, parts, strict=True))
    ]
    return shares_of_classes(classes, smoothing), chances


def shares_of_classes(counts: Floats, smoothing: Smoothing) -> Floats:
    """P(v) from estimated people of each class (first axis)."""
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    kept = np.maximum(counts, 1.0)
    return np.asarray(kept / kept.sum(axis=0))


def shares_given_class(counts: Floats, smoothing: Literal["laplace"] | None) -> Floats:
    """P(x | v) from estimated people of each answer and class."""
    if smoothing is None:
        return _ratio(counts, counts.sum(axis=0))
    if _is_constant(counts):
        return np.full(counts.shape, 1 / len(counts))
    kept = np.maximum(counts, 0.0) + 1
    return np.asarray(kept / kept.sum(axis=0))


def _likeliest(counts: Floats, noise: Noise, kept: Floats | float, by_cells: bool) -> Floats:
    """People of each answer and class by the noise of their estimates, of which only the part that was kept is left."""
    if _is_constant(counts):
        return np.ones_like(counts)
    share = share_of_answers(counts, RARE / len(counts) if by_cells else None)
    classes = counts.sum(axis=0)
    expected = share[:, None] * np.maximum(classes, 1.0)
    own, others = (kept**2 * each for each in noise(expected))
    there = counts + share[:, None] * (np.maximum(classes, 1.0) - classes)  # of no class less than one person
    weight = weight_of_cells(there, expected, own, others, may_be_empty=not by_cells)
    return likeliest_people(there, expected, own, others, weight)


def _is_constant(counts: Floats) -> bool:
    """Whether everybody gives the same answer, which is no information."""
    return bool((counts.sum(axis=1) > 0).sum(axis=0).max() < 2)


def _ratio(counts: Floats, totals: Floats) -> Floats:
    """Shares, none where there is nobody."""
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals != 0)
