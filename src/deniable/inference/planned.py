"""Planned variance of a share of a single question.

The variance of one reply's weight for answer e, if e is true for a share p and the worst other answer for the rest, is

    p S[e, e] + (1 - p) max over x of S[e, x] - p^2,     S = (inverse squared) M

Versions of planned shares, sizes given: the variance of one reply's weight for answer e is that within versions, with
the weights of the stacked matrix's left inverse,

    variance = sum over k of s_k ( sum over r of w_k[r]^2 (M_k x)[r]  -  (sum over r of w_k[r] (M_k x)[r])^2 )

Linear in the truth x minus squares, so concave: the worst truth is found by moving people from one answer to another
until no move adds anything. What a further move could add at most is counted as if it did, so the variance is never
smaller than the worst.

Versions that respondents choose are not pooled. Each has weights of its own and sizes are not given, so the variance is
the mean square minus p^2; the worst truth has e where it adds most to the mean square.

legend: M matrix of the question, k kind of versions, s_k its share of those who are asked, M_k its matrix, w_k the
weights of its reports, p the share of answer e
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block, Version
from deniable.channel.channel import Channel
from deniable.deniability.asked import Way
from deniable.inference.invert.stack import ChannelStack, Table
from deniable.inference.invert.versions import VersionStack
from deniable.survey.question import Question

STEPS = 1000  # from one answer to another
CLOSE = 1e-9  # to the worst variance

Variance = Callable[[float | None], float]  # of one reply's weight, at a share or at the worst


def weight_variance(channel: Channel, question: Question, share: float | None = None) -> float:
    """The largest variance of one reply's weight over the question's answers, at this or the worst share."""
    return max(variance(share) for variance in answer_variances(channel, question))


def answer_variances(channel: Channel, question: Question) -> list[Variance]:
    """The variance of one reply's weight for each answer; of a number in the clear, for any interval."""
    if channel.is_clear:
        return [lambda share: 0.25 if share is None else share * (1 - share)]
    stack = ChannelStack((question,), (0,), channel)
    squares = stack.inverse**2 @ stack.matrix
    return [_answer_variance(squares[answer], answer) for answer in range(len(question))]


def _answer_variance(squares: Table, answer: int) -> Variance:
    own, other = float(squares[answer]), float(np.delete(squares, answer).max())

    def variance(share: float | None) -> float:
        p = min(1.0, max(0.0, (own - other) / 2)) if share is None else share
        return max(0.0, p * own + (1 - p) * other - p**2)

    return variance


@dataclass(frozen=True)
class PlannedQuestion:
    """A question with versions, and the stack that its estimates will be made with."""

    stack: VersionStack
    asked: float  # share of the respondents whose version asks it; others add nothing to the estimate

    @classmethod
    def of(cls, block: Block, ways: Sequence[Way]) -> "PlannedQuestion":
        """A question of a block that asks it in these ways; versions that ask it alike are planned as one."""
        question = ways[0].question
        if block.chosen:
            return cls(VersionStack((question,), (0,), block), 1.0)
        shares = dict(zip(block.version_names, block.shares.tolist(), strict=True))
        sizes = [sum(shares[name] for name in way.versions) for way in ways]
        versions = [
            Version(way.versions[0], size / sum(sizes), (way.channel,)) for way, size in zip(ways, sizes, strict=True)
        ]
        return cls(VersionStack((question,), (0,), replace(block, versions=tuple(versions), order=())), sum(sizes))

    @property
    def is_identified(self) -> bool:
        """Whether replies tell the shares of its answers at all."""
        return self.stack.identifies(np.eye(len(self.stack.questions[0])))

    def variance(self, share: float | None = None) -> float:
        """The largest variance of a share of its answers, times all respondents, at this or the worst share."""
        return max(variance(share) for variance in self.answer_variances)

    @property
    def answer_variances(self) -> list[Variance]:
        """The variance of the share of each answer, times all respondents."""
        return [self._answer_variance(answer) for answer in range(len(self.stack.questions[0]))]

    def _answer_variance(self, answer: int) -> Variance:
        variance = _chosen if self.stack.block.chosen else _drawn
        return lambda share: variance(self.stack, answer, share) / self.asked


def _drawn(stack: VersionStack, answer: int, share: float | None) -> float:
    """The variance of one weight for an answer within versions, under the worst truth."""
    squares, means = _moments(stack, answer)
    ends = np.eye(squares.shape[1])
    if share is not None:
        ends = (1 - share) * np.delete(ends, answer, axis=0)
        ends[:, answer] = share
    return worst_variance(stack.shares @ squares @ ends.T, means @ ends.T, stack.shares)


def _chosen(stack: VersionStack, answer: int, share: float | None) -> float:
    """The variance of one weight for an answer over all who choose a version, under the worst truth of each version."""
    squares, _ = _moments(stack, answer)
    others = np.delete(squares, answer, axis=1).max(axis=1)
    total, p = float(stack.shares @ others), 0.0
    gains = squares[:, answer] - others
    for kind in np.argsort(-gains):
        limit = p + stack.shares[kind] if share is None else min(share, p + stack.shares[kind])
        to = limit if share is not None else float(np.clip(gains[kind] / 2, p, limit))
        total, p = total + float(gains[kind]) * (to - p), to
    return max(0.0, total - p**2)


def _moments(stack: VersionStack, answer: int) -> tuple[Table, Table]:
    """The mean square and the mean of an answer's weights in each kind of versions, by true answer: [k, x]."""
    weights = stack.weights(np.eye(len(stack.questions[0]))[:, answer])
    parts = [weights[stack.starts[index] : stack.starts[index + 1]] for index in range(len(stack.kinds))]
    both = [(part**2 @ kind.matrix, part @ kind.matrix) for part, kind in zip(parts, stack.kinds, strict=True)]
    return np.array([squares for squares, _ in both]), np.array([mean for _, mean in both])


def worst_variance(squares: Table, means: Table, shares: Table, parts: NDArray[np.intp] | None = None) -> float:
    """The largest  squares y - sum over k of shares[k] (means[k] y)^2  over y that are distributions in each part."""
    sides = [np.arange(len(squares))] if parts is None else [np.flatnonzero(parts == each) for each in np.unique(parts)]
    y = np.zeros(len(squares))
    for side in sides:
        y[side[np.argmax((squares - shares @ means**2)[side])]] = 1.0
    value = best = 0.0
    for _ in range(STEPS):
        averages = means @ y
        value = float(squares @ y - shares @ averages**2)
        slopes = squares - 2 * (shares * averages) @ means
        moves = [_steepest(slopes, y, side) for side in sides]
        best = float(sum(slopes[to] for to, _ in moves) - slopes @ y)  # that any move adds, at most
        to, away = max(moves, key=lambda move: slopes[move[0]] - slopes[move[1]])
        bend = float(shares @ (means[:, to] - means[:, away]) ** 2)
        step = (slopes[to] - slopes[away]) / (2 * bend) if bend > 0 else 1.0
        if best < CLOSE * max(1.0, value):
            break
        moved = min(float(step), float(y[away]))
        y[to], y[away] = y[to] + moved, y[away] - moved
    return max(0.0, value + best)


def _steepest(slopes: Table, y: Table, side: NDArray[np.intp]) -> tuple[int, int]:
    """Where people should come, and from where, within one part."""
    own = slopes[side]
    return int(side[np.argmax(own)]), int(side[np.argmin(np.where(y[side] > 0, own, np.inf))])
