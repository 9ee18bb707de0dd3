"""Sample size: respondents needed for a margin, or the margin of so many replies: `dn.plan`.

The margin of a share is z standard errors: half its 95 % interval, but for small surveys. Its variance under a
disguise is known before anybody is asked:

    variance of one reply's weight for answer e, if e is true for a share p and the worst other answer for the rest
        = p S[e, e] + (1 - p) max over x of S[e, x] - p^2,     S = (inverse squared) M

Where the question has versions, it is that of `planned`, at planned shares. Replies are all replies, also those of
respondents whose version does not ask the question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isinf, sqrt
from typing import Any

import numpy as np
from scipy.special import ndtri

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.deniability.asked import Way, ways_of
from deniable.deniability.epsilon import channel_epsilon, epsilon_word, rounded_up
from deniable.errors import BadRequest
from deniable.inference.error import CONFIDENCE
from deniable.inference.invert.stack import ChannelStack
from deniable.inference.planned import PlannedQuestion
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
    not_told: tuple[str, ...] = ()  # those left out because no number of replies would tell them
    chosen: bool = False  # whether people choose a version, which nobody can plan

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        whole = self._figures() | {"question": self.question}
        rows = [{"question": each.question, **each._figures(), "note": each.note} for each in self.questions]
        return whole | {"questions": rows, "left_out": list(self.left_out), "note": self.note}

    @property
    def note(self) -> str:
        """What a reader must know before using the figure."""
        why = "not planned, since it depends on their distribution"
        noisy = [name for name in self.left_out if name not in self.not_told]
        notes = [f"{why}: {', '.join(noisy)}"] if noisy else []
        if self.not_told:
            notes.append(f"not planned, since no number of replies tells these shares: {', '.join(self.not_told)}")
        if self.chosen:
            notes.append("holds if people choose versions as their shares say")
        return "; ".join(notes)

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
    _check(margin, replies, share, confidence)
    z = float(ndtri((1 + confidence) / 2))
    ways = {name: found for block in design.blocks for name, found in ways_of(block).items()}
    rows, left_out, not_told = [], [], []
    for name in design.names:
        if any(way.channel.has_noise for way in ways[name]):
            left_out.append(name)
        elif (spread := _spread(design.block(name), ways[name], share)) is None:
            left_out.append(name)
            not_told.append(name)
        else:
            rows.append(replace(_row(ways[name], spread, z, margin, replies), chosen=design.block(name).chosen))
    if not rows and not_told:
        raise BadRequest("a plan", "for questions whose shares replies tell", ", ".join(not_told),
                         "ask them in every version that can be chosen")  # fmt: skip
    if not rows:
        raise BadRequest("a plan", "for questions with answers", "a design of numbers under noise only",
                         "plan those by simulation on a pilot")  # fmt: skip
    worst = max(rows, key=lambda row: (row.n, row.margin))
    return Plan(worst.n, worst.margin, worst.theta, worst.epsilon, worst.question, tuple(rows), tuple(left_out),
                tuple(not_told), any(block.chosen for block in design.versioned))  # fmt: skip


def _check(margin: float | None, replies: int | None, share: float | None, confidence: float) -> None:
    """Refuse what cannot be planned for."""
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


def theta_for(epsilon: float, answers: int = 2) -> float:
    """The theta of a k-ary (for two answers: Warner) question that gives this epsilon."""
    if not epsilon > 0 or isinf(epsilon):
        raise BadRequest("epsilon", "a positive number", epsilon, "log(4) is theta = 0.8 for two answers")
    return 1 / (1 + (answers - 1) * float(np.exp(-epsilon)))


def _spread(block: Block, ways: Sequence[Way], share: float | None) -> float | None:
    """The variance of a question's shares times all replies; None where replies do not tell them."""
    if block.is_plain:
        return weight_variance(ways[0].channel, ways[0].question, share)
    planned = PlannedQuestion.of(block, ways)
    return planned.variance(share) if planned.is_told else None


def _row(ways: Sequence[Way], spread: float, z: float, margin: float | None, replies: int | None) -> Plan:
    channels, name = [way.channel for way in ways], ways[0].question.name
    epsilon = rounded_up(max(channel_epsilon(channel) for channel in channels))
    thetas = {round(channel.theta, 9) if any(channel.truths) else None for channel in channels}
    theta = next(iter(thetas)) if len(thetas) == 1 else None
    if replies is None:
        assert margin is not None
        n = max(1, ceil(spread * (z / margin) ** 2 - 1e-9))
        return Plan(n, margin, theta, epsilon, name)
    return Plan(replies, z * sqrt(spread / replies), theta, epsilon, name)


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
