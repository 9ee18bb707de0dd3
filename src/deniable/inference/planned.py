"""Planned variance of a share whose question has versions.

Versions of planned shares, sizes given: the variance of one reply's weight for answer e is that within versions, with
the weights of the stacked matrix's left inverse,

    variance = sum over k of s_k ( sum over r of w_k[r]^2 (M_k x)[r]  -  (sum over r of w_k[r] (M_k x)[r])^2 )

Linear in the truth x minus squares, so concave: the worst truth is found by moving people from one answer to another
until no move adds anything. What a further move could add at most is counted as if it did, so the variance is never
smaller than the worst.

Versions that respondents choose are not pooled. Each has weights of its own and sizes are not given, so the variance is
the mean square minus p^2; the worst truth has e where it adds most to the mean square.

legend: k kind of versions, s_k its share of those who are asked, M_k its matrix, w_k the weights of its reports,
p the share of answer e
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from deniable.channel.block import Block, Version
from deniable.deniability.asked import Way
from deniable.inference.invert.stack import Table
from deniable.inference.invert.versions import VersionStack

STEPS = 1000  # from one answer to another
CLOSE = 1e-9  # to the worst variance


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
    def is_told(self) -> bool:
        """Whether replies tell the shares of its answers at all."""
        return self.stack.identifies(np.eye(len(self.stack.questions[0])))

    def variance(self, share: float | None = None) -> float:
        """The largest variance of a share of its answers, times all respondents, at this or the worst share."""
        variance = _chosen if self.stack.block.chosen else _drawn
        return max(variance(self.stack, answer, share) for answer in range(len(self.stack.questions[0]))) / self.asked


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


def worst_variance(squares: Table, means: Table, shares: Table) -> float:
    """The largest  squares y - sum over k of shares[k] (means[k] y)^2  over distributions y."""
    y = np.zeros(len(squares))
    y[np.argmax(squares - shares @ means**2)] = 1.0
    value = best = 0.0
    for _ in range(STEPS):
        averages = means @ y
        value = float(squares @ y - shares @ averages**2)
        slopes = squares - 2 * (shares * averages) @ means
        to, away = int(np.argmax(slopes)), int(np.argmin(np.where(y > 0, slopes, np.inf)))
        best = float(slopes[to] - slopes @ y)  # that any move adds, at most
        bend = float(shares @ (means[:, to] - means[:, away]) ** 2)
        step = (slopes[to] - slopes[away]) / (2 * bend) if bend > 0 else 1.0
        if best < CLOSE * max(1.0, value):
            break
        moved = min(float(step), float(y[away]))
        y[to], y[away] = y[to] + moved, y[away] - moved
    return max(0.0, value + best)
