"""Candidate designs: ways to ask some questions that all keep one epsilon of the whole reply.

Epsilon may be split over a lottery for each question, evenly or towards the target. Or everybody answers the target and
`ask` of the other questions, drawn in the open, in one joint draw: then nothing is spent on what is not asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import expm1

from deniable.channel.block import Block
from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.epsilon import epsilon as promised
from deniable.channel.schemes import draw, hadamard, k_ary
from deniable.channel.versions import versions
from deniable.errors import DeniableError
from deniable.survey.question import Question

MAX_ASKED = 5  # questions beside the target
TOWARDS = 0.5  # of epsilon for the target, where it gets more than the others


@dataclass(frozen=True)
class Candidates:
    """Designs by name, and why others are not among them."""

    designs: Mapping[str, Design]
    skipped: Mapping[str, str] = field(default_factory=dict)


Recipe = Callable[[], Iterator[Channel | Block]]


def candidates(
    questions: Sequence[Question],
    epsilon: float,
    target: str | None,
    title: str = "",
    most: int = MAX_ASKED,
) -> Candidates:
    """Every way of asking these questions at one epsilon of the whole reply; what a design cannot hold is skipped.

    At most so many questions are drawn at once, beside the target.
    """
    found: dict[str, Design] = {}
    skipped: dict[str, str] = {}
    for name, recipe in _recipes(questions, epsilon, target, most).items():
        try:
            found[name] = _design(recipe(), questions, target, title)
        except DeniableError as refusal:
            skipped[name] = refusal.problem
    return Candidates(found, skipped)


def asking(questions: Sequence[Question], epsilon: float, target: str | None, ask: int, title: str = "") -> Design:
    """The design in which everybody answers the target, if there is one, and so many of the others."""
    return _design(_some(questions, epsilon, target, ask), questions, target, title)


def _design(
    channels: Iterable[Channel | Block], questions: Sequence[Question], target: str | None, title: str
) -> Design:
    return Design([*channels], target=target, title=title, order=[each.name for each in questions])


def _recipes(questions: Sequence[Question], epsilon: float, target: str | None, most: int) -> dict[str, Recipe]:
    others = [question for question in questions if question.name != target]
    recipes: dict[str, Recipe] = {
        "split evenly": lambda: _split(questions, [epsilon / len(questions)] * len(questions))
    }
    if target is not None and others:
        rest = (1 - TOWARDS) * epsilon / len(others)
        parts = [TOWARDS * epsilon if question.name == target else rest for question in questions]
        recipes["split towards the target"] = lambda: _split(questions, parts)
    for ask in range(1, min(most, len(others) - (target is None)) + 1):
        recipes[f"ask {ask}"] = partial(_some, questions, epsilon, target, ask)
    return recipes


def _split(questions: Sequence[Question], parts: Sequence[float]) -> Iterator[Channel]:
    """A lottery for each question, with a part of epsilon each."""
    return (alone(question, part) for question, part in zip(questions, parts, strict=True))


def _some(questions: Sequence[Question], epsilon: float, target: str | None, ask: int) -> Iterator[Channel | Block]:
    """The target and some of the others, drawn in the open, in one joint draw."""
    if target is None and ask == 1:
        yield versions({question.name: alone(question, epsilon) for question in questions})
    elif target is not None and ask == len(questions) - 1:
        yield draw(promised(epsilon), *questions)
    else:
        always = [] if target is None else [target]
        yield draw(promised(epsilon), *questions, always=always, ask=ask)


def alone(question: Question, epsilon: float) -> Channel:
    """A lottery for one question, by whichever scheme says the truth more loudly: k-ary, or Hadamard's cards.

    Cards win where  K (e^epsilon + 1)^2 < (e^epsilon - 1 + K)^2,  K the number of answers.
    """
    odds, size = expm1(epsilon), len(question)
    if size * (odds + 2) ** 2 < (odds + size) ** 2:
        return hadamard(promised(epsilon), question)
    return k_ary(promised(epsilon), question)
