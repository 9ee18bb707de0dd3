"""Numbers cut into cells, as finely as the replies can fill them."""

from dataclasses import replace

from deniable.count.counts import is_answered
from deniable.errors import TooFewReplies
from deniable.inference.reconstruct import MIN_REPLIES
from deniable.learn.columns import QuestionColumns
from deniable.learn.task import Task
from deniable.survey.cutting import cut_into

PER_CELL = 100  # replies for each cell of a number
FEWEST_CELLS, FEW_CELLS, MAX_CELLS = 10, 20, 100


def finely_cut(task: Task) -> Task:
    """The same task with numbers cut into as many cells as the replies can fill."""
    check_enough(task)
    return _cut(task)


def _cut(task: Task) -> Task:
    wanted = min(max(task.n // PER_CELL, FEWEST_CELLS), MAX_CELLS)
    questions = tuple(cut_into(question, wanted, MAX_CELLS) for question in task.questions[:-1])
    return replace(task, columns=QuestionColumns(questions))


def coarsely_cut(task: Task) -> Task:
    """The same task with numbers under noise in few cells, which naive Bayes takes as separate answers."""
    questions = tuple(
        cut_into(question, FEW_CELLS, FEW_CELLS) if index in task.under_noise else question
        for index, question in enumerate(task.questions[:-1])
    )
    return replace(task, columns=QuestionColumns(questions))


def check_enough(task: Task) -> None:
    """Refuse replies that are too few to reconstruct anything."""
    for name, given in too_few(task).items():
        raise TooFewReplies([name], MIN_REPLIES, given)


def too_few(task: Task) -> dict[str, int]:
    """The numbers under noise that too few replies answer, and how many do."""
    given = {task.questions[index].name: int(is_answered(task.reported[index]).sum()) for index in task.under_noise}
    return {name: count for name, count in given.items() if count < MIN_REPLIES}


def as_reported(task: Task) -> Task:
    """The same task as if reported numbers were true: cells cover their whole range, noise included."""
    if not task.under_noise:
        return task
    fine = _cut(task)
    questions = [
        task.design.reported(question) if index in task.under_noise else question
        for index, question in enumerate(fine.questions[:-1])
    ]
    return replace(task, columns=QuestionColumns(tuple(questions)))
