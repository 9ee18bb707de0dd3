"""Reconstructed distribution of true answers, for pictures: `dn.reconstruct`.

Numbers under noise take iterative Bayes from even shares, stopped early: where one more step hardly changes the shares
(the paper's rule), or where people held out of it become less likely. Stopping early smooths, which is right for
pictures of a whole distribution; `dn.estimate` iterates on, because its intervals must hold the truth. A standard error
includes the spread over other respondents (bootstrap) and the change that many more steps would bring, averaged over
nearby cells: what smoothing hides.
Agrawal and Srikant 2000, section 3

>>> import numpy as np, pandas as pd
>>> import deniable as dn
>>> design = dn.Design([dn.uniform(dn.number("age", 20, 80, cells=3), half_width=10)])
>>> replies = pd.DataFrame({"age": np.linspace(20, 40, 400)})
>>> dn.reconstruct(design, replies, "age")[["low", "high", "share"]].round(2)
    low  high  share
0  20.0  40.0    1.0
1  40.0  60.0    0.0
2  60.0  80.0    0.0
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Counts, tally
from deniable.count.cut import in_cells
from deniable.count.missing import complete
from deniable.count.replies import backend_of, counts_of
from deniable.errors import BadRequest, TooFewReplies
from deniable.errors.warn import warn
from deniable.frame.columns import Missing
from deniable.inference.em.em import MAX_ROUNDS, Operator, even_shares, rounds_by_held_out
from deniable.inference.em.likeliest import converged, likeliest, resampled, smooth
from deniable.inference.estimates import SMOOTHED, found_half_width, grades, joined_notes
from deniable.inference.heaping import heaping_note
from deniable.inference.invert.stack import Table
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.reported_table import ReportedTable
from deniable.survey.question import Question

BOOTSTRAPS = 50
MIN_REPLIES = 100  # of a number under noise
STILL = 0.002  # of what a chi-square test would notice: a fifth of the paper's 1 % (docs/decisions/0018)
FURTHER = STILL / 1000
HELD_OUT = 0.2  # of the replies
Stop = Literal["change", "held-out"]


def reconstruct(
    design: Design,
    replies: Any,
    question: str,
    by: str | None = None,
    *,
    stop: Stop = "change",
    missing: Missing = "skip",
) -> Any:
    """The distribution of a question's true answers: one row per interval (or answer), with share, stderr and note.

    With `by`, shares are among those with each true answer to that question. `stop` says when to stop: "change"
    where one more step hardly changes anything, "held-out" where replies that were held out become less likely.
    Replies that lack an answer are not counted, which the note says; with missing="refuse" they are refused.
    """
    found = reconstruction(design, counts_of(design, replies, missing), question, by, stop)
    return nw.from_dict(found.columns(), backend=backend_of(replies)).to_native()


@dataclass(frozen=True)
class Reconstruction:
    """Reconstructed shares of a question's cells, for everybody or by the answers to another question."""

    question: Question
    by: Question | None
    groups: tuple[str, ...]  # the answers to the other question that enough people gave
    shares: Table  # [cell, group]
    stderrs: Table
    reported_as: Question  # the question as replies answer it
    reported: Table | None  # shares of reported cells, [cell, group]; None where replies name no groups
    n: int
    caveats: tuple[str, ...] = ()  # what holds for all shares
    again: Table | None = None  # shares of the same cells among resampled replies, [cell, group, sample]
    smoothing: Table | None = None  # the error that smoothing adds, [cell, group]

    def merged(self, most: int) -> "Reconstruction":
        """The same in at most so many cells of a number, for people to read: neighbours are added up.

        A band's error is the spread of its sum over resampled replies, and the largest smoothing error in it.
        """
        limits, cells = self.question.range, len(self.shares)
        if limits is None or self.again is None or self.smoothing is None or cells <= most:
            return self
        bands = limits.fewer(most)
        starts = np.searchsorted(limits.edges, bands.edges[:-1])
        shares, again = (np.add.reduceat(each, starts, axis=0) for each in (self.shares, self.again))
        errors = np.hypot(again.std(axis=-1), np.maximum.reduceat(self.smoothing, starts, axis=0))
        return replace(
            self, question=self.question.with_range(bands), shares=shares, stderrs=errors, again=None, reported=None
        )

    @property
    def note(self) -> str:
        """What a reader must know of all shares."""
        return "; ".join(self.caveats)

    def columns(self) -> dict[str, list[Any]]:
        """The columns of a tidy frame."""
        cells, groups = self.shares.shape
        found: dict[str, list[Any]] = {}
        if self.by is not None:
            found[self.by.name] = [answer for answer in self.groups for _ in range(cells)]
        if self.question.range is None:
            found["answer"] = list(self.question.answers) * groups
        else:
            lows, highs = limits_of(self.question)
            found |= {"low": lows * groups, "high": highs * groups}
        shares, stderrs = self.shares.T.ravel(), self.stderrs.T.ravel()
        everywhere = dict.fromkeys(self.caveats, np.ones(shares.size, dtype=bool))
        notes = joined_notes({**grades(found_half_width(stderrs, self.n)), **everywhere}, shares.size)
        return found | {"share": shares.tolist(), "stderr": stderrs.tolist(), "note": notes}


def limits_of(question: Question) -> tuple[list[float], list[float]]:
    """The least and the greatest number of each cell."""
    limits = question.range
    assert limits is not None
    if limits.integer:
        return [ceil(edge) for edge in limits.edges[:-1]], [ceil(edge) - 1 for edge in limits.edges[1:]]
    edges = np.clip(limits.edges, limits.low, limits.high).tolist()
    return edges[:-1], edges[1:]


def reconstruction(
    design: Design, counts: Counts, name: str, by: str | None = None, stop: Stop = "change"
) -> Reconstruction:
    """The reconstructed distribution of a question, with standard errors by bootstrap."""
    if stop not in ("change", "held-out"):
        raise BadRequest("stop", "'change' or 'held-out'", stop, "choose one of them")
    if by is not None and by == name:
        raise BadRequest("by", "another question", by, "leave it out")
    questions = [design.question(name), *([] if by is None else [design.question(by)])]
    if by is not None and design.has_noise(by):
        raise BadRequest("by", "a question with answers", by, "choose another, or reconstruct it by itself")
    if len(design.columns_of(each.name for each in questions)) > len(questions):
        return _of_versions(design, counts, questions)
    asked = [design.reported(question) for question in questions]
    answered, gaps = complete(in_cells(counts, design, questions), asked)
    reported = tally(answered, asked)
    n = round(float(reported.sum()))
    least = MIN_REPLIES if design.has_noise(name) else 1
    if n < least:
        raise TooFewReplies([name], least, n)
    again = resampled(reported, BOOTSTRAPS, np.random.default_rng(0))
    tables = np.concatenate([reported[..., None], again], axis=-1)
    if by is None:
        shares, kept = _steps(design, questions, tables, stop)[:, None], np.array([0])
        groups: tuple[str, ...] = ("everybody",)
        reported_shares: Table | None = reported[:, None] / n
    else:
        shares, kept = _by_group(design, questions, tables, stop, least)
        groups = tuple(questions[1].answers[index] for index in kept)
        named = design.reported(by).answers == questions[1].answers
        reported_shares = reported[:, kept] / np.maximum(reported[:, kept].sum(axis=0), 1.0) if named else None
    other = questions[1] if by is not None else None
    caveats = [SMOOTHED] if design.has_noise(name) else []
    caveats += filter(None, [heaping_note(design, answered, questions)])
    caveats += [f"without {by} = {each}: too few" for each in (other.answers if other else ()) if each not in groups]
    smoothed = _nearby(design.channel(name), questions[0]) @ np.abs(shares[..., -1] - shares[..., 0])
    errors = np.hypot(shares[..., 1:-1].std(axis=-1), smoothed)
    reported_as, caveats = design.reported(name), [*caveats, *[gaps.note] * bool(gaps.note)]
    return Reconstruction(
        questions[0], other, groups, shares[..., 0], errors, reported_as, reported_shares, n, tuple(caveats),
        shares[..., 1:-1], smoothed,
    )  # fmt: skip


def _of_versions(design: Design, counts: Counts, questions: Sequence[Question]) -> Reconstruction:
    """The same where people answer different versions: the likeliest shares of the table of all of them."""
    table = ReportedTable.of(design, counts, questions)
    name, n = questions[0].name, round(float(table.reported.sum()))
    least = MIN_REPLIES if design.has_noise(name) else 1
    if n < least:
        raise TooFewReplies([name], least, n)
    if not design.has_noise(name):
        table.check_identified()
    found = table.true_tables()
    shares = found[:, None] if len(questions) == 1 else found / np.maximum(found.sum(axis=0), 1e-300)
    groups = ("everybody",) if len(questions) == 1 else questions[1].answers
    caveats = [SMOOTHED] * design.has_noise(name) + [table.note] * bool(table.note)
    other = questions[1] if len(questions) > 1 else None
    errors = shares[..., 1:].std(axis=-1)
    return Reconstruction(
        questions[0], other, groups, shares[..., 0], errors, design.reported(name), None, n, tuple(caveats),
        shares[..., 1:], np.zeros_like(errors),
    )  # fmt: skip


def _nearby(channel: Channel, question: Question) -> Table:
    """The matrix that averages over cells within one standard deviation of the noise."""
    if channel.noise is None or question.range is None:
        return np.eye(len(question))
    middles = question.range.middles
    near = np.abs(middles[:, None] - middles) <= channel.noise.sd * question.range.step
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def _by_group(
    design: Design, questions: Sequence[Question], tables: Table, stop: Stop, least: int
) -> tuple[Table, NDArray[np.intp]]:
    """Shares within each answer to the second question, [cell, group, table]; only groups of enough people."""
    first, second = questions
    if known := design.says_the_truth(second.name):  # then each group can be reconstructed separately
        people = tables[..., 0].sum(axis=0)
    else:
        both = _steps(design, questions, tables, stop)
        people = both[..., 0].sum(axis=0) * tables[..., 0].sum()
    kept = np.flatnonzero(np.rint(people) >= least)
    if not len(kept):
        raise TooFewReplies([f"{first.name} by {second.name}"], least, round(float(people.max())))
    for index in np.setdiff1d(np.arange(len(people)), kept):
        warn(
            f"{second.name} = {second.answers[index]} is left out: {first.name} needs {least} people there, "
            f"got {max(people[index], 0):.0f}"
        )
    if known:
        return np.stack([_steps(design, [first], tables[:, index], stop) for index in kept], axis=1), kept
    both = both[:, kept]
    return np.asarray(both / np.maximum(both.sum(axis=0), 1e-300)), kept


def _steps(design: Design, questions: Sequence[Question], tables: Table, stop: Stop) -> Table:
    """True shares of all tables, and last those of the first table after many more steps.

    Without noise there is nothing to smooth, and the likeliest shares are given.
    """
    first, stacks = tables[..., :1], stacks_of(design, questions)
    if not any(stack.has_noise for stack in stacks):
        found = further = np.maximum(likeliest(tables, stacks), 0.0)
    else:
        rounds = MAX_ROUNDS
        if stop == "held-out":  # the first table decides the number of steps for all
            held = np.random.default_rng(0).binomial(first.astype(np.int64), HELD_OUT).astype(float)
            operator = Operator.of_stacks(stacks)
            rounds = rounds_by_held_out(first - held, held, even_shares(questions), operator, MAX_ROUNDS)
        found = smooth(tables, stacks, STILL if stop == "change" else 0.0, rounds)
        further = converged(first, stacks, FURTHER)
    return np.concatenate([found, further[..., :1]], axis=-1)
