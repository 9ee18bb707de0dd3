"""An audit of draws: do reports come as often as promised, independently, and never more telling than claimed?

Every truth is disguised many times. Reports are held against the channel's exact matrix by chi-square, and so are pairs
of reports that follow each other. Epsilon is bounded from below by Clopper and Pearson's limits for the chance of
every report under every truth; the bound may not exceed what is claimed. One false alarm in a million, shared out
(Bonferroni) over everything that is compared.
"""

from dataclasses import dataclass
from itertools import product
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, chi2

import deniable as dn
from browser.family import node
from deniable.channel.instruction import Add
from deniable.deniability.epsilon import channel_epsilon
from deniable.device.disguise import disguise_columns
from deniable.device.follow import draws_needed
from deniable.device.randomness import secure

FALSE_ALARM = 1e-6
BINS = 16
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """What is disguised and how reports are counted: every truth, and the exact chance of every report."""

    design: dn.Design
    truths: list[tuple[Any, ...]]
    expected: NDArray[np.float64]  # [report, truth]
    sizes: list[int]
    bins: list[int] | None = None  # of noise steps
    first: int = 0

    @classmethod
    def of(cls, channel: dn.Channel) -> "Plan":
        """The plan for one channel; noise is counted in bins of steps."""
        design = dn.Design([channel])
        if isinstance(add := channel.instructions[0], Add):
            noise = add.noise
            bins = np.minimum((np.cumsum(noise.chances) * BINS).astype(int), BINS - 1)
            bins = np.unique(bins, return_inverse=True)[1]
            chances = np.bincount(bins, noise.chances)
            limits = channel.group[0].range
            assert limits is not None
            truths = [(limits.low,), (limits.high,)]
            expected = np.column_stack([chances] * len(truths))
            return cls(design, truths, expected, [len(chances)], bins.tolist(), noise.first)
        truths = list(product(*(range(len(question)) for question in channel.group)))
        sizes = [len(channel.reported(question)) for question in channel.group]
        return cls(design, truths, channel.matrix(), sizes)

    @property
    def claimed(self) -> float:
        """The epsilon that the page shows for this group."""
        return channel_epsilon(self.design.channels[0])


def page_counts(plan: Plan, draws: int, fault: str = "none", outcomes: int = 0) -> tuple[Counts, Counts]:
    """Reports and pairs of reports, drawn by the page's own modules: [report, truth] and [pair, truth]."""
    given = {
        "design": plan.design.to_json(), "truths": plan.truths, "count": draws // len(plan.truths), "sizes": plan.sizes,
        "size": len(plan.expected), "bins": plan.bins, "first": plan.first, "fault": fault, "outcomes": outcomes,
        "draws": draws_needed(plan.design.channels[0]),
    }  # fmt: skip
    told = node("audit.mjs", given=given)
    return np.array([each["single"] for each in told]).T, np.array([each["pairs"] for each in told]).T


def python_counts(plan: Plan, draws: int) -> tuple[Counts, Counts]:
    """The same, drawn by the library's secure randomness."""
    stream, singles, pairs = secure(), [], []
    for truth in plan.truths:
        index = np.concatenate([_reports(plan, truth, size, stream) for size in _pieces(draws // len(plan.truths))])
        singles.append(np.bincount(index, minlength=len(plan.expected)))
        even = index[: len(index) // 2 * 2].reshape(-1, 2)
        pairs.append(np.bincount(even[:, 0] * len(plan.expected) + even[:, 1], minlength=len(plan.expected) ** 2))
    return np.array(singles).T, np.array(pairs).T


def _pieces(count: int, most: int = 1_000_000) -> list[int]:
    return [most] * (count // most) + ([count % most] if count % most else [])


def _reports(plan: Plan, truth: tuple[Any, ...], count: int, stream: Any) -> Counts:
    kinds = {True: np.float64, False: np.int8}
    true = {
        question.name: np.full(count, cell, dtype=kinds[question.is_number])
        for question, cell in zip(plan.design.questions, truth, strict=True)
    }
    reported = disguise_columns(plan.design, true, lambda lottery, columns, rows: stream)
    if plan.bins is not None:
        (question,) = plan.design.questions
        assert question.range is not None
        steps = np.rint((reported[question.name] - true[question.name]) / question.range.step).astype(int)
        return np.asarray(np.array(plan.bins)[steps - plan.first])
    columns = [reported[question.name].astype(np.int64) for question in plan.design.questions]
    return np.asarray(np.ravel_multi_index(columns, plan.sizes))


def surprise(plan: Plan, singles: Counts, pairs: Counts) -> float:
    """The smallest p-value of reports and pairs, alone and over all truths, made honest for having looked at all."""
    tests = []
    for place in range(len(plan.truths)):
        chances = plan.expected[:, place]
        tests.append(
            (_distance(singles[:, place], chances), _distance(pairs[:, place], np.outer(chances, chances).ravel()))
        )
    together = [tuple(map(sum, zip(*kind, strict=True))) for kind in zip(*tests, strict=True)]
    found = [float(chi2.sf(far, free)) for far, free in [*(each for both in tests for each in both), *together] if free]
    return min(1.0, min(found) * len(found))


def _distance(counts: Counts, chances: NDArray[np.float64]) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom; rare reports are thrown together, impossible ones are a fault."""
    if counts[chances <= 0].any():
        return inf, 1
    expected = counts.sum() * chances
    rare = expected < 10
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    counts, expected = counts[expected > 0], expected[expected > 0]
    return float(((counts - expected) ** 2 / expected).sum()), len(counts) - 1


def epsilon_at_least(singles: Counts) -> float:
    """What epsilon surely is, given these counts: never more than it, but once in a million audits."""
    totals = singles.sum(axis=0)
    share = FALSE_ALARM / (2 * singles.size)
    low = np.where(singles == 0, 0.0, beta.ppf(share, np.maximum(singles, 1), totals - singles + 1))
    high = np.where(singles == totals, 1.0, beta.isf(share, singles + 1, np.maximum(totals - singles, 1)))
    surest = max(chances.max() / high[report].min() for report, chances in enumerate(low))
    return log(surest) if surest > 0 else -inf
