"""Sample size, worked out exactly: respondents for a margin or a power, or what so many replies give.

The margin of a figure is z standard errors: half its 95 % interval, but for small surveys. Its variance under a
disguise is known before anybody is asked, at the worst possible truth or at an expected one (`planned` for single
questions, `planning.spread` for everything else); what a test finds is in `planning.power`. Replies are all replies,
also those of respondents whose version does not ask the question.

>>> import deniable as dn
>>> design = dn.Design([dn.forced(1 / 6, 1 / 6, dn.yes_no("harassed"))])
>>> round(dn.plan(design, replies=1000, share=0.25, difference=0.05).power, 4)      # .30, not .25, is true
0.6065
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isinf, sqrt
from typing import Any

import numpy as np

from deniable.channel.design import Design, check_design
from deniable.deniability.epsilon import channel_epsilon, epsilon_word, rounded_up
from deniable.errors import BadRequest
from deniable.inference.error import CONFIDENCE, quantile_of
from deniable.inference.planning.figures import (
    Figure,
    names_in,
    question_figure,
)
from deniable.inference.planning.goal import Given, Goal
from deniable.inference.planning.power import power_of
from deniable.inference.planning.subject import Subject
from deniable.inference.planning.truth import Expected, Share
from deniable.notebook import notebook_html, shortened

EVERY_SHARE = "every share"


@dataclass(frozen=True)
class Plan:
    """Respondents and margin (or power) of the figure that needs most, and of every other."""

    n: int
    margin: float
    theta: float | None
    epsilon: float
    question: str  # or the expression, the cell or the mean that was planned
    questions: tuple["Plan", ...] = ()
    left_out: tuple[str, ...] = ()
    not_identified: tuple[str, ...] = ()  # those left out because no number of replies would tell them
    chosen: bool = False  # whether people choose a version, which nobody can plan
    difference: float | None = None  # of the true share from the stated one
    power: float | None = None  # the chance to find it
    granted: tuple[str, ...] = ()  # what was taken for granted about the truth, in words
    what: str = EVERY_SHARE
    confidence: float = CONFIDENCE
    spreads: tuple[float, ...] = ()  # n times the variance of the estimate; in a test, at the stated and the true share

    def margin_of(self, replies: float) -> float:
        """The margin that so many replies give at the same truth."""
        return self._z * sqrt(self.spreads[0] / replies)

    def power_of(self, replies: float) -> float:
        """The power that so many replies have at the same truth."""
        assert self.difference is not None
        return power_of(replies, self.difference, self.spreads[0], self.spreads[1], self._z)

    @property
    def _z(self) -> float:
        return quantile_of(self.confidence)

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        whole = self._figures() | {"question": self.question}
        rows = [{"question": each.question, **each._figures(), "note": each.note} for each in self.questions]
        return whole | {"questions": rows, "left_out": list(self.left_out), "note": self.note}

    @property
    def note(self) -> str:
        """What a reader must know before using the figure."""
        why = "not planned, since it depends on their distribution"
        noisy = [name for name in self.left_out if name not in self.not_identified]
        notes = [f"{why}: {', '.join(noisy)}"] if noisy else []
        if self.not_identified:
            notes.append(
                f"not planned, since no number of replies tells these shares: {', '.join(self.not_identified)}"
            )
        if self.chosen:
            notes.append("holds if people choose versions as their shares say")
        return "; ".join([*notes, *self.granted])

    def _figures(self) -> dict[str, Any]:
        test = {} if self.difference is None else {"difference": self.difference, "power": self.power}
        return {"n": self.n, "margin": self.margin, **test, "theta": self.theta, "epsilon": epsilon_word(self.epsilon)}

    def __repr__(self) -> str:
        gives = f"margin {self.margin:.4f}" if self.power is None else f"power {self.power:.4f}"
        return f"<Plan: {self.n:,} replies, {gives}, {shortened(self.question, 40)} needs most>"

    def _repr_html_(self) -> str:
        return notebook_html("plan", self)

    def __str__(self) -> str:
        most = f" ({self.question} needs most)" if self.what == EVERY_SHARE or len(self.questions) > 1 else ""
        but = f"; {self.note}" if self.note else ""
        if self.power is None:
            return f"{self.n:,} replies give {self.what} within ± {self.margin:.4f}{most}{but}"
        test = f"a difference of {self.difference:g} in {self.what}, two-sided at {1 - self.confidence:.4g}"
        return f"{self.n:,} replies find {test}, with a power of {self.power:.4f}{most}{but}"


def plan(
    design: Design,
    margin: float | None = None,
    *,
    replies: int | None = None,
    share: Share = None,
    confidence: float = CONFIDENCE,
    expression: str | Sequence[str] | None = None,
    given: str | None = None,
    table: Sequence[str] | None = None,
    mean: str | None = None,
    sd: float | None = None,
    difference: float | None = None,
    power: float | None = None,
) -> Plan:
    """Respondents needed for a margin or a power, or what so many replies give; for the arguments see `dn.plan`."""
    check_design(design)
    subject = Subject(expression, given, table, mean, sd)
    goal = Goal(margin, replies, difference, power, confidence, subject.width(design))
    subject.check(design, share)
    expected, what = Expected.of(design, share), EVERY_SHARE
    left_out: list[str] = []
    not_identified: list[str] = []
    figures = subject.figures(design, expected)
    if figures is None:
        figures, left_out, not_identified = _every_question(design, given, expected)
    elif len(figures) == 1:
        what = figures[0].name if mean is not None else f"the share of {figures[0].name}"
    rows = [_row(design, figure, goal) for figure in figures]
    worst = max(rows, key=lambda row: (row.n, -(row.power or 0.0), row.margin))
    chosen = any(row.chosen for row in rows) or (len(left_out) > 0 and any(block.chosen for block in design.versioned))
    granted = tuple(dict.fromkeys(note for row in rows for note in row.granted))
    return replace(worst, questions=tuple(rows), left_out=tuple(left_out), not_identified=tuple(not_identified),
                   chosen=chosen, granted=granted, what=what)  # fmt: skip


def _every_question(design: Design, given: str | None, expected: Expected) -> tuple[list[Figure], list[str], list[str]]:
    """The shares of every question; those left out, and those among them that replies do not tell."""
    figures, left_out, not_identified = [], [], []
    condition = [] if given is None else names_in(given)
    for question in design.questions:
        if question.name in condition:
            continue
        if design.has_noise(question.name):
            left_out.append(question.name)
        elif (figure := question_figure(design, question, given, expected)) is None:
            left_out.append(question.name)
            not_identified.append(question.name)
        else:
            figures.append(figure)
    if not figures and not_identified:
        raise BadRequest("a plan", "for questions whose shares replies tell", ", ".join(not_identified),
                         "ask them in every version that can be chosen")  # fmt: skip
    if not figures:
        raise BadRequest("a plan", "for questions with answers", "a design of numbers under noise only",
                         "plan those by simulation on a pilot")  # fmt: skip
    return figures, left_out, not_identified


def _row(design: Design, figure: Figure, goal: Goal) -> Plan:
    """The plan of one figure, which is that of its spread that needs most."""
    found = [each for spread in figure.spreads if (each := goal.of(spread)) is not None]
    if not found:
        raise BadRequest("difference", f"such that share + difference of {figure.name} lies between 0 and 1",
                         goal.difference, "give another share or difference")  # fmt: skip
    most = max(found, key=lambda each: each.rank)
    theta, epsilon, chosen = _disguise(design, figure.questions)
    return Plan(most.n, most.margin, theta, epsilon, figure.name, chosen=chosen, difference=goal.difference,
                power=most.power, granted=figure.granted, confidence=goal.confidence,
                spreads=_spreads(most))  # fmt: skip


def _spreads(found: Given) -> tuple[float, ...]:
    return (found.spread,) if found.true is None else (found.spread, found.true)


def _disguise(design: Design, names: Sequence[str]) -> tuple[float | None, float, bool]:
    """Theta where there is one for all these questions, epsilon of their channels, and whether versions are chosen."""
    blocks = design.blocks_of(names)
    epsilon, thetas = 0.0, set()
    for block in blocks:
        of_versions = []
        for version in block.versions:
            channels = [channel for channel in version.channels if not set(names).isdisjoint(channel.names)]
            thetas |= {round(channel.theta, 9) if any(channel.truths) else None for channel in channels}
            of_versions.append(sum((channel_epsilon(channel) for channel in channels), 0.0))
        epsilon += max(of_versions)
    theta = next(iter(thetas)) if len(thetas) == 1 else None
    return theta, rounded_up(epsilon), any(block.chosen for block in blocks)


def theta_for(epsilon: float, answers: int = 2) -> float:
    """The theta of a k-ary (for two answers: Warner) question that gives this epsilon."""
    if not epsilon > 0 or isinf(epsilon):
        raise BadRequest("epsilon", "a positive number", epsilon, "log(4) is theta = 0.8 for two answers")
    return 1 / (1 + (answers - 1) * float(np.exp(-epsilon)))
