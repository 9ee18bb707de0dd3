"""Maximum likelihood records behind disguised replies, with no model but the lottery.

Iterative Bayes on the table of all questions at once: never negative, and at every step likelier than before. It
starts from even shares and stops early (docs/decisions/0009): run to convergence it would overfit.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from deniable.channel.design import Design
from deniable.errors import TooManyCells
from deniable.inference.em.likeliest import CONVERGED, converged
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.population.records import Records
from deniable.survey.question import Question

MAX_CELLS = 2**16
MIN_WEIGHT = 1e-6


def is_small(questions: Sequence[Question]) -> bool:
    """Whether the table of all these questions can be held."""
    return prod(len(question) for question in questions) <= MAX_CELLS


def likeliest_records(replies: Records, design: Design, questions: Sequence[Question]) -> Records:
    """Expected true records: the likeliest share of every combination of answers, times the replies."""
    sizes = tuple(len(question) for question in questions)
    if not is_small(questions):
        raise TooManyCells([question.name for question in questions], prod(sizes), MAX_CELLS)
    reported = np.zeros(replies.sizes)
    np.add.at(reported, replies.cells, replies.counts)
    shares = converged(reported[..., None], stacks_of(design, questions), CONVERGED)
    weights = shares.ravel() * replies.counts.sum()
    kept = np.flatnonzero(weights > MIN_WEIGHT)
    return Records(tuple(np.unravel_index(kept, sizes)), sizes, weights[kept])
