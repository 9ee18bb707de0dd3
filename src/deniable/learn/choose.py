"""Which of two trees tells the truth better? Asked of disguised people who did not help to grow them.

A tree says how many people of each class live in each of its leaves, so it says how often each reply should come from
each class. The tree under which the classes of the held-out replies are likelier is kept. No truth is needed, and
nothing is reconstructed from the held-out replies, which would flatter one way of reconstructing or the other.

Both trees hear the same reports. A question that one of them does not ask speaks to it through the asked question on
which it hangs most: a commission that is paid below a certain salary tells about the salary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deniable.inference.boxes import BINS, MOST_ENTRIES, Side
from deniable.inference.grids import Axis, counted, steps_to_stop
from deniable.inference.records import Floats, Rows
from deniable.learn.base import Task
from deniable.learn.columns import QuestionColumns
from deniable.learn.grow import Node
from deniable.learn.joint import COARSE_BINS, COARSE_CELLS, MOST_STEPS, MOST_WHOLE, TOLERANCE, is_alone
from deniable.learn.leaves import Leaf, leaves_of, questions_of
from deniable.learn.numeric import cut_into
from deniable.survey.question import Question

HELD_OUT = 5  # every fifth reply is held out


@dataclass(frozen=True)
class Candidate:
    """A tree, and the task as it was cut for it."""

    tree: Node
    columns: QuestionColumns


def can_choose(task: Task) -> bool:
    """Whether every question has a lottery of its own, so that chances multiply; and there is a choice at all."""
    return all(is_alone(task, place, most=np.inf) for place in range(len(task.questions)))


def sides(task: Task) -> tuple[Task, Task]:
    """Four fifths of the replies to grow trees on, and the rest to choose by."""
    held = np.arange(len(task.told[-1])) % HELD_OUT == HELD_OUT - 1
    return part(task, np.flatnonzero(~held)), part(task, np.flatnonzero(held))


def part(task: Task, rows: Rows) -> Task:
    """The same task with some of the replies."""
    return replace(task, told=tuple(column[rows] for column in task.told))


def likelihoods(candidates: Sequence[Candidate], grown: Task, held: Task) -> list[float]:
    """For each tree, how likely the classes of the held-out replies are, on average and as a logarithm."""
    asked = [questions_of(each.tree) for each in candidates]
    every = set().union(*asked)
    return [
        _likelihood(each, grown, held, sorted(own), sorted(every - own))
        for each, own in zip(candidates, asked, strict=True)
    ]


def _likelihood(each: Candidate, grown: Task, held: Task, asked: Sequence[int], other: Iterable[int]) -> float:
    leaves = leaves_of(each.tree)
    grown, held = (replace(task, columns=each.columns) for task in (grown, held))
    held = part(held, np.arange(min(len(held.told[-1]), int(MOST_ENTRIES // len(leaves)))))
    heard = {place: _side(held, place) for place in asked}
    chances = np.ones((1, len(leaves)))
    for place, side in heard.items():
        chances = chances * side.inside([leaf.box for leaf in leaves], place)[1][0]
    for place in other if asked else ():
        chances = chances * _through_another(grown, held, place, heard, leaves)
    people = np.array([leaf.node.counts for leaf in leaves]) + 1.0
    classes = np.broadcast_to(chances, (len(held.told[-1]), len(leaves))) @ (people / people.sum())
    said = _matrix(held, len(held.questions) - 1) @ classes.T  # [reported class, reply]
    right = said[held.told[-1].astype(np.intp), np.arange(said.shape[1])]
    return float(np.log(np.maximum(right, 1e-300) / np.maximum(said.sum(axis=0), 1e-300)).mean())


def _through_another(
    grown: Task, held: Task, place: int, heard: dict[int, Side], leaves: Sequence[Leaf]
) -> Floats:
    """What an unasked question says about the leaves, by the asked one that it hangs on most: [reply, leaf]."""
    question = cut_into(grown.questions[place], COARSE_CELLS, MOST_WHOLE)
    mine = _axis(grown, place, COARSE_BINS, question)
    found = [(_together(mine, _axis(grown, each, BINS)), each) for each in heard]
    table, partner = max(found, key=lambda pair: _information(pair[0]))
    given = (table + 1e-9 * table.sum(axis=0)) / (table.sum(axis=1) + 1e-9)[:, None]
    report = _axis(held, place, COARSE_BINS, question)
    side = Side(report, (mine.matrix @ given.T)[None], heard[partner].shares)
    return side.inside([leaf.box for leaf in leaves], partner)[1][0]


def _together(mine: Axis, other: Axis) -> Floats:
    """How the cells of two questions go together among everybody: [other, mine]."""
    nobody = np.zeros(len(mine.bins), dtype=np.intp)
    return np.asarray(steps_to_stop(counted([other, mine], nobody, 1), [other, mine], TOLERANCE, MOST_STEPS)[0])


def _information(table: Floats) -> float:
    alone = np.maximum(np.outer(table.sum(axis=1), table.sum(axis=0)), 1e-12)
    return float((table * np.log(np.maximum(table, 1e-12) / alone)).sum())


def _side(task: Task, place: int) -> Side:
    assert task.design is not None
    return Side.of(task.design, task.questions[place], task.told[place])


def _axis(task: Task, place: int, bins: int, cut: Question | None = None) -> Axis:
    assert task.design is not None
    question = cut or task.questions[place]
    return Axis.of(task.design.channel(question.name), question, task.told[place], bins)


def _matrix(task: Task, place: int) -> NDArray[np.float64]:
    assert task.design is not None
    name = task.questions[place].name
    return task.design.channel(name).matrix([name])
