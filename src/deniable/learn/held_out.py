"""Replies held out to choose between models, and the choice.

A third of the replies never teaches the candidates. It is drawn from the distinct replies in their one order, so that
the same ones are held out wherever they were counted. What is best with a few hundred replies may be so by chance, so
candidates come in an order: the first is kept unless another one leads over it by so many standard errors, those of the
differences between both on the same replies.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deniable.count.counts import Distinct
from deniable.count.cut import least_of_cells
from deniable.count.merged import merged
from deniable.learn.task import Task

Floats = NDArray[np.float64]
HELD_OUT = 3  # one reply of so many


def kept_and_held(task: Task) -> tuple[Task, Task]:
    """Two thirds of the replies to learn from, and the rest to choose by."""
    names = [question.name for question in task.questions]
    replies = Distinct({**task.versions, **dict(zip(names, task.reported, strict=True))}, task.counts)
    replies = merged(least_of_cells(replies, task.design, task.questions)).in_order()
    held = np.random.default_rng(0).binomial(replies.counts.astype(np.int64), 1 / HELD_OUT).astype(float)
    task = replace(
        task,
        reported=tuple(replies.columns[name] for name in names),
        versions={name: replies.columns[name] for name in task.versions},
    )
    parts = [replace(task, counts=counts).part(np.flatnonzero(counts)) for counts in (replies.counts - held, held)]
    return parts[0], parts[1]


def first_or_leader(values: Sequence[Floats], counts: Floats, lead: float) -> int:
    """The index of the candidate with the largest mean, of those that lead over the first by so many standard errors.

    `values` are what each candidate has for every distinct reply, `counts` how many people gave it.
    """
    n = float(counts.sum())
    sure = []
    for each in values:
        ahead = each - values[0]
        mean = float(ahead @ counts) / n
        error = np.sqrt(max(float((ahead - mean) ** 2 @ counts), 0.0)) / n
        sure.append(mean if mean > lead * error else 0.0)
    return int(np.argmax(sure))
