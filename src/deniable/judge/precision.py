"""Expected precision of a design: standard errors of shares and pairs before anybody is asked.

Under a truth x the reported table is M x, and every figure's variance follows from the weights of its reports, sizes of
versions given. The dependence of two questions is worth

    N = n * (variance of the dependence's cells among people asked in the clear) / (their variance under the design)

as many people asked in the clear, at even shares; for one joint draw this is  n * sum over versions of  share * p^2,
p the chance of the truth.

legend: x true shares [*cell], n replies, kappa cells of a table
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.errors import NotIdentified
from deniable.inference.invert.reported import Reported
from deniable.inference.invert.stacks import disguised, stacks_of
from deniable.inference.query.query import query_of
from deniable.survey.question import Question

Floats = NDArray[np.float64]


def expected_errors(design: Design, names: Sequence[str], n: int, truth: Floats | None = None) -> Floats | None:
    """Standard errors of the cells of a table, at these or even true shares; None if they are not identified."""
    covariance = _covariance(design, [design.question(name) for name in names], truth)
    return None if covariance is None else np.sqrt(np.maximum(np.diag(covariance), 0.0) / n)


def expected_error(design: Design, expression: str, n: int, truth: Floats | None = None) -> float | None:
    """The standard error of an expression's share, at these or even true shares; None if not identified."""
    query = query_of(design, expression)
    covariance = _covariance(design, query.questions, truth, query.masks[0].astype(float))
    return None if covariance is None else float(np.sqrt(max(covariance.item(), 0.0) / n))


def worth(design: Design, one: str, two: str, n: int) -> float:
    """As many people asked in the clear the replies are worth, for the dependence of two questions."""
    questions = [design.question(one), design.question(two)]
    apart = _dependence([len(question) for question in questions])
    covariance = _covariance(design, questions, None, apart)
    if covariance is None:
        return 0.0
    kappa = prod(map(len, questions))
    return float(n * np.sum(apart**2) / kappa / np.trace(covariance))


def _covariance(
    design: Design, questions: Sequence[Question], truth: Floats | None, values: Floats | None = None
) -> Floats | None:
    """The covariance of one reply's weights for the cells of a table, or for other figures of them."""
    shape = tuple(len(question) for question in questions)
    stacks = stacks_of(design, questions)
    expected = disguised(np.full(shape, 1 / prod(shape)) if truth is None else truth, stacks)
    try:
        found = Reported(expected, stacks).estimated(None if values is None else values.reshape(*shape, -1))[1]
    except NotIdentified:
        return None
    return np.asarray(found)


def _dependence(shape: Sequence[int]) -> Floats:
    """What is left of each cell of a table when its rows' and columns' means are taken off: [cell, cell]."""
    found: Floats = np.ones((1, 1))
    for size in shape:
        found = np.asarray(np.kron(found, np.eye(size) - 1 / size), dtype=np.float64)
    return found
