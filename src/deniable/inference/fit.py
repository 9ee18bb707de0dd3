"""A test of fit where reports outnumber truths: `dn.fit_test`.

A lottery with more reports than true answers (cards, Hadamard response) allows only some shares of reports, whatever
the truth is. Other shares show that replies were not drawn by this lottery: another design, a broken device, people
who do not follow their instruction.

    X = n (U'r)' (U' (diag r - r r') U)^-1 (U'r)  with  U'M = 0        chi-square, as many degrees as U has columns

legend: M the matrix [reported, true] of a channel, r the reported shares; channels are drawn apart, so their X add up
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space
from scipy.special import chdtrc

from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.count.counts import Counts, tally
from deniable.count.missing import complete
from deniable.count.replies import counts_of
from deniable.errors import BadRequest, NoReplies
from deniable.frame.columns import Missing
from deniable.inference.independence import wald
from deniable.inference.invert.stacks import stacks_of

MIN_EXPECTED = 5  # replies in a reported cell, below which the test is rough


@dataclass(frozen=True)
class FitTest:
    """A test of the hypothesis that replies were drawn by the lotteries of their design."""

    chi2: float
    df: int
    p: float
    n: int
    note: str = ""

    def __str__(self) -> str:
        text = f"chi-square {self.chi2:.2f} on {self.df} degrees of freedom, p = {self.p:.4g}, n = {self.n:,}"
        return f"{text} ({self.note})" if self.note else text


def fit_test(design: Design, replies: Any, *, missing: Missing = "skip") -> FitTest:
    """Test whether replies were drawn by the design, in the channels whose reports outnumber the true answers."""
    check_design(design)
    counts = counts_of(design, replies, missing)
    tested = [_tested(design, counts, channel) for channel in design.channels if _is_tall(channel)]
    if not tested:
        raise BadRequest(
            "the design", "one whose reports outnumber the true answers of some question", ", ".join(design.names),
            "use lookup with more reports than answers, or hadamard",
        )  # fmt: skip
    chi2, df, n = sum(each.chi2 for each in tested), sum(each.df for each in tested), max(each.n for each in tested)
    notes = dict.fromkeys(part for each in tested for part in each.note.split("; ") if part)
    return FitTest(chi2, df, float(chdtrc(df, chi2)), n, "; ".join(notes))


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
        raise NoReplies(f"what replies tell of {', '.join(channel.names)}")
    (stack,) = stacks_of(design, list(channel.group))
    outside, shares = null_space(stack.matrix.T), reported / n
    covariance = outside.T @ (np.diag(shares) - np.outer(shares, shares)) @ outside
    chi2, df = wald(outside.T @ shares, covariance / n), outside.shape[1]
    rough = "rough" if n * shares.min() < MIN_EXPECTED else ""
    return FitTest(chi2, df, float(chdtrc(df, chi2)), round(n), "; ".join(filter(None, [rough, gaps.note])))
