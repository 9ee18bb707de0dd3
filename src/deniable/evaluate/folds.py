"""Cross-validation on disguised replies: learn from some, score on the others, never see the truth."""

from typing import Any

import numpy as np
from sklearn.base import clone

from deniable.channel.design import Design, check_design
from deniable.count.cut import least_of_cells
from deniable.count.missing import complete
from deniable.count.replies import counts_of, warn_of_rows
from deniable.errors import BadRequest
from deniable.evaluate.score import score
from deniable.frame.columns import Missing
from deniable.inference.estimates import Estimate
from deniable.learn.base import check_whole
from deniable.learn.task import learnable, target_of
from deniable.survey.cutting import cut_also_at
from deniable.survey.question import Question


def cross_val_score(
    model: Any,
    design: Design,
    replies: Any,
    cv: int = 5,
    seed: int = 0,
    *,
    target: str | None = None,
    missing: Missing = "skip",
) -> list[Estimate]:
    """The estimated accuracy on each of `cv` parts of the replies, learnt from all others.

    What is predicted is the `target` that is named, else the design's.

    Replies that lack a cell are in none of the parts, and the notes say so; with missing="refuse" they are refused.
    """
    check_design(design)
    question = target_of(design, target or design.target)
    check_whole("cv", cv, 2)
    counts = counts_of(design, replies, missing)
    warn_of_rows(design, replies, counts.names)
    asked = [_for(model, design.question(name)) for name in counts.names if name in design.names]
    whole, gaps = complete(
        learnable(counts, design, asked), [design.reported(name) for name in counts.names], answered=False
    )
    people = least_of_cells(whole, design, asked).one_by_one()
    if cv > people.n:
        raise BadRequest("cv", f"at most the number of replies, {people.n}", cv, "choose another number of parts")
    part = np.random.default_rng(seed).permutation(people.n) % cv
    found = []
    for index in range(cv):
        fitted = clone(model).fit(people.only(part != index), question.name)
        found.append(score(fitted, design, people.only(part == index)).saying(gaps.sentence("learnt and tested on")))
    return found


def _for(model: Any, question: Question) -> Question:
    """A number in its own cells and in those of the model's design."""
    own = getattr(model, "design", None)
    limits = own.question(question.name).range if isinstance(own, Design) and question.name in own.names else None
    return question if limits is None else cut_also_at(question, limits.edges)
