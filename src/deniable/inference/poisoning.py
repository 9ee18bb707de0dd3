"""Poisoning: how far people who send made-up replies can move an estimate, at most.

An estimate is the mean of the replies' weights, and a made-up reply has one of the weights that an honest one may have.
So if a share f of the replies is made up, it moves the estimate by at most

    f * (largest weight - smallest weight)

a bound that is reached if made-up replies have one extreme weight and all others the opposite one. The stronger the
disguise, the larger the weights, and the more a single made-up reply can do.

A made-up reply may name any version. So it names one that asks the question, and among the replies that count, made-up
ones are more frequent than among all: f / (f + (1 - f) a), where a is the share of respondents who are asked. Weights
are those of the planned shares of versions. Estimates use the sizes that they find, which made-up replies change, so
this bound is for honest replies as they are expected, not for any whatever; enumeration finds none that exceed it.

Shares of a number under noise come from iterative Bayes, where no reply has a weight of its own: for them only the
trivial bound is known, and none is given. The mean of such a number has one.
"""

from collections.abc import Sequence

import numpy as np

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.inference.invert.stack import Stack, Table
from deniable.inference.invert.stacks import among_asked, stacks_of, weights_of
from deniable.inference.over_versions import precision_of
from deniable.inference.query.expression import Truths
from deniable.inference.query.query import query_of
from deniable.survey.question import Question


def most_shift(design: Design, expression: str, fakes: float) -> float | None:
    """How far a share of made-up replies can move the estimated share for which an expression holds, at most.

    None where no bound is known: where the expression asks about a number under noise.
    """
    _check(fakes)
    query = query_of(design, expression)
    stacks = stacks_of(design, query.questions)
    reach = leverage(query.masks[0], stacks)
    return None if reach is None else _among_asked(fakes, stacks) * reach


def leverage(mask: Truths, stacks: Sequence[Stack]) -> float | None:
    """How far the estimated share of these true cells would move if every reply that counts became another one."""
    if any(stack.has_noise for stack in stacks):
        return None
    return _reach(mask.astype(float), stacks)


def most_mean_shift(design: Design, name: str, fakes: float) -> float:
    """How far a share of made-up replies can move the estimated mean of a number, at most."""
    _check(fakes)
    question = design.question(name)
    if question.range is None:
        raise BadRequest("the question", "a number", name, "ask for the shift of a share")
    stacks = stacks_of(design, [question])
    if question.is_number:
        limits = design.reported(question).range
        assert limits is not None
        return _most_weight(design, question, fakes) * (limits.high - limits.low)
    return _among_asked(fakes, stacks) * _reach(question.range.middles, stacks)


def _most_weight(design: Design, question: Question, fakes: float) -> float:
    """The part of a mean's weight that made-up replies can have: all of them in the version that counts most."""
    block = design.block(question.name)
    if block.is_plain or block.chosen:
        return fakes
    channels = [version.channel(question.name) for version in block.versions]
    each = np.array([0.0 if channel is None else precision_of(channel, question) for channel in channels])
    return float(fakes * each.max() / (fakes * each.max() + (1 - fakes) * (block.shares @ each)))


def _reach(values: Table, stacks: Sequence[Stack]) -> float:
    """The largest weight of a reply that counts minus the smallest, for figures of the true cells."""
    stacks, _ = among_asked(stacks)
    weights = weights_of(values, stacks)
    if len(stacks) != 1:
        return float(np.ptp(weights))
    reports = stacks[0].reports_of_asked(np.arange(weights.size))
    return float(np.ptp(weights.ravel()[reports >= 0]))


def _among_asked(fakes: float, stacks: Sequence[Stack]) -> float:
    """The share of made-up replies among those that count, if they all name a version that does."""
    _, asked = among_asked(stacks)
    return fakes / (fakes + (1 - fakes) * asked) if fakes and asked < 1 else fakes


def _check(fakes: float) -> None:
    if not 0 <= fakes <= 1:
        raise BadRequest("the share of made-up replies", "between 0 and 1", fakes, "write 0.05 for 5 %")
