"""Chi-square test of independence of two questions, on disguised replies.

Questions in different groups are disguised independently: if the truths are independent, so are the reports, and
the ordinary chi-square test of the reported table (numbers in few intervals) is a test of the truth. Two questions
of one group share a draw, which alone makes their reports dependent; there the estimated true table is tested
against independence, with the covariance of its weights (Wald's test).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from deniable.channel.design import Design, check_design
from deniable.count.replies import counts_of
from deniable.errors import BadRequest, UnknownQuestion
from deniable.frame.columns import Missing
from deniable.inference.independence import chi_square_text, wald_of_independence
from deniable.inference.invert.stack import Table
from deniable.inference.invert.stacks import weights_of
from deniable.inference.reported_table import ReportedTable
from deniable.survey.cutting import coarser
from deniable.survey.question import Question
from deniable.survey.truths import cells_of_part

COARSE = 5  # intervals of a number with many cells
EXPECTED = 5  # replies per cell below which the test is not to be trusted
EFFECTIVE = 20  # undisguised cases that a cell is worth, below which Wald's test is not


@dataclass(frozen=True)
class Association:
    """A test of the hypothesis that two true answers are independent."""

    first: str
    second: str
    statistic: float
    degrees: int
    p_value: float
    n: int
    too_few: bool
    caveat: str = ""

    @property
    def note(self) -> str:
        """What a reader must know before using the test."""
        return "; ".join(["too few"] * self.too_few + [self.caveat] * bool(self.caveat))

    def __repr__(self) -> str:
        return f"<Association of {self.first} and {self.second}: {self}>"

    def __str__(self) -> str:
        text = f"{chi_square_text(self.statistic, self.degrees, self.p_value)}, n = {self.n:,}"
        return f"{text} ({self.note})" if self.note else text


def association(design: Design, replies: Any, first: str, second: str, *, missing: Missing = "skip") -> Association:
    """Test whether the true answers to two questions are independent, among the replies that answer both."""
    check_design(design)
    if first == second:
        raise BadRequest("the second question", "another one than the first", second, "name two questions")
    holders = [design.holder(name) for name in (first, second)]
    blocks = [design.block(each.name) for each in holders]
    apart = blocks[0] is not blocks[1] and all(block.is_plain for block in blocks)
    questions = list(dict.fromkeys(coarser(each, COARSE) for each in holders))
    table = ReportedTable.of(design, counts_of(design, replies, missing), questions)
    statistic, degrees, too_few = (
        _pearson(_merged(design, questions, table.reported)) if apart else _wald(table, (first, second))
    )
    p_value = float(chdtrc(degrees, statistic)) if degrees else 1.0
    n = round(table.reported.sum())
    return Association(first, second, statistic, degrees, p_value, n, too_few, table.note)


def _merged(design: Design, questions: list[Question], reported: Table) -> Table:
    """The reported table with a number's many reported intervals merged into few of like frequency."""
    for axis, question in enumerate(questions):
        if design.reported(question).is_number and reported.shape[axis] > COARSE:
            margin = np.cumsum(reported.sum(axis=1 - axis)) / reported.sum()
            starts = np.unique(np.searchsorted(margin, np.arange(COARSE) / COARSE, side="right"))
            reported = np.add.reduceat(reported, starts, axis=axis)
    return reported


def _pearson(table: Table) -> tuple[float, int, bool]:
    """Pearson's statistic, its degrees of freedom, and whether a cell is too rare to trust it."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(((table - expected) ** 2 / expected).sum()), degrees, bool(expected.min() < EXPECTED)


def _wald(table: ReportedTable, names: Sequence[str]) -> tuple[float, int, bool]:
    """Wald's statistic of independence in the estimated true table, the same way."""
    masks = [_masks(table.questions, name) for name in names]
    shape = tuple(len(each) for each in masks)
    weights = np.array([weights_of(one * two, table.stacks).ravel() for one in masks[0] for two in masks[1]])
    n, shares = float(table.reported.sum()), table.reported.ravel() / table.reported.sum()
    true = weights @ shares
    apart = np.array([table.conditioned(each.reshape(table.reported.shape)).ravel() for each in weights])
    covariance = (apart * shares) @ apart.T - np.outer(true, true)
    cross = true.reshape(shape)
    statistic, degrees = wald_of_independence(cross, covariance / n)
    expected, errors = np.outer(cross.sum(axis=1), cross.sum(axis=0)).ravel(), np.sqrt(covariance.diagonal() / n)
    least = min(_effective_count(float(share), float(error)) for share, error in zip(expected, errors, strict=True))
    return statistic, degrees, least < EFFECTIVE


def _masks(questions: Sequence[Question], name: str) -> Table:
    """Where each answer to one of the questions, or to one beside them, holds: [answer, *cell]."""
    for axis, question in enumerate(questions):
        for part in question.parts:
            if part.name == name:
                cells = np.eye(len(part))[:, cells_of_part(question, name)]
                shape = [1] * axis + [-1] + [1] * (len(questions) - axis - 1)
                return np.asarray(cells.reshape(len(part), *shape) * np.ones([len(each) for each in questions]))
    raise UnknownQuestion(name, [question.name for question in questions])


def _effective_count(share: float, stderr: float) -> float:
    """How many undisguised yes (or no, if rarer) would give a share with this standard error."""
    rarer = min(max(share, 0.0), max(1 - share, 0.0))
    return rarer**2 * max(share, 1 - share) / stderr**2 if stderr > 0 else float("inf") if rarer > 0 else 0.0
