"""The figures of the dashboard: what replies say about every question, and how far made-up ones could move that."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.errors import DeniableError
from deniable.inference.association import Association, association
from deniable.inference.estimates import Estimate
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.numbers import mean, quantile, quantiles_under_noise
from deniable.inference.plan import plan
from deniable.inference.poisoning import leverage, most_mean_shift
from deniable.inference.reported_table import ReportedTable
from deniable.inference.shares import cell_estimates, cross_estimates
from deniable.report.bars import Bar
from deniable.survey.cutting import coarser
from deniable.survey.question import Question
from deniable.survey.truths import cells_of_part

BINS = 8  # intervals in which the dashboard shows a number
FINE = 30  # from which quartiles under noise are given
COARSE = 5  # in a cross-table
QUARTERS = {"lower quarter": 0.25, "median": 0.5, "upper quarter": 0.75}
FAKES = (0.01, 0.05)  # shares of made-up replies

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One answer (or interval): its estimated share, the share of replies that say so, what fakes can do to it."""

    word: str
    estimate: Estimate
    reported: float | None
    shifts: tuple[float, ...] | None

    @property
    def bar(self) -> Bar:
        """Its picture."""
        found = self.estimate
        return Bar(found.value, found.low, found.high, self.reported, self.word, found.grade)


@dataclass(frozen=True)
class Measure:
    """A figure of a number: its mean or a quartile, and the same of the reported numbers."""

    word: str
    estimate: Estimate
    reported: float | None
    shifts: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Said:
    """All that replies say about one question."""

    question: Question
    disguise: str
    n: int
    rows: tuple[Row, ...]
    measures: tuple[Measure, ...] = ()
    other_words: tuple[tuple[str, float], ...] = ()  # what replies say, where they use other words than answers
    beyond: float = 0.0  # the share of reported numbers that lie outside the range, through noise
    problem: str = ""
    edges: tuple[float, ...] = ()  # of the intervals in which a number is shown

    @property
    def grade(self) -> str:
        """Whether nothing should be made of these figures yet, or of some of them, or only with care."""
        found = [*(row.estimate for row in self.rows), *(each.estimate for each in self.measures)]
        few = [each.too_few for each in found]
        if any(few):
            return "too few replies" if all(few) else "too few for some figures"
        return "rough" if any(each.rough for each in found) else ""


def every_question(design: Design, counts: Counts) -> list[Said]:
    """What replies say about each question."""
    return [said_about(design, counts, question, part) for question in design.questions for part in question.parts]


def said_about(design: Design, counts: Counts, question: Question, part: Question | None = None) -> Said:
    """What replies say about one question, or its part; a question that nobody answered is shown as such."""
    disguise = _disguise(design.block(question.name), question.name)
    try:
        return _said(design, counts, question, question if part is None else part, disguise)
    except DeniableError as error:
        return Said(question, disguise, 0, (), problem=str(error))


def _disguise(block: Block, name: str) -> str:
    """The scheme of a question and its settings; or how many versions ask it."""
    if not block.is_plain:
        asking = sum(version.channel(name) is not None for version in block.versions)
        how = "chosen" if block.chosen else "drawn"
        return f"{block.recipe.scheme}, asked in {asking:,} of {len(block.versions):,} {how} versions"
    recipe = block.recipe
    settings = {key: value for key, value in recipe.settings.items() if isinstance(value, int | float)}
    written = [f"{key} {value:g}" for key, value in settings.items()]
    who = ["drawn by respondents"] if block.drawn_by_respondents(name) else []
    return ", ".join([recipe.scheme, *written, *who])


def _said(design: Design, counts: Counts, question: Question, part: Question, disguise: str) -> Said:
    counts = counts.distinct(design.columns_of([question.name]), answered=False)
    cut = coarser(question, BINS)
    table = ReportedTable.of(design, counts, [cut])
    n = round(float(table.reported.sum()))
    shown = cut if question.beside is None else part
    stacks, cells = stacks_of(design, [cut]), np.eye(len(shown), dtype=bool)[:, cells_of_part(cut, shown.name)]
    reported, beyond, others = _reported_shares(design, counts, cut, table)
    among = max(1.0, counts.n / n)  # where some leave the question out, fakes may all be among those who do not
    rows = []
    for index, word in enumerate(shown.answers):
        reach = leverage(cells[index], stacks)
        shifts = None if reach is None else tuple(min(1.0, fakes * among) * reach for fakes in FAKES)
        rows.append(Row(word, table.share(cells[index]), None if reported is None else float(reported[index]), shifts))
    plain = design.block(question.name).is_plain  # otherwise the bound itself knows who was asked
    measures = () if question.range is None else _measures(design, counts, question, among if plain else 1.0)
    edges = () if cut.range is None else cut.range.edges
    return Said(shown if question.beside else question, disguise, n, tuple(rows), measures, others, beyond, edges=edges)


def _reported_shares(
    design: Design, counts: Counts, cut: Question, table: ReportedTable
) -> tuple[Floats | None, float, tuple[tuple[str, float], ...]]:
    """The share of replies in each cell, how many lie beyond, and what they say where they use other words."""
    n = float(table.reported.sum())
    if cut.is_number:
        assert cut.range is not None
        numbers, weights = _numbers(counts, cut.name)
        inside = (numbers >= cut.range.edges[0]) & (numbers <= cut.range.edges[-1])
        within = np.bincount(cut.range.cells(numbers[inside]), weights[inside], minlength=len(cut))
        return within / n, 1 - float(weights[inside].sum()) / n, ()
    words = design.reported(cut).answers
    cells = table.reported if design.block(cut.name).is_plain else _in_all_versions(counts, cut.name, len(words))
    if words != cut.answers:
        return None, 0.0, tuple(zip(words, (cells / n).tolist(), strict=True))
    return cells / n, 0.0, ()


def _in_all_versions(counts: Counts, name: str, size: int) -> Floats:
    """How often each reported word occurs, whatever the version."""
    found = counts.distinct([name])
    return np.bincount(found.columns[name], found.counts, size).astype(float)


def _measures(design: Design, counts: Counts, question: Question, among: float) -> tuple[Measure, ...]:
    """Mean and quartiles of a number, each with that of the reported numbers."""
    numbers, weights = _numbers(counts, question.name) if question.is_number else (None, None)
    average = None if numbers is None or weights is None else float((numbers * weights).sum() / weights.sum())
    shifts = tuple(most_mean_shift(design, question.name, min(1.0, fakes * among)) for fakes in FAKES)
    found = [Measure("mean", mean(design, counts, question.name), average, shifts)]
    if design.has_noise(question.name):
        estimates = quantiles_under_noise(design, counts, coarser(question, FINE), list(QUARTERS.values()))
    else:
        estimates = [quantile(design, counts, question.name, q) for q in QUARTERS.values()]
    for (word, q), each in zip(QUARTERS.items(), estimates, strict=True):
        reported = None if numbers is None or weights is None else _quantile(numbers, weights, q)
        found.append(Measure(word, each, reported))
    return tuple(found)


def _numbers(counts: Counts, name: str) -> tuple[Floats, Floats]:
    """The reported numbers, and how often each occurs."""
    found = counts.distinct([name])
    return found.columns[name], found.counts


def _quantile(numbers: Floats, weights: Floats, q: float) -> float:
    order = np.argsort(numbers)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(numbers[order][min(int(np.searchsorted(reached, q)), len(numbers) - 1)])


# ---------------------------------------------------------------- two questions


@dataclass(frozen=True)
class CrossTable:
    """Estimated shares of two questions' answers together, and whether the two depend on each other."""

    rows: Question
    columns: Question
    cells: tuple[tuple[Estimate, ...], ...]
    n: int
    test: Association | None
    problem: str = ""


def cross_table(design: Design, counts: Counts, first: str, second: str, percent: str | None) -> CrossTable:
    """The cross-table of two questions; numbers in few intervals."""
    rows, columns = (coarser(design.question(name), COARSE) for name in (first, second))
    counts = counts.distinct(design.columns_of([first, second]), answered=not design.versioned)
    if rows.beside or columns.beside:
        found = [each for _, each in cell_estimates(design, counts, [first, second], percent)]
        rows, columns = rows.parts[0], columns.parts[0]
    else:
        found = [each for _, each in cross_estimates(design, counts, [rows, columns], percent)]
    width = len(columns)
    cells = tuple(tuple(found[start : start + width]) for start in range(0, len(found), width))
    try:
        return CrossTable(rows, columns, cells, counts.n, association(design, counts, first, second))
    except DeniableError as error:
        return CrossTable(rows, columns, cells, counts.n, None, str(error))


# ---------------------------------------------------------------- how many more


@dataclass(frozen=True)
class Needed:
    """Replies that a margin needs for one question, and how many of them are still to come."""

    name: str
    needed: int
    more: int


def still_needed(design: Design, said: Sequence[Said], margin: float) -> tuple[list[Needed], tuple[str, ...]]:
    """How many more replies every share needs to be within the margin; and the numbers that cannot be planned."""
    planned = plan(design, margin)
    have = {each.question.name: each.n for each in said}
    rows = [Needed(each.question, each.n, max(0, each.n - have.get(each.question, 0))) for each in planned.questions]
    return rows, planned.left_out
