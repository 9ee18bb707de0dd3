"""Beliefs of a collector: what each reply says about the truth, to somebody who knows how answers go together.

A model of the truth is fitted to the replies themselves: true records and how many people have each. A clever
collector is not misled by noise, so shares shrink towards even ones, and pairs of answers towards independence, each by
its own noise. Bayes' rule then gives the chance of each record behind a reply,

    P(x | r) ~ P(x) * product over channels of  sum over instructions a of  P(a) * product over questions of  K_a[r, x]

legend: x true record, r reply, a instruction, K_a its kernel on a question, [reply, record]
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.errors import NoReplies, NotIdentified
from deniable.inference.estimates import TrueTable
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.truth.pairs import fit_pairs
from deniable.learn.methods import hidden_draws, warner_groups
from deniable.learn.shrink import towards_even
from deniable.learn.task import task_of_replies
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]
BATCH = 2**18  # chances that are worked out at a time: two megabytes
HOLD_BACK = 30.0  # n0 of pairs: a logarithm of an odds ratio is about .5, as often above as below 0
IMPOSSIBLE = -1e4  # a logarithm whose exponential is nought, and which a sum of others does not bring back


@dataclass(frozen=True)
class Population:
    """True records of some questions, and the share of people who have each."""

    questions: tuple[Question, ...]
    cells: Cells  # [question, record]
    shares: Floats  # [record]

    @classmethod
    def behind(cls, design: Design, counts: Counts, names: Sequence[str]) -> "Population":
        """The likeliest people behind replies: by guessed draws of a few Warner groups, or by pairs."""
        if len(names) == 1:
            question = design.question(names[0])
            shares = _expected_shares(InverseEstimates(design, counts).table(names))
            return cls._of((question,), [np.arange(len(question))], shares)
        task = task_of_replies(design, counts, _hub(design, names), "skip")
        if warner_groups(task) and not (draws := hidden_draws(task)).contradicted:
            return cls._of(task.questions, draws.records.cells, draws.records.counts)
        estimates = InverseEstimates(task.design, task.replies)
        order = [question.name for question in task.questions]
        margins = [_expected_shares(estimates.table([name])) for name in order]
        model = fit_pairs(estimates, order, task.n, HOLD_BACK, (NoReplies, NotIdentified), margins=margins)
        records = model.records(1.0)
        return cls._of([design.question(name) for name in model.names], records.cells, records.counts)

    @classmethod
    def _of(cls, questions: Sequence[Question], cells: Any, counts: Floats) -> "Population":
        there = counts > 0
        return cls(tuple(questions), np.array(cells, dtype=np.int64)[:, there], counts[there] / counts[there].sum())

    def of_people(self, cells: Cells) -> "Population":
        """The people whose true cells are these, [question, person], instead of a model."""
        distinct, counts = np.unique(cells, axis=1, return_counts=True)
        return self._of(self.questions, distinct, counts.astype(float))

    @classmethod
    def of_cells(cls, questions: Sequence[Question], cells: Mapping[str, Cells]) -> "Population":
        """The people with these true cells [person], by question."""
        rows = np.array([cells[question.name] for question in questions])
        return cls(tuple(questions), rows, np.full(rows.shape[1], 1 / rows.shape[1])).of_people(rows)

    @property
    def names(self) -> list[str]:
        """The questions."""
        return [question.name for question in self.questions]

    def drawn(self, count: int, rng: np.random.Generator) -> dict[str, Cells]:
        """So many people, by question."""
        rows = rng.choice(len(self.shares), count, p=self.shares)
        return {name: column[rows] for name, column in zip(self.names, self.cells, strict=True)}

    def margins(self) -> list[Floats]:
        """The share of each answer, question by question."""
        return [
            np.bincount(column, self.shares, minlength=len(question)).astype(float)
            for question, column in zip(self.questions, self.cells, strict=True)
        ]

    @cached_property
    def shown(self) -> Floats:
        """Which answers belong to each record, question after question: [record, answer], 0 or 1."""
        return np.hstack(
            [np.eye(len(question))[cells] for question, cells in zip(self.questions, self.cells, strict=True)]
        )

    @cached_property
    def answers_of(self) -> dict[str, slice]:
        """Where the answers to each question stand among all answers."""
        ends = np.cumsum([0, *map(len, self.questions)])
        return {name: slice(ends[index], ends[index + 1]) for index, name in enumerate(self.names)}

    def beliefs(self, design: Design, replies: Sequence[Distinct]) -> "Beliefs":
        """What replies say; several replies of the same people, each with a lottery of its own, say it together."""
        count = len(replies[0].counts)
        apart = np.zeros((count, self.shown.shape[1]))  # ln P(r | answer) of lotteries for single questions
        found = np.tile(self.shares, (count, 1))
        for wave in replies:
            for block, channel, rows in _channels(design, wave.columns):
                kernels = self._kernels(block, channel, wave.columns, rows)
                if len(kernels) == 1:
                    ((name, kernel),) = kernels.items()
                    apart[rows, self.answers_of[name]] += _log(np.einsum("a,arx->rx", channel.chances, kernel))
                elif kernels:
                    found[rows] *= self._together(channel, kernels)
        for rows in _batches(found):
            found[rows] *= np.exp(apart[rows] @ self.shown.T)
            total = found[rows].sum(axis=1, keepdims=True)
            found[rows] = np.where(total > 0, found[rows] / np.where(total > 0, total, 1.0), self.shares)
        return Beliefs(self, found)

    def _kernels(
        self, block: Block, channel: Channel, columns: Mapping[str, Cells], rows: slice | Cells
    ) -> dict[str, Floats]:
        """The chance of each reply's report to a question, by instruction and answer: [instruction, reply, answer]."""
        return {
            name: _kernels(block, channel, name)[:, columns[name][rows]]
            for name in channel.names
            if name in self.answers_of and name in columns
        }

    def _together(self, channel: Channel, kernels: Mapping[str, Floats]) -> Floats:
        """P(r | x) of one lottery for several questions: [reply, record]. Products are sums of logarithms."""
        logs = np.concatenate([_log(kernel) for kernel in kernels.values()], axis=2)
        shown = np.hstack([self.shown[:, self.answers_of[name]] for name in kernels])
        total = np.zeros((logs.shape[1], len(shown)))
        for rows in _batches(total):
            for chance, each in zip(channel.chances, logs, strict=True):
                total[rows] += chance * np.exp(each[rows] @ shown.T)
        return total


def _channels(design: Design, columns: Mapping[str, Cells]) -> Iterator[tuple[Block, Channel, slice | Cells]]:
    """Every lottery, with the replies that it was rolled for."""
    for block in design.blocks:
        versions = columns.get(block.column or "")
        for index, version in enumerate(block.versions):
            rows = slice(None) if versions is None else np.flatnonzero(versions == index)
            yield from ((block, channel, rows) for channel in version.channels)


def _batches(table: Floats) -> Iterator[slice]:
    """Rows of a table, as many at a time as a processor holds at hand."""
    count = max(1, BATCH // max(1, table.shape[1]))
    return (slice(start, start + count) for start in range(0, len(table), count))


def _log(chances: Floats) -> Floats:
    """Logarithms of chances; what cannot be has one so small that no product with it counts."""
    return np.log(np.maximum(chances, 0.0), out=np.full(chances.shape, IMPOSSIBLE), where=chances > 0)


def _expected_shares(table: TrueTable) -> Floats:
    """Shares of the answers to one question, nearer to even ones the noisier they are; none below half a person's."""
    shares = towards_even(table.counts, float(np.sqrt(table.variance.max())))
    shares = np.maximum(shares, 0.5 / max(1.0, float(table.counts.sum())))
    return np.asarray(shares / shares.sum())


def _hub(design: Design, names: Sequence[str]) -> str:
    """The question with answers that most respondents are asked, so that it is asked with most of the others."""

    def asked(name: str) -> tuple[bool, float]:
        block = design.block(name)
        shares = [share for version, share in zip(block.versions, block.shares, strict=True) if name in version.names]
        return design.question(name).range is None, float(sum(shares))

    return max(names, key=asked)


def _kernels(block: Block, channel: Channel, name: str) -> Floats:
    """P(report | truth) by instruction, reports in the words of all versions; the last, left out, says nothing."""
    own = channel.kernels(channel.question(name))
    found = np.zeros((len(own), len(block.reported(name)) + 1, own.shape[2]))
    found[:, block.cells_of(channel, name)] = own
    found[:, LEFT_OUT] = 1.0
    return found


@dataclass(frozen=True)
class Beliefs:
    """The chance of each true record behind each reply."""

    population: Population
    chances: Floats  # [reply, record]

    def records(self) -> Cells:
        """The likeliest record behind each reply: [question, reply]."""
        return np.asarray(self.population.cells[:, np.argmax(self.chances, axis=1)])

    @property
    def odds_moved(self) -> float:
        """The most that any of the replies moves the odds of one record against another: posterior over prior odds."""
        moved = 1.0
        for rows in _batches(self.chances):
            ratios = self.chances[rows] / self.population.shares
            least, most = ratios.min(axis=1), ratios.max(axis=1)
            moved = inf if (least <= 0).any() else max(moved, float((most / least).max()))
        return moved

    def chances_together(self, kept: Sequence[int]) -> Floats:
        """The chance of each set of answers to some questions, by their indices, behind each reply: [reply, set]."""
        cells = self.population.cells
        if len(kept) == len(cells):
            return self.chances
        sets = np.unique(cells[kept], axis=1, return_inverse=True)[1].ravel()
        return np.array([np.bincount(sets, each) for each in self.chances])

    def right_if_known(self, name: str, names: Sequence[str]) -> float:
        """The share of the other answers to these that somebody who knows this one guesses rightly, as expected."""
        population = self.population
        index, shown = population.names.index(name), population.shown
        right = 0.0
        for cell in range(len(population.questions[index])):
            records = np.flatnonzero(population.cells[index] == cell)
            chances = shown[records].T @ self._by_record[records]  # [answer, reply], times the chance of the cell
            right += sum(
                float(chances[answers].max(axis=0).mean())
                for other, answers in population.answers_of.items()
                if other != name and other in names
            )
        return right / (len(names) - 1)

    @cached_property
    def _by_record(self) -> Floats:
        return np.ascontiguousarray(self.chances.T)

    @cached_property
    def _of_answers(self) -> Floats:
        return np.asarray(self.chances @ self.population.shown)

    def of(self, name: str) -> Floats:
        """The chance of each answer to one question: [reply, answer]."""
        return np.asarray(self._of_answers[:, self.population.answers_of[name]])
