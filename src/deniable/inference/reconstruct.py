"""The distribution of true answers behind their disguise, as a picture shows it: `dn.reconstruct`.

Iterative Bayes from even shares, stopped early: where one more step hardly changes the shares (the paper's rule), or
where people held out of it become less likely. Stopping early smooths, which is right for pictures of a whole
distribution; `dn.estimate` iterates on, because its intervals must hold the truth.  Agrawal and Srikant 2000, section 3

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
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import narwhals as nw
import numpy as np

from deniable.channel.design import Design
from deniable.channel.instruction import Truth
from deniable.count.counts import Counts
from deniable.count.replies import backend_of, counts_of
from deniable.errors import BadRequest, NoReplies, TooFewReplies
from deniable.inference.bayes import MOST_ROUNDS, plain_steps, resampled
from deniable.inference.parts import Part, Table, disguised, parts_of
from deniable.survey.question import Question

BOOTSTRAPS = 50
LEAST_REPLIES = 100
STILL = 0.002  # of what a chi-square test would notice: a fifth of the paper's 1 % (docs/decisions/0018)
HELD_OUT = 0.2  # of the replies
CHECKED, PATIENCE = 10, 5  # steps between two looks at those held out, and looks without gain
Stop = Literal["change", "held-out"]


def reconstruct(design: Design, replies: Any, question: str, by: str | None = None, *, stop: Stop = "change") -> Any:
    """How the true answers to a question are spread: one row per interval (or answer), with share and stderr.

    With `by`, shares are told among those with each true answer to that question. `stop` says when to stop: "change"
    where one more step hardly changes anything, "held-out" where replies that were held out become less likely.
    """
    found = reconstruction(design, counts_of(design, replies), question, by, stop)
    return nw.from_dict(found.columns(), backend=backend_of(replies)).to_native()


@dataclass(frozen=True)
class Reconstruction:
    """Reconstructed shares of a question's cells, for everybody or by the answers to another question."""

    question: Question
    by: Question | None
    shares: Table  # [cell, group]
    stderrs: Table
    told: Question  # the question as replies answer it
    reported: Table  # shares of reported cells, [cell, reported group]
    n: int

    def columns(self) -> dict[str, list[Any]]:
        """The columns of a tidy frame."""
        cells, groups = self.shares.shape
        found: dict[str, list[Any]] = {}
        if self.by is not None:
            found[self.by.name] = [answer for answer in self.by.answers for _ in range(cells)]
        if self.question.range is None:
            found["answer"] = list(self.question.answers) * groups
        else:
            lows, highs = limits_of(self.question)
            found |= {"low": lows * groups, "high": highs * groups}
        return found | {"share": self.shares.T.ravel().tolist(), "stderr": self.stderrs.T.ravel().tolist()}


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
    if by == name:
        raise BadRequest("by", "another question", by, "leave it out")
    questions = [design.question(name), *([] if by is None else [design.question(by)])]
    if by is not None and design.channel(by).has_noise:
        raise BadRequest("by", "a question with answers", by, "choose another, or reconstruct it by itself")
    reported = counts.counts([design.reported(question) for question in questions])
    n = round(float(reported.sum()))
    if not n:
        raise NoReplies(f"the replies to {name}")
    if design.channel(name).has_noise and n < LEAST_REPLIES:
        raise TooFewReplies([name], LEAST_REPLIES, n)
    again = resampled(reported, BOOTSTRAPS, np.random.default_rng(0))
    tables = np.concatenate([reported[..., None], again], axis=-1)
    shares = _true_shares(design, questions, tables, stop)
    flat = reported.reshape(len(reported), -1)
    told = flat / np.maximum(flat.sum(axis=0), 1.0)
    by_question = questions[1] if by is not None else None
    return Reconstruction(
        questions[0], by_question, shares[..., 0], shares[..., 1:].std(axis=-1), design.reported(name), told, n
    )


def _true_shares(design: Design, questions: Sequence[Question], tables: Table, stop: Stop) -> Table:
    """Shares of the first question's cells, within each answer to the second: [cell, group, table]."""
    first, *second = questions
    if not second:
        return _steps(tables, parts_of(design, [first]), stop)[:, None]
    if design.channel(second[0].name).instructions == [Truth()]:  # then each group is known, and stands for itself
        apart = tables.reshape(len(tables), -1)
        return _steps(apart, parts_of(design, [first]), stop).reshape(len(first), *tables.shape[1:])
    both = _steps(tables, parts_of(design, questions), stop)
    return np.asarray(both / np.maximum(both.sum(axis=0), 1e-300))


def _steps(tables: Table, parts: Sequence[Part], stop: Stop) -> Table:
    if stop == "change":
        return plain_steps(tables, parts, tolerance=STILL)
    return plain_steps(tables, parts, tolerance=0.0, rounds=_rounds_by_held_out(tables, parts))


def _rounds_by_held_out(tables: Table, parts: Sequence[Part]) -> int:
    """After how many steps replies that were held out are likeliest; the first tables tell it for all."""
    first = tables[..., :1]
    held = np.random.default_rng(0).binomial(first.astype(np.int64), HELD_OUT).astype(float)
    kept, best, found, idle = first - held, -np.inf, CHECKED, 0
    shares = None
    for done in range(CHECKED, MOST_ROUNDS + 1, CHECKED):
        shares = plain_steps(kept, parts, tolerance=0.0, rounds=CHECKED, start=shares)
        likelihood = float((held * np.log(np.maximum(disguised(shares, parts), 1e-300))).sum())
        idle = 0 if likelihood > best else idle + 1
        if likelihood > best:
            best, found = likelihood, done
        if idle == PATIENCE:
            break
    return found
