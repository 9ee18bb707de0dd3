"""Shares of the true answers: `dn.estimate` and `dn.table`.

>>> import pandas as pd
>>> import deniable as dn
>>> design = dn.Design([dn.warner(0.75, dn.yes_no("smokes"))])
>>> replies = pd.DataFrame({"smokes": ["yes"] * 40 + ["no"] * 60})
>>> dn.estimate(design, replies, "smokes == 'yes'").value      # (0.4 - 0.25) / (0.75 - 0.25)
0.3
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal, Unpack, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.count.replies import backend_of
from deniable.errors import BadRequest, NobodyMet, TooManyCells
from deniable.frame.columns import Missing
from deniable.inference.estimates import Estimate
from deniable.inference.query.expression import Truths, answer_text, name_text
from deniable.inference.query.query import finely_cut, query_of
from deniable.inference.reported_table import NOBODY_THERE, ReportedTable
from deniable.inference.sampling.sample import Sample, SampleArguments, sampled_counts
from deniable.inference.table_cuts import Cuts, check_intervals, table_questions
from deniable.survey.question import Question

MAX_ROWS = 10_000
FIGURES = {"share": "value", "stderr": "stderr", "low": "low", "high": "high", "note": "note"}  # column: attribute
TABLE_FIGURES = {"share": "value", "stderr": "stderr", "low": "low", "high": "high", "n": "n", "note": "note"}


@overload
def estimate(
    design: Design,
    replies: Any,
    expression: str,
    given: str | None = None,
    *,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Estimate:
    """One share."""


@overload
def estimate(
    design: Design,
    replies: Any,
    expression: None = None,
    given: str | None = None,
    *,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Any:
    """Every share."""


def estimate(
    design: Design,
    replies: Any,
    expression: str | None = None,
    given: str | None = None,
    *,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Any:
    """The share of respondents for whom the expression truly holds (among those for whom `given` does).

    It rests on the replies that answer the questions it needs, and its note says how many lack a cell; with
    missing="refuse" such replies are refused. Without an expression the share of every answer to every question, as a
    frame of the replies' own kind with question, answer, share, stderr, low, high and note.

    Where people were not drawn evenly, `weights`, `strata` and `clusters` name columns of the replies; `population` is
    its size, or names the column of each stratum's. Shares are then weighted means, over a known population those of
    Horvitz and Thompson, and the note tells the design effect.
    """
    design, sample = Sample.of(design, replies, **how)
    if expression is None:
        from deniable.inference.every import every_share  # which asks this module for one table after the other

        counts = sampled_counts(design, replies, missing, sample)
        return _frame(("question", "answer"), every_share(design, counts, given, sample), replies, FIGURES)
    query = query_of(design, expression, *([] if given is None else [given]))
    counts = sampled_counts(design, replies, missing, sample)
    reported = ReportedTable.of(design, counts, query.questions, sample)
    if given is None:
        return reported.share(query.masks[0])
    return reported.share(query.masks[0] & query.masks[1], query.masks[1])


def table(
    design: Design,
    replies: Any,
    names: Sequence[str],
    percent: Literal["row", "column"] | None = None,
    *,
    cuts: Cuts | None = None,
    missing: Missing = "skip",
    **how: Unpack[SampleArguments],
) -> Any:
    """The cross-table of the true answers: one row per combination, with share, stderr, low, high, n and note.

    With percent="row" shares are among those with the same answers to all questions but the last, with "column" among
    those with the same answer to the last, and n is the estimated number of these. Replies that lack one of the answers
    are not counted, which the note says; with missing="refuse" they are refused. `cuts={"age": [30, 50]}` says where a
    number is cut; one of many values needs it. For `weights`, `strata`, `clusters`
    and `population` see `dn.estimate`.
    """
    if percent not in (None, "row", "column"):
        raise BadRequest("percent", "'row', 'column' or None", percent, "choose one of them")
    names = [names] if isinstance(names, str) else list(names)
    design, sample = Sample.of(design, replies, **how)
    check_intervals([design.question(name) for name in names if name in design.names], cuts)
    counts = sampled_counts(design, replies, missing, sample)
    rows = cell_estimates(design, counts, names, percent, sample, cuts)
    return _frame(names, rows, replies, TABLE_FIGURES)


def _frame(
    names: Sequence[str], rows: Sequence[tuple[tuple[str, ...], Estimate]], replies: Any, figures: Mapping[str, str]
) -> Any:
    """Shares and the words they are about as a frame of the same kind as the replies."""
    columns: dict[str, list[Any]] = {name: [row[0][index] for row in rows] for index, name in enumerate(names)}
    columns |= {key: [getattr(row[1], attribute) for row in rows] for key, attribute in figures.items()}
    return nw.from_dict(columns, backend=backend_of(replies)).to_native()


def cell_estimates(
    design: Design,
    counts: Counts,
    names: Sequence[str],
    percent: str | None = None,
    sample: Sample | None = None,
    cuts: Cuts | None = None,
) -> list[tuple[tuple[str, ...], Estimate]]:
    """The words and the estimated share of each cell of a table."""
    if not names or len(set(names)) < len(names):
        raise BadRequest("the questions of a table", "one or more different names", list(names), "name each once")
    if any(design.holder(name).beside is not None for name in names):
        return _by_expressions(design, counts, names, percent, sample)
    return cross_estimates(design, counts, table_questions(design, names, cuts), percent, sample)


def _by_expressions(
    design: Design, counts: Counts, names: Sequence[str], percent: str | None, sample: Sample | None
) -> list[tuple[tuple[str, ...], Estimate]]:
    """The same cell by cell, where cells of some questions belong to others beside them."""
    parts = [part for name in names for part in design.holder(name).parts if part.name == name]
    cells = list(product(*(part.answers for part in parts)))
    texts = [[f"{name_text(name)} == {answer_text(word)}" for name, word in zip(names, words, strict=True)]
             for words in cells]  # fmt: skip
    query = query_of(design, *(" and ".join(each) for each in texts))
    reported = ReportedTable.of(design, counts, query.questions, sample)
    among = {"row": slice(-1), "column": slice(-1, None)}
    rows = []
    for words, mask in zip(cells, query.masks, strict=True):
        within = None if percent is None else words[among[percent]]
        same = [each for other, each in zip(cells, query.masks, strict=True)
                if percent is not None and other[among[percent]] == within]  # fmt: skip
        rows.append((words, _share_or_nothing(reported, mask, np.logical_or.reduce(same) if same else None)))
    return rows


def cross_estimates(
    design: Design,
    counts: Counts,
    questions: Sequence[Question],
    percent: str | None = None,
    sample: Sample | None = None,
) -> list[tuple[tuple[str, ...], Estimate]]:
    """The same for questions themselves, which may be numbers that were cut into other cells."""
    shape = tuple(len(question) for question in questions)
    if np.prod(shape) > MAX_ROWS:
        raise TooManyCells([question.name for question in questions], int(np.prod(shape)), MAX_ROWS)
    fine = [finely_cut(design, question) for question in questions]
    reported = ReportedTable.of(design, counts, fine, sample)
    if reported.in_blocks:
        among = {"row": range(len(shape) - 1), "column": [len(shape) - 1]}.get(percent or "")
        every = product(*(question.answers for question in questions))
        return list(zip(every, reported.cells(among), strict=True))
    indices = np.ix_(*(_coarse_cells(each, question) for each, question in zip(fine, questions, strict=True)))
    rows = []
    for cell in np.ndindex(*shape):
        words = tuple(question.answers[index] for question, index in zip(questions, cell, strict=True))
        within = {"row": cell[:-1], "column": (..., cell[-1])}.get(percent or "")
        given = None if within is None else _only(shape, within)[indices]
        rows.append((words, _share_or_nothing(reported, _only(shape, cell)[indices], given)))
    return rows


def _coarse_cells(fine: Question, question: Question) -> NDArray[np.intp]:
    """The cell of a question that contains each of its finer cells."""
    if fine.range is None or question.range is None or len(fine) == len(question):
        return np.arange(len(fine))
    return question.range.cells(fine.range.middles)


def _share_or_nothing(reported: "ReportedTable", mask: Truths, given: Truths | None) -> Estimate:
    """A cell's share; unknown where its row or column has no positive count."""
    try:
        return reported.share(mask, given)
    except NobodyMet:
        return reported.noted(replace(NOBODY_THERE, method=reported.method))


def _only(shape: tuple[int, ...], where: Any) -> Truths:
    cells = np.zeros(shape, dtype=bool)
    cells[where] = True
    return cells
