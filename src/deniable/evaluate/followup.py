"""Accuracy with the respondents' help: the follow-up round of electronic surveys.

Where an unrelated question replaces the truth, some replies are about personal data. In a second round every
respondent's device applies the model to the personal data and reports only whether the prediction is right. Solving

    P(right about replies) = theta P(right) + (1 - theta) P(right about personal data)

for P(right) gives the accuracy.  Zhan and Matwin, section 2.4
"""

from dataclasses import replace
from typing import Any

import numpy as np

from deniable.channel.design import Design
from deniable.count.counts import Distinct
from deniable.errors import BadRequest
from deniable.evaluate.match import answers_table, as_learnt, class_cells
from deniable.inference.error import OUTSIDE, moments
from deniable.inference.estimates import Estimate, share_estimate
from deniable.learn.columns import QuestionColumns
from deniable.survey.question import Question


def score_with_follow_up(
    model: Any, design: Design, asked: tuple[QuestionColumns, Question], replies: Distinct, personal: float | Estimate
) -> Estimate:
    """The share of people whom the model classifies correctly, given that share for their personal data."""
    known, error = (personal.value, personal.stderr) if isinstance(personal, Estimate) else (float(personal), 0.0)
    if not 0 <= known <= 1:
        raise BadRequest("personal_correct", "a share between 0 and 1", known, "correct it")
    theta = _theta(design, asked)
    right = _right_about_replies(model, asked, replies)
    counts = np.array([replies.counts[~right].sum(), replies.counts[right].sum()])
    found = moments(counts, (np.array([0.0, 1.0]) - (1 - theta) * known) / theta)
    found = replace(found, variance=found.variance + found.n * ((1 - theta) / theta * error) ** 2)
    return share_estimate(found, OUTSIDE)


def _theta(design: Design, asked: tuple[QuestionColumns, Question]) -> float:
    """The chance that a whole reply is true, where all its questions share one draw."""
    channels = {design.channel(question.name) for question in (*asked[0].questions, asked[1])}
    if len(channels) > 1:
        raise BadRequest(
            "personal_correct", "a design with one draw for all questions", f"{len(channels)} groups", "leave it out"
        )
    (channel,) = channels
    others = [each for each, truth in zip(channel.instructions, channel.truths, strict=True) if not truth]
    kernels = [each.kernel(asked[1]) for each in others]
    if any(np.ptp(kernel, axis=1).any() for kernel in kernels):
        raise BadRequest(
            "personal_correct", "a design of one unrelated-question group", channel.recipe.scheme, "leave it out"
        )
    return channel.theta


def _right_about_replies(
    model: Any, asked: tuple[QuestionColumns, Question], replies: Distinct
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    columns, target = asked
    answers = answers_table(columns, [replies.columns[name] for name in columns.names], numbers=False)
    predicted = class_cells(target, np.asarray(model.predict(as_learnt(model, answers))).tolist())
    return np.asarray(predicted == replies.columns[target.name])
