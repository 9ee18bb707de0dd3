"""Poisoning: how far people who send made-up replies can move an estimate, at most.

An estimate is the mean of the replies' weights, and a made-up reply has one of the weights that an honest one may have.
So if a share f of the replies is made up, it moves the estimate by at most

    f * (largest weight - smallest weight)

a bound that is reached if made-up replies have one extreme weight and all others the opposite one. The stronger the
disguise, the larger the weights, and the more a single made-up reply can do.

Shares of a number under noise come from iterative Bayes, where no reply has a weight of its own: for them only the
trivial bound is known, and none is given. The mean of such a number has one.
"""

from collections.abc import Sequence

import numpy as np

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.inference.invert.stack import Stack
from deniable.inference.invert.stacks import stacks_of, weights_of
from deniable.inference.query.expression import Truths
from deniable.inference.query.query import query_of


def most_shift(design: Design, expression: str, fakes: float) -> float | None:
    """How far a share of made-up replies can move the estimated share for which an expression holds, at most.

    None where no bound is known: where the expression asks about a number under noise.
    """
    _check(fakes)
    query = query_of(design, expression)
    reach = leverage(query.masks[0], stacks_of(design, query.questions))
    return None if reach is None else fakes * reach


def leverage(mask: Truths, stacks: Sequence[Stack]) -> float | None:
    """How far the estimated share of these true cells would move if every reply became another one, at most."""
    if any(stack.has_noise for stack in stacks):
        return None
    return float(np.ptp(weights_of(mask.astype(float), stacks)))


def most_mean_shift(design: Design, name: str, fakes: float) -> float:
    """How far a share of made-up replies can move the estimated mean of a number, at most."""
    _check(fakes)
    question = design.question(name)
    if question.range is None:
        raise BadRequest("the question", "a number", name, "ask for the shift of a share")
    if question.is_number:
        limits = design.reported(question).range
        assert limits is not None
        return fakes * (limits.high - limits.low)
    return fakes * float(np.ptp(weights_of(question.range.middles, stacks_of(design, [question]))))


def _check(fakes: float) -> None:
    if not 0 <= fakes <= 1:
        raise BadRequest("the share of made-up replies", "between 0 and 1", fakes, "write 0.05 for 5 %")
