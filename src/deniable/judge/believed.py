"""Beliefs of a collector: what each reply says about the truth, to somebody who knows how answers go together.

A model of the truth is fitted to the replies themselves: true records and how many people have each. Bayes' rule then
gives the chance of each record behind a reply,

    P(x | r) ~ P(x) * product over channels of  sum over instructions a of  P(a) * product over questions of  K_a[r, x]

legend: x true record, r reply, a instruction, K_a its kernel on a question, [reply, record]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.count.counts import Counts, Distinct
from deniable.errors import NotIdentified
from deniable.inference.invert.inverse import InverseEstimates
from deniable.learn.methods import hidden_draws, warner_groups
from deniable.learn.pairs import fitted_pairs
from deniable.learn.task import task_of_replies
from deniable.survey.coding import LEFT_OUT
from deniable.survey.question import Question

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]


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
            return cls._of(
                (question,), [np.arange(len(question))], InverseEstimates(design, counts).table(names).counts
            )
        task = task_of_replies(design, counts, _hub(design, names), "skip")
        if warner_groups(task) and not (draws := hidden_draws(task)).contradicted:
            return cls._of(task.questions, draws.records.cells, draws.records.counts)
        model = fitted_pairs(task, NotIdentified)
        records = model.records(1.0)
        return cls._of([design.question(name) for name in model.names], records.cells, records.counts)

    @classmethod
    def _of(cls, questions: Sequence[Question], cells: Sequence[Any], counts: Floats) -> "Population":
        kept = np.maximum(counts, 0.0)
        return cls(tuple(questions), np.array(cells, dtype=np.int64), kept / kept.sum())

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

    def beliefs(self, design: Design, replies: Sequence[Distinct]) -> "Beliefs":
        """What replies say; several replies of the same people, each with a lottery of its own, say it together."""
        found = np.tile(self.shares, (len(replies[0].counts), 1))
        for wave in replies:
            for block in design.blocks:
                versions = wave.columns.get(block.column or "")
                for index, version in enumerate(block.versions):
                    rows = slice(None) if versions is None else np.flatnonzero(versions == index)
                    for channel in version.channels:
                        found[rows] *= self._chances(block, channel, wave.columns, rows)
        total = found.sum(axis=1, keepdims=True)
        return Beliefs(self, np.where(total > 0, found / np.where(total > 0, total, 1.0), self.shares))

    def _chances(self, block: Block, channel: Channel, columns: Mapping[str, Cells], rows: slice | Cells) -> Floats:
        """P(r | x) of one channel for some replies: [reply, record]."""
        asked = [name for name in channel.names if name in self.names and name in columns]
        kernels = {name: _kernels(block, channel, name) for name in asked}
        total = np.zeros((1, 1))
        for instruction, chance in enumerate(channel.chances):
            product = np.full((1, len(self.shares)), chance)
            for name, kernel in kernels.items():
                reports = kernel[instruction][columns[name][rows]]  # [reply, true cell]
                product = product * reports[:, self.cells[self.names.index(name)]]
            total = total + product
        return total


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
        there = self.population.shares > 0
        ratios = self.chances[:, there] / self.population.shares[there]
        least, most = ratios.min(axis=1), ratios.max(axis=1)
        return inf if (least <= 0).any() else float((most / least).max())

    def right_if_known(self, name: str) -> float:
        """The share of the other answers that are guessed rightly by somebody who knows this one, as expected."""
        population = self.population
        index = population.names.index(name)
        owner = np.repeat(np.arange(len(population.names)), [len(question) for question in population.questions])
        shown = np.hstack([np.eye(len(question))[cells] for question, cells in
                           zip(population.questions, population.cells, strict=True)])  # fmt: skip
        right = 0.0
        for cell in range(len(population.questions[index])):
            records = np.flatnonzero(population.cells[index] == cell)
            chances = self.chances[:, records] @ shown[records]  # [reply, answer], times the chance of the cell
            right += sum(
                float(chances[:, owner == other].max(axis=1).mean())
                for other in range(len(population.names))
                if other != index
            )
        return right / (len(population.names) - 1)

    def of(self, name: str) -> Floats:
        """The chance of each answer to one question: [reply, answer]."""
        index = self.population.names.index(name)
        size = len(self.population.questions[index])
        return np.asarray(self.chances @ np.eye(size)[self.population.cells[index]])
