"""Reported table of some questions, and true shares estimated from it, by inversion or by iterative Bayes."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Counts
from deniable.errors import NoAnswers, NotIdentified
from deniable.inference.em.likeliest import likeliest, resampled
from deniable.inference.error import CONFIDENCE, Moments, met, moments
from deniable.inference.estimates import SMOOTHED, Estimate, found_half_width, share_estimate
from deniable.inference.interval.cells import cell_shares
from deniable.inference.interval.intervals import ScoreIntervals
from deniable.inference.interval.weights import MaskWeights
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stack import Table
from deniable.inference.invert.stacks import weights_of
from deniable.inference.query.expression import Truths
from deniable.inference.ratio import Ratio
from deniable.inference.sampling.drawn import DesignEffect, Drawn, Worth
from deniable.inference.sampling.sample import Sample
from deniable.survey.question import Question

BOOTSTRAPS = 200
MAX_BLOCK = 1024  # true cells of one block, whose matrix is worked with as a whole
NOBODY_THERE = Estimate(0.0, 1.0, 0.0, 1.0, 0, "inverse", 1.0, caveat="nobody there, as far as the replies tell")


class ReportedTable:
    """The reported table of some questions, from which true shares are estimated."""

    def __init__(self, questions: Sequence[Question], replies: Reported) -> None:
        self.questions = questions
        self.stacks = replies.stacks
        self.reported = replies.table
        self._replies = replies
        self._true: Table | None = None

    @classmethod
    def of(
        cls, design: Design, counts: Counts, questions: Sequence[Question], sample: Sample | None = None
    ) -> "ReportedTable":
        """Count the replies that answer these (true, perhaps newly cut) questions."""
        found = Reported.of(design, counts, questions, sample)
        if not found.table.sum():
            raise NoAnswers(question.name for question in questions)
        return cls(questions, found)

    @property
    def note(self) -> str:
        """How many replies are not in it, which versions are not as frequent as planned, and the design effect."""
        effect = self._replies.design_effect
        return "; ".join(filter(None, [self._caveat, "" if effect is None else str(effect)]))

    def noted(self, found: Estimate) -> Estimate:
        """An estimate from this table, with what a reader must know of the table."""
        return replace(found.saying(self._caveat), design_effect=self._replies.design_effect)

    @property
    def _caveat(self) -> str:
        return "; ".join(filter(None, [self._replies.gaps.note, self._replies.note]))

    @property
    def method(self) -> str:
        """Numbers under noise have no stable inverse: theirs is iterative Bayes."""
        return "bayes" if any(stack.has_noise for stack in self.stacks) else "inverse"

    def check_identified(self) -> None:
        """Refuse a table that replies cannot tell."""
        cells = int(np.prod([len(question) for question in self.questions]))
        weights_of(np.eye(cells).reshape(*[len(question) for question in self.questions], cells), self.stacks)

    def conditioned(self, weights: Table) -> Table:
        """Weights with the same mean, and the variance of one where the sizes of drawn versions are given."""
        return self._replies.conditioned(weights)

    def moments(self, weights: Table) -> Moments:
        """Moments of a figure's weights, the sizes of drawn versions given."""
        return moments(self.reported, self.conditioned(weights), possible=weights)

    def share(self, mask: Truths, given: Truths | None = None) -> Estimate:
        """The share of respondents in these true cells (among those in the given ones)."""
        if self.method == "inverse":
            among = None if given is None or given.all() else given.astype(float)
            return (self._by_weights if self._replies.drawn is None else self._of_sample)(mask.astype(float), among)
        return self.evenly().by_bayes(lambda true: _ratio(true, mask, given), (0.0, 1.0), given, share=True)

    def _by_weights(self, mask: Table, given: Table | None) -> Estimate:
        of, base = weights_of(mask, self.stacks), None if given is None else weights_of(given, self.stacks)
        found = share_estimate(self.moments(of if base is None else Ratio.of(self.reported, of, base).weights))
        people = float((self.reported * (1.0 if base is None else base)).sum())
        half_width = self._score.expected(lambda stacks: MaskWeights(stacks, mask, given)).item()
        found = replace(found, n=round(people), half_width=half_width).saying(self._caveat)
        if base is None and self._is_one_reported_share(of):
            return found
        means = (np.array([float((self.reported * of).sum()) / self._n]), np.array([people / self._n]))
        low, high = self._score.interval(*means, lambda stacks: MaskWeights(stacks, mask, given))
        return replace(found, low=low.item(), high=high.item())

    def _of_sample(self, mask: Table, given: Table | None) -> Estimate:
        """The same for people who were not drawn evenly: as if so many had been that the error is the sample's."""
        of, base = weights_of(mask, self.stacks), None if given is None else weights_of(given, self.stacks)
        worth = self.worth(of, base)
        factor = 1 / (worth.effect * worth.wider**2)
        found = ReportedTable(self.questions, self._replies.scaled(factor))._by_weights(mask, given)
        value, low, high = (worth.scale * each for each in (found.value, found.low, found.high))
        n = round(self._n if base is None else float((self.reported * base).sum()))
        return replace(found, value=value, low=min(low, 1.0), high=min(high, 1.0), stderr=worth.stderr, n=n,
                       design_effect=worth.design_effect(self._n))  # fmt: skip

    def spread(self, reading: Table) -> float:
        """The standard error of the mean of centred readings, [*report]."""
        worth = self._spread_worth(reading)
        return self.moments(reading).stderr if worth is None else worth.stderr

    def spread_effect(self, reading: Table) -> DesignEffect | None:
        """The design effect of that mean; nothing where people were drawn evenly."""
        worth = self._spread_worth(reading)
        return None if worth is None else worth.design_effect(self._n)

    def _spread_worth(self, reading: Table) -> Worth | None:
        drawn, cells = self._replies.drawn, self._replies.cells
        if drawn is None:
            return None
        own = self.conditioned(reading).ravel()[cells]
        return drawn.worth(own, np.zeros(len(own)))

    @property
    def population(self) -> float:
        """How many people the sample stands for, or how many replied."""
        drawn = self._replies.drawn
        return self._n if drawn is None or drawn.population is None else drawn.population

    def evenly(self) -> "ReportedTable":
        """The same shares, as if from so many people drawn evenly that a typical figure is as exactly known."""
        drawn = self._replies.drawn
        if drawn is None:
            return self
        worth = self._typical_worth(drawn)
        factor = 1 / (worth.effect * worth.wider**2)
        return ReportedTable(self.questions, self._replies.scaled(factor, worth.design_effect(drawn.n)))

    def _typical_worth(self, drawn: Drawn) -> Worth:
        """Of the mean cell of the first question; under noise, or where that is not told, of its mean report."""
        cells = self._replies.cells
        shape = [len(question) for question in self.questions]
        along = np.arange(shape[0], dtype=float).reshape(-1, *[1] * (len(shape) - 1)) * np.ones(shape)
        report = np.unravel_index(np.arange(self.reported.size), self.reported.shape)[0].astype(float)
        reading, square = report.reshape(self.reported.shape), np.zeros(self.reported.shape)
        with suppress(NotIdentified):
            if self.method != "bayes":
                mean = float((self.reported * weights_of(along, self.stacks)).sum()) / self._n
                reading, square = (weights_of((along - mean) ** power, self.stacks) for power in (1, 2))
        return drawn.worth(self.conditioned(reading).ravel()[cells], square.ravel()[cells])

    @property
    def replied(self) -> float:
        """How many people replied, however many the table stands for."""
        return self._n / self._replies.scale

    def worth(self, of: Table, base: Table | None = None) -> Worth:
        """What the sample is worth for a share with these weights (among those with others)."""
        drawn, cells = self._replies.drawn, self._replies.cells
        assert drawn is not None
        among = np.ones(of.shape) if base is None else base
        ratio = Ratio.of(self.reported, of, among)
        counted = base is None and drawn.population is not None
        reading = self.conditioned(of if counted else ratio.residual).ravel()[cells]
        square = of if counted else (1 - 2 * ratio.value) * of + ratio.value**2 * among  # of one or zero among some
        return drawn.worth(reading, square.ravel()[cells], ratio.share, counted=counted)

    def _is_one_reported_share(self, weights: Table) -> bool:
        """Whether a share of one question's answers is a function of one reported share: then Wilson's interval is."""
        ends = np.isclose(weights, weights.min()) | np.isclose(weights, weights.max())
        return len(self.questions) == 1 and not self._replies.has_versions and bool(ends.all())

    @property
    def _n(self) -> float:
        return float(self.reported.sum())

    @cached_property
    def _score(self) -> ScoreIntervals:
        return ScoreIntervals(self.reported[..., None], self.stacks)

    @property
    def in_blocks(self) -> bool:
        """Whether all cells of a table of several questions can be estimated at once, block by block."""
        small = all(np.prod(stack.true_shape) <= MAX_BLOCK for stack in self.stacks)
        return self.method == "inverse" and len(self.questions) > 1 and small and self._replies.drawn is None

    def cells(self, among: Sequence[int] | None = None) -> list[Estimate]:
        """The share of every cell (among those with the same answers to the questions of these axes)."""
        self._replies.check_identified()
        found, nobody = cell_shares(self._score, among), self.noted(NOBODY_THERE)
        figures = (found.value, found.stderr, found.low, found.high, found.people, found.half_width, found.met)
        rows = zip(*(each.ravel().tolist() for each in figures), strict=True)
        return [
            self.noted(Estimate(value, stderr, low, high, round(people), "inverse", half_width)) if met else nobody
            for value, stderr, low, high, people, half_width, met in rows
        ]

    def by_bayes(
        self,
        figure: Callable[[Table], Table],
        limits: tuple[float, float],
        given: Truths | None = None,
        share: bool = False,
    ) -> Estimate:
        """A figure of the likeliest true table (of those in the given cells), its error and interval by bootstrap."""
        value, *again = np.asarray(figure(self.true_tables()))
        tails = 100 * (1 - CONFIDENCE) / 2
        stderr, (low, high) = float(np.std(again)), np.percentile(again, [tails, 100 - tails])
        low, high = np.clip([low, high], *limits)
        among = 1.0 if given is None else float(self.true_tables()[given, 0].sum())
        n = round(self.replied * among)
        half_width = float(found_half_width(stderr, n)) if share else None
        found = Estimate(float(value), stderr, float(low), float(high), n, "bayes", half_width, limits)
        return self.noted(found.saying(SMOOTHED if share else ""))

    def true_tables(self) -> Table:
        """True shares by iterative Bayes: of the replies, and of their bootstraps, along the last axis."""
        if self._true is None:
            self._replies.check_together()
            rng = np.random.default_rng(0)
            again = np.sum([resampled(part, BOOTSTRAPS, rng) for part in self._replies.strata], axis=0)
            many = np.concatenate([self.reported[..., None], again], axis=-1)
            parts = self._replies.by_choice(many)
            self._true = np.sum([share * likeliest(table, stacks) for share, table, stacks in parts], axis=0)
        return self._true


def _ratio(true: Table, mask: Truths, given: Truths | None) -> Table:
    """The share of these cells (among the given ones) in each of many tables."""
    share = true[mask].sum(axis=0)
    return np.asarray(share if given is None else share / met(true[given].sum(axis=0)))
