"""Answers merged where the pairwise model has no room for all of them.

Four questions of fifty answers have more combinations than any table holds. Answers that say nearly the same about the
target are merged, those first that lose least,

    loss of a merger  =  mutual information of question and target, before minus after
    price             =  loss / log(answers before / answers after)

until all combinations have room. A question whose answers are all merged is left out. Ordered answers merge with
neighbours only. The merged lottery is a matrix again: the chance of each merged report given a merged truth, whose
answers have their estimated shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.schemes import lookup
from deniable.count.counts import reported_cells
from deniable.inference.invert.inverse import InverseEstimates
from deniable.inference.population.records import Records
from deniable.inference.population.subpopulation import PlainSubpopulation
from deniable.inference.truth.pairs import MAX_CELLS
from deniable.learn.columns import QuestionColumns
from deniable.learn.task import Task
from deniable.learn.tree.grow import Node
from deniable.survey.question import Question

Floats = NDArray[np.float64]
MIN_SHARE = 1e-9  # of an answer within its group


@dataclass(frozen=True)
class Groups:
    """The answers of a question, in groups."""

    members: tuple[tuple[int, ...], ...]
    people: Floats  # [group, class], estimated and not negative
    ordered: bool

    def cheapest(self) -> tuple[float, int, int]:
        """The price of the merger that loses least, and the two groups that it merges."""
        count = len(self.members)
        losses = _information(self.people)[:, None] + _information(self.people)
        losses = losses - _information(self.people[:, None] + self.people[None])
        rows, columns = np.triu_indices(count, 1)
        near = columns - rows == 1 if self.ordered else np.ones(len(rows), dtype=bool)
        best = int(np.argmin(np.where(near, losses[rows, columns], np.inf)))
        return float(losses[rows[best], columns[best]]) / log(count / (count - 1)), int(rows[best]), int(columns[best])

    def merged(self) -> "Groups":
        """With the two groups that lose least in one."""
        _, one, two = self.cheapest()
        members = list(self.members)
        members[one] += members.pop(two)
        people = np.delete(self.people, two, axis=0)
        people[one] += self.people[two]
        return Groups(tuple(members), people, self.ordered)


def _information(people: Floats) -> Floats:
    """Of a group's people about the class, up to a constant: [..., class] to [...]."""
    return np.asarray(xlogy(people, people).sum(axis=-1) - xlogy(people.sum(axis=-1), people.sum(axis=-1)))


def with_room(task: Task) -> Task:
    """The task with its answers merged until all combinations have room; as it is if they have, or cannot be merged."""
    sizes = [len(question) for question in task.questions]
    if task.versions or prod(sizes) <= MAX_CELLS:
        return task
    estimates = InverseEstimates(task.design, task.replies)
    groups: dict[int, Groups] = {}
    for index, question in enumerate(task.columns.questions):
        if _has_own_lottery(task, question):
            people = np.maximum(estimates.table([question.name, task.target.name]).counts, 0.0)
            groups[index] = Groups(tuple((cell,) for cell in range(len(people))), people, task.columns.ordered[index])
    fixed = prod(size for index, size in enumerate(sizes) if index not in groups)
    while fixed * prod(len(each.members) for each in groups.values()) > MAX_CELLS:
        prices = {index: each.cheapest()[0] for index, each in groups.items() if len(each.members) > 1}
        if not prices:
            break
        index = min(prices, key=lambda each: prices[each])
        groups[index] = groups[index].merged()
    return replace(task, merged={index: each.members for index, each in groups.items()})


def _has_own_lottery(task: Task, question: Question) -> bool:
    """Whether a question is disguised by itself, and reported in its own answers."""
    channel = task.design.channel(question.name)
    return len(channel.group) == 1 and not question.is_number and channel.reported(question) == question


def merged_task(task: Task) -> Task:
    """The same replies to questions whose answers are merged; those with a single group are left out."""
    channels = {channel.names[0]: channel for channel in task.channels}
    questions, reported = [], []
    for index, question in enumerate(task.columns.questions):
        members = task.merged.get(index)
        if members is None:
            questions.append(question)
            reported.append(task.reported[index])
            continue
        channel = channels.pop(question.name)
        if len(members) > 1:
            words = [str(group) for group in range(len(members))]
            coarse = Question(question.name, words, ordered=question.ordered)
            channels[question.name] = lookup(coarse, _matrix(task, channel, members).tolist())
            questions.append(coarse)
            reported.append(_group_of(members)[reported_cells(question, task.reported[index])])
    design = Design(list(channels.values()), target=task.target.name, check_text=False)
    columns = QuestionColumns(tuple(questions))
    return Task(columns, design, task.target, (*reported, task.reported[-1]), task.counts)


def _matrix(task: Task, channel: Channel, members: Sequence[Sequence[int]]) -> Floats:
    """The chances of merged reports given merged truths, [report, truth]."""
    shares = np.maximum(InverseEstimates(task.design, task.replies).table(channel.names).counts / task.n, MIN_SHARE)
    belongs = np.array([np.isin(np.arange(len(shares)), each) for each in members], dtype=float)  # [group, answer]
    within = belongs * shares
    matrix = belongs @ channel.matrix() @ (within / within.sum(axis=1, keepdims=True)).T
    return np.asarray(matrix / matrix.sum(axis=0))


def _group_of(members: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    """The group of each answer."""
    found = np.zeros(sum(map(len, members)), dtype=np.intp)
    for group, each in enumerate(members):
        found[list(each)] = group
    return found


def as_answered(task: Task, merged: Task, people: PlainSubpopulation) -> PlainSubpopulation:
    """People with merged answers, in the cells of the task itself: the first answer of a group stands for all."""
    known = dict(zip([question.name for question in merged.questions], people.records.cells, strict=True))
    cells = []
    for index, question in enumerate(task.questions):
        column = known.get(question.name, np.zeros(len(people.records.counts), dtype=np.int16))
        firsts = np.array([min(each) for each in task.merged.get(index, [])], dtype=np.int16)
        cells.append(firsts[column] if len(firsts) > 1 else column)
    return PlainSubpopulation.root(Records(tuple(cells), tuple(map(len, task.questions)), people.records.counts))


def spread(tree: Node, merged: Mapping[int, Sequence[Sequence[int]]]) -> None:
    """Let all answers of a group follow the first, in place."""
    for node in tree.nodes():
        if node.split is not None and node.split.question in merged:
            groups = merged[node.split.question]
            parts = [
                tuple(sorted(cell for each in groups if min(each) in part for cell in each))
                for part in node.split.parts
            ]
            node.split = node.split._replace(parts=tuple(parts))
