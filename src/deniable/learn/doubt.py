"""Warnings about replies that are too few, or too strongly disguised, to learn from."""

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.errors.warn import warn
from deniable.inference.invert.factored import question_inverse
from deniable.inference.invert.reported import Reported
from deniable.learn.task import Task
from deniable.learn.tree.significance import is_majority
from deniable.survey.question import Question

Floats = NDArray[np.float64]
DOUBTFUL_MAJORITY = "the replies do not tell which answer"
MAX_APART = 2.0  # standard errors between a model's share of a class and the unbiased one


def warn_of_doubtful_majority(task: Task) -> None:
    """Warn if the most frequent class is not significantly larger than the second."""
    if task.design.is_clear(task.target.name):
        return
    counts, covariance = _target_spread(task.design, task.target, task)
    first, second = np.argsort(-counts, kind="stable")[:2]
    if not is_majority(counts, covariance, int(first), int(second)):
        warn(f"{DOUBTFUL_MAJORITY} to {task.target.name} is the most frequent")


def warn_of_doubtful_dependence(task: Task) -> None:
    """Warn that dependence on the class may be the lottery's noise."""
    warn(
        f"the replies do not tell how {task.target.name} depends on the other answers; "
        "predictions may be no better than its most frequent answer"
    )


def evened_note(task: Task, modelled: Floats) -> str:
    """The unbiased share of the largest class, where a model draws the shares of the classes together.

    That does its predictions no harm, but its nodes show shares that nobody should take for estimates.
    """
    counts, covariance = _target_spread(task.design, task.target, task)
    shares, errors = counts / counts.sum(), np.sqrt(np.diag(covariance)) / counts.sum()
    if (np.abs(modelled / modelled.sum() - shares) <= MAX_APART * errors).all():
        return ""
    largest = int(np.argmax(shares))
    return (
        f"nodes show a model's shares, drawn towards each other; the unbiased share of "
        f"{task.target.answers[largest]} is {shares[largest]:.1%} ± {errors[largest]:.1%}"
    )


def _target_spread(design: Design, target: Question, task: Task) -> tuple[Floats, Floats]:
    """Estimated counts of the target's answers, and their covariance."""
    if task.versions:
        return Reported.of(design, task.replies, [target]).estimated()
    inverse = question_inverse(design, target.name)
    reported = np.bincount(task.reported[-1], task.counts, minlength=inverse.shape[1]).astype(float)
    counts = inverse @ reported
    return counts, (inverse * reported) @ inverse.T - np.outer(counts, counts) / reported.sum()
