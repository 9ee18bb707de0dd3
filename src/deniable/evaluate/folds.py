"""Cross-validation on disguised replies: learn from some, score on the others, never see the truth."""

from typing import Any

import numpy as np
from sklearn.base import clone

from deniable.channel.design import Design, check_design
from deniable.errors import BadRequest
from deniable.evaluate.score import score
from deniable.frame.columns import Missing
from deniable.frame.frames import eager
from deniable.inference.estimates import Estimate
from deniable.learn.base import check_whole
from deniable.learn.replies import whole_replies


def cross_val_score(
    model: Any, design: Design, replies: Any, cv: int = 5, seed: int = 0, *, missing: Missing = "skip"
) -> list[Estimate]:
    """The estimated accuracy on each of `cv` parts of the replies, learnt from all others.

    Replies that lack a cell are in none of the parts, which the notes say; with missing="refuse" they are refused.
    """
    check_design(design)
    frame = eager(replies, "replies")
    if design.target is None:
        raise BadRequest("design", "one with a target", None, "set target in the design")
    check_whole("cv", cv, 2)
    asked = [question for question in design.questions if question.name in (*frame.columns, design.target)]
    frame, gaps = whole_replies(design, asked, frame, missing)
    if cv > len(frame):
        raise BadRequest("cv", f"at most the number of replies, {len(frame)}", cv, "choose another number of parts")
    questions = [name for name in design.names if name != design.target and name in frame.columns]
    part = np.random.default_rng(seed).permutation(len(frame)) % cv
    found = []
    for place in range(cv):
        train, test = frame.filter((part != place).tolist()), frame.filter((part == place).tolist())
        fitted = clone(model).fit(train.select(questions).to_native(), train[design.target].to_native())
        found.append(score(fitted, design, test.to_native()).saying(gaps.told("learnt and tested on")))
    return found
