"""A test of fit where reports outnumber truths: `dn.fit_test`.

A lottery with more reports than true answers (cards, Hadamard response) allows only some shares of reports, whatever
the truth is. Other shares show that replies were not drawn by this lottery: another design, a broken device, people
who do not follow their instruction.

    X = n (U'r)' (U' (diag r - r r') U)^-1 (U'r)  with  U'M = 0        chi-square, as many degrees as U has columns

Versions of the same questions must agree with each other as well, so their stacked matrix is tested even where no
single version has more reports than truths. Their sizes are given: reports of version v sum to its size whatever the
lottery, and M'(1_v / s_v - 1_w / s_w) = 0 for any two versions, so these directions are left out, and covariances are
those within versions.

    degrees of freedom = reports of all versions - rank of M - (versions - 1)

Versions that disguise the questions alike count as one. Versions that respondents choose have truths of their own, so
each is tested for itself.

legend: M the matrix [reported, true] of a block, r the reported shares, s_v the share of version v, 1_v its reports;
blocks are drawn apart, so their X add up
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from scipy.linalg import block_diag, null_space
from scipy.special import chdtrc

from deniable.channel.block import Block, Version
from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.count.counts import Counts, tally
from deniable.count.missing import complete
from deniable.count.replies import counts_of
from deniable.errors import BadRequest, NoAnswers
from deniable.frame.columns import Missing
from deniable.inference.independence import Floats, chi_square_text, wald
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.invert.versions import VersionStack
from deniable.survey.question import Question

MIN_EXPECTED = 5  # replies in a reported cell, below which the test is rough
MAX_CELLS = 4096  # true, and reported in all versions together, of a block that is tested


@dataclass(frozen=True)
class FitTest:
    """A test of the hypothesis that replies were drawn by the lotteries of their design."""

    chi2: float
    df: int
    p: float
    n: int
    notes: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(self.notes)

    def __repr__(self) -> str:
        return f"<FitTest {self}>"

    def __str__(self) -> str:
        text = f"{chi_square_text(self.chi2, self.df, self.p)}, n = {self.n:,}"
        return f"{text} ({self.note})" if self.note else text


def fit_test(design: Design, replies: Any, *, missing: Missing = "skip") -> FitTest:
    """Test whether replies were drawn by the design, where reports outnumber the true answers.

    That is in channels with more reports than answers, and in questions that several versions ask. The sizes of
    versions count as given; whether they are as planned is another matter, which the note tells.
    """
    check_design(design)
    counts = counts_of(design, replies, missing)
    tested = [test for block in design.blocks if (test := _of_block(design, counts, block)) is not None]
    if not tested and design.versioned:
        raise BadRequest(
            "replies", "such that reports outnumber the true answers of some question", ", ".join(design.names),
            "have several versions of a question answered; very large blocks are not tested",
        )  # fmt: skip
    if not tested:
        raise BadRequest(
            "the design", "one whose reports outnumber the true answers of some question", ", ".join(design.names),
            "use lookup with more reports than answers, hadamard, or several versions of a question",
        )  # fmt: skip
    chi2, df, n = sum(each.chi2 for each in tested), sum(each.df for each in tested), max(each.n for each in tested)
    notes = dict.fromkeys(note for each in tested for note in each.notes)
    return FitTest(chi2, df, float(chdtrc(df, chi2)), n, tuple(notes))


def _of_block(design: Design, counts: Counts, block: Block) -> FitTest | None:
    """The test of one block, if its reports allow any."""
    if block.is_plain:
        return _tested(design, counts, block.channels[0]) if _is_tall(block.channels[0]) else None
    return _of_versions(design, counts, block)


def _is_tall(channel: Channel) -> bool:
    words = not any(question.is_number for question in channel.group)
    return words and any(len(channel.reported(question)) > len(question) for question in channel.group)


def _tested(design: Design, counts: Counts, channel: Channel) -> FitTest:
    """The test of one channel."""
    asked = [design.reported(question) for question in channel.group]
    answered, gaps = complete(counts, asked)
    reported = tally(answered, asked).ravel()
    n = float(reported.sum())
    if not n:
        raise NoAnswers(channel.names)
    (stack,) = stacks_of(design, list(channel.group))
    outside, shares = null_space(stack.matrix.T), reported / n
    covariance = outside.T @ (np.diag(shares) - np.outer(shares, shares)) @ outside
    chi2, df = wald(outside.T @ shares, covariance / n), outside.shape[1]
    rough = "rough" if n * shares.min() < MIN_EXPECTED else ""
    return FitTest(chi2, df, float(chdtrc(df, chi2)), round(n), tuple(filter(None, [rough, gaps.note])))


def _of_versions(design: Design, counts: Counts, block: Block) -> FitTest | None:
    """The test of a block with versions, of those of its questions that have answers."""
    questions = [question for question in block.questions if not question.is_number and not question.omit]
    if not questions or prod(map(len, questions)) > MAX_CELLS:
        return None
    if sum(prod(_reports(version, questions)) for version in block.versions) > MAX_CELLS:
        return None
    replies = Reported.of(design, counts, questions)
    (stack,) = replies.stacks
    assert isinstance(stack, VersionStack)
    reported = replies.table.ravel()
    n = float(reported.sum())
    if not n:
        raise NoAnswers(stack.names)
    outside = _outside(stack)
    if not outside.shape[1]:
        return None
    covariance = sum((_within(part, rows) for part, rows in _by_kind(stack, reported, outside)), np.zeros(()))
    chi2, df = wald(outside.T @ reported, covariance), outside.shape[1]
    rough = "rough" if reported.min() < MIN_EXPECTED else ""
    notes = tuple(filter(None, [rough, replies.gaps.note, replies.note]))
    return FitTest(chi2, df, float(chdtrc(df, chi2)), round(n), notes)


def _reports(version: Version, questions: Sequence[Question]) -> list[int]:
    """How many reports a version allows to each of the questions that it asks."""
    return [len(channel.reported(each)) for each in questions if (channel := version.channel(each.name)) is not None]


def _outside(stack: VersionStack) -> Floats:
    """What reports cannot do whatever the truth, and are free to do given the versions' sizes: [report, direction]."""
    if stack.block.chosen:
        kinds = zip(stack.kinds, stack.shares, strict=True)  # one that nobody chose says nothing
        parts = [null_space(kind.matrix.T) if share > 0 else np.zeros((len(kind.matrix), 0)) for kind, share in kinds]
        return np.asarray(block_diag(*parts))
    used = [index for index, share in enumerate(stack.shares) if share > 0]
    sizes = np.column_stack([(stack.kind_of_report == index) / stack.shares[index] for index in used])
    unused = np.eye(len(stack.matrix))[:, ~np.isin(stack.kind_of_report, used)]
    inside = np.hstack([stack.matrix, sizes[:, 1:] - sizes[:, :1], unused])
    axes, lengths, _ = np.linalg.svd(inside, full_matrices=inside.shape[0] > inside.shape[1])
    rank = int((lengths > lengths[0] * max(inside.shape) * np.finfo(float).eps).sum())
    return np.asarray(axes[:, rank:])


def _by_kind(stack: VersionStack, reported: Floats, outside: Floats) -> Iterator[tuple[Floats, Floats]]:
    """The reports to each kind of versions, and what they add to each direction."""
    for index in range(len(stack.kinds)):
        rows = stack.kind_of_report == index
        if reported[rows].any():
            yield reported[rows], outside[rows]


def _within(reported: Floats, outside: Floats) -> Floats:
    """The covariance of the directions' totals in one kind of versions, whose size is given."""
    centred = outside - reported @ outside / reported.sum()
    return np.asarray((centred.T * reported) @ centred)
