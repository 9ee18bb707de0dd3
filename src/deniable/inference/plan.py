"""Sample size: respondents needed for a margin, or the margin of so many replies: `dn.plan`.

The margin of a share is z standard errors: half its 95 % interval, but for small surveys. Its variance under a
disguise is known before anybody is asked:

    variance of one reply's weight for answer e, if e is true for a share p and the worst other answer for the rest
        = p S[e, e] + (1 - p) max over x of S[e, x] - p^2,     S = (inverse squared) M
"""

from dataclasses import dataclass
from math import ceil, isinf, sqrt
from typing import Any

import numpy as np
from scipy.special import ndtri

from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.deniability.epsilon import channel_epsilon, epsilon_word, rounded_up
from deniable.errors import BadRequest
from deniable.inference.error import CONFIDENCE
from deniable.inference.invert.stack import ChannelStack
from deniable.notebook import notebook_html, shortened
from deniable.survey.question import Question

SMALLEST = 1e-6  # a margin that no survey reaches


@dataclass(frozen=True)
class Plan:
    """Respondents and margin of the question that needs most, and of every other."""

    n: int
    margin: float
    theta: float | None
    epsilon: float
    question: str
    questions: tuple["Plan", ...] = ()
    left_out: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        whole = self._figures() | {"question": self.question}
        rows = [{"question": each.question, **each._figures()} for each in self.questions]
        return whole | {"questions": rows, "left_out": list(self.left_out), "note": self.note}

    @property
    def note(self) -> str:
        """What a reader must know before using the figure."""
        why = "not planned, since it depends on their distribution"
        return f"{why}: {', '.join(self.left_out)}" if self.left_out else ""

    def _figures(self) -> dict[str, Any]:
        return {"n": self.n, "margin": self.margin, "theta": self.theta, "epsilon": epsilon_word(self.epsilon)}

    def __repr__(self) -> str:
        return f"<Plan: {self.n:,} replies, margin {self.margin:.4f}, {shortened(self.question, 40)} needs most>"

    def _repr_html_(self) -> str:
        return notebook_html("plan", self)

    def __str__(self) -> str:
        but = f"; {self.note}" if self.note else ""
        return f"{self.n:,} replies give every share within ± {self.margin:.4f} ({self.question} needs most){but}"


def plan(
    design: Design,
    margin: float | None = None,
    *,
    replies: int | None = None,
    share: float | None = None,
    confidence: float = CONFIDENCE,
) -> Plan:
    """Respondents needed for a margin, or the margin that so many replies buy.

    Holds for the share of any answer to any single question, at the worst possible share or at `share`.
    Numbers under noise are left out: their margin depends on their distribution.
    """
    check_design(design)
    if (margin is None) == (replies is None):
        raise BadRequest(
            "a plan", "asked for a margin or for a number of replies", (margin, replies), "give one of them"
        )
    if margin is not None and not SMALLEST <= margin < 1:
        raise BadRequest("margin", f"a share between {SMALLEST} and 1", margin, "write 0.02 for 2 points")
    if replies is not None and replies < 1:
        raise BadRequest("replies", "at least 1", replies, "give a number of respondents")
    if share is not None and not 0 <= share <= 1:
        raise BadRequest("share", "between 0 and 1", share, "leave it out for the worst case")
    if not 0 < confidence < 1:
        raise BadRequest("confidence", "between 0 and 1", confidence, "write 0.95 for 95 %")
    z = float(ndtri((1 + confidence) / 2))
    planned = [question for question in design.questions if not design.has_noise(question.name)]
    left_out = tuple(question.name for question in design.questions if question not in planned)
    rows = [_row(design.channel(question.name), question, z, margin, replies, share) for question in planned]
    if not rows:
        raise BadRequest("a plan", "for questions with answers", "a design of numbers under noise only",
                         "plan those by simulation on a pilot")  # fmt: skip
    worst = max(rows, key=lambda row: (row.n, row.margin))
    return Plan(worst.n, worst.margin, worst.theta, worst.epsilon, worst.question, tuple(rows), left_out)


def theta_for(epsilon: float, answers: int = 2) -> float:
    """The theta of a k-ary (for two answers: Warner) question that gives this epsilon."""
    if not epsilon > 0 or isinf(epsilon):
        raise BadRequest("epsilon", "a positive number", epsilon, "log(4) is theta = 0.8 for two answers")
    return 1 / (1 + (answers - 1) * float(np.exp(-epsilon)))


def _row(
    channel: Channel, question: Question, z: float, margin: float | None, replies: int | None, share: float | None
) -> Plan:
    spread = weight_variance(channel, question, share)
    epsilon = rounded_up(channel_epsilon(channel))
    theta = round(channel.theta, 9) if any(channel.truths) else None
    if replies is None:
        assert margin is not None
        n = max(1, ceil(spread * (z / margin) ** 2 - 1e-9))
        return Plan(n, margin, theta, epsilon, question.name)
    return Plan(replies, z * sqrt(spread / replies), theta, epsilon, question.name)


def weight_variance(channel: Channel, question: Question, share: float | None = None) -> float:
    """The largest variance of one reply's weight over the question's answers, at this or the worst share."""
    if channel.is_clear:
        p = 0.5 if share is None else share
        return p * (1 - p)
    stack = ChannelStack((question,), (0,), channel)
    squares = stack.inverse**2 @ stack.matrix
    return max(_variance(squares[answer], answer, share) for answer in range(len(question)))


def _variance(squares: np.ndarray[Any, np.dtype[np.float64]], answer: int, share: float | None) -> float:
    own, other = float(squares[answer]), float(np.delete(squares, answer).max())
    p = min(1.0, max(0.0, (own - other) / 2)) if share is None else share
    return max(0.0, p * own + (1 - p) * other - p**2)
