"""Typical standard errors of the estimates that naive Bayes multiplies."""

from functools import partial

from deniable.count.counts import is_answered
from deniable.inference.invert.inverse import even_stderr
from deniable.learn.noisy.training_replies import usual_error
from deniable.learn.posterior import same_noise
from deniable.learn.smooth import TableErrors, UsualErrors, even_errors
from deniable.learn.task import Task


def usual_errors(task: Task) -> UsualErrors:
    """Typical standard errors of estimated people; those of numbers under noise by bootstrap."""
    *questions, target = task.questions
    tables = []
    for index, question in enumerate(questions):
        if index in task.under_noise:
            error = usual_error(task, index)
            tables.append(TableErrors(error, error, partial(same_noise, error)))
        else:
            n = task.n if task.versions else float(task.counts[is_answered(task.reported[index])].sum())
            tables.append(even_errors(task.design, question, target, n))
    return UsualErrors(even_stderr(task.design, [target], task.n), tables)
