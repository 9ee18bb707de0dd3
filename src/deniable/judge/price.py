"""Price of a promise: what ways of asking the same questions cost at one epsilon of the whole reply.

The price is given in two ways: the expected standard error of a share from so many replies, and the replies that it
takes until every share is known within a margin.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from deniable.channel.design import Design
from deniable.channel.epsilon import epsilon as promised
from deniable.channel.schemes import clear
from deniable.deniability.epsilon import reply_epsilon, rounded_up
from deniable.deniability.privacy import disguised_answers
from deniable.errors import DeniableError
from deniable.inference.plan import plan
from deniable.judge.candidates import candidates
from deniable.judge.pilot import banded
from deniable.judge.precision import expected_errors
from deniable.survey.question import Question

MARGIN = 0.05
MAX_ASKED = 3  # questions at once, beside the target: more are never cheaper for shares


@dataclass(frozen=True)
class Price:
    """A way of asking, the error of a share, and the replies that a margin takes; infinite if none is identified."""

    name: str
    design: Design
    epsilon: float
    error: float  # the mean standard error over all answers, at even shares
    needed: float  # replies for a margin of 5 points
    together: int  # disguised answers that one person gives


def prices(
    questions: Sequence[Question], epsilon: float, n: int, target: str | None = None, title: str = ""
) -> list[Price]:
    """Every way of asking at one epsilon of the whole reply, the one that needs the fewest replies first."""
    promised(epsilon)
    asked = [asked_of_all(question) for question in questions]
    found = candidates(asked, epsilon, target, title, most=MAX_ASKED).designs
    kept = {name: design for name, design in found.items() if reply_epsilon(design) <= epsilon * (1 + 1e-9)}
    return sorted((price(name, design, n) for name, design in kept.items()), key=lambda each: each.needed)


def undisguised(questions: Sequence[Question], n: int) -> Price:
    """What the same questions cost if everybody answers them in the clear."""
    asked = [asked_of_all(question) for question in questions]
    return price("no disguise", Design([clear(*asked)], check_text=False), n)


def asked_of_all(question: Question) -> Question:
    """A question by itself, in answers or intervals: neither worked out from others nor asked on a condition."""
    return replace(banded(question.plain), formula=None, ask_if=None, otherwise=None)


def price(name: str, design: Design, n: int) -> Price:
    """What a design costs; numbers under noise have no price."""
    asked = [each for each in design.names if not design.has_noise(each)]
    errors = [expected_errors(design, (each,), n) for each in asked]
    known = [each for each in errors if each is not None]
    error = float(np.concatenate(known).mean()) if known and len(known) == len(errors) else inf
    together = sum(map(disguised_answers, design.blocks))
    return Price(name, design, rounded_up(reply_epsilon(design)), error, _needed(design), together)


def _needed(design: Design) -> float:
    try:
        found = plan(design, MARGIN)
    except DeniableError:
        return inf
    return inf if found.left_out else found.n
