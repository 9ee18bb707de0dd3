"""Questions linked by a condition: what is sent about one is evidence of the other.

Who does not smoke does not smoke daily, so the true answers to such questions are not independent. However they depend
on each other, all that is sent about them changes the odds of an answer by no more than their channels do together:

    belief  <=  p R / (p R + 1 - p),        R = exp(sum over the linked channels of epsilon)
    PSE     >=  1 - s^2 - (1 - s)^2,        or 1 - s where s < 1/2, since sum of squares <= largest

legend: p prior of an answer, s the surest belief in any answer
"""

from collections.abc import Mapping
from math import isinf

import numpy as np

from deniable.channel.design import Design
from deniable.channel.instruction import Matrix
from deniable.deniability.epsilon import at_most_words, channel_epsilon, ratio_of

LINKED = (
    "A condition links {names}, so replies to one are evidence of the others: together they make an answer {most} as"
)


def linked_questions(design: Design) -> list[frozenset[str]]:
    """Sets of questions of which one decides whether another is asked."""
    sets = [frozenset([name]) for name in design.names]
    for question in design.questions:
        if (when := question.plain.ask_if) is not None:
            together = [some for some in sets if not some.isdisjoint([question.name, *when.names])]
            sets = [some for some in sets if some not in together] + [frozenset().union(*together)]
    return [some for some in sets if len(some) > 1]


def linked_epsilon(design: Design, names: frozenset[str]) -> float:
    """Epsilon of everything that is sent about some questions, in the versions that reveal most."""
    return sum((
        max(
            sum((channel_epsilon(each) for each in version.channels if not names.isdisjoint(each.names)), 0.0)
            for version in block.versions
        )
        for block in design.blocks
    ), 0.0)  # fmt: skip


def linked_sentence(names: frozenset[str], design: Design, epsilon: float) -> str:
    """What linked questions reveal together, in words."""
    listed = " and ".join(name for name in design.names if name in names)
    if isinf(epsilon):
        return f"A condition links {listed}, so replies to one can give the others away; no bound is known for beliefs."
    return f"{LINKED.format(names=listed, most=at_most_words(ratio_of(epsilon)))} likely as another."


def surest_beliefs(prior: Matrix, epsilon: float) -> Matrix:
    """The surest belief in each answer that replies with such an epsilon can give: [answer]."""
    if isinf(ratio := ratio_of(epsilon)):
        return np.asarray(prior > 0, dtype=float)
    return np.asarray(prior * ratio / (prior * ratio + 1 - prior))


def least_pse(surest: Matrix) -> float:
    """The least that a guess by odds is wrong, given the surest beliefs."""
    most = float(surest.max())
    return max(0.0, 1 - most**2 - (1 - most) ** 2) if most > 0.5 else 1 - most


def linked_epsilons(design: Design) -> Mapping[str, tuple[float, str]]:
    """For each question linked to others, epsilon of what is sent about all of them, and a sentence."""
    found: dict[str, tuple[float, str]] = {}
    for names in linked_questions(design):
        epsilon = linked_epsilon(design, names)
        found |= dict.fromkeys(names, (epsilon, linked_sentence(names, design, epsilon)))
    return found
