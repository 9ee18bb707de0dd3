"""Channel: one lottery over instructions, drawn once for a group of questions.

Each respondent draws one instruction and follows it for every question of the group, so over any of these questions

    matrix = sum over instructions a of  P(a) * (kernel of a on q1) ⊗ (kernel of a on q2) ⊗ ...

>>> from deniable.survey.question import yes_no
>>> from deniable.channel.schemes import warner
>>> pair = warner(0.75, yes_no("cheated"), yes_no("drove drunk"))
>>> pair.matrix(["cheated"])
array([[0.75, 0.25],
       [0.25, 0.75]])
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.channel import chances
from deniable.channel.instruction import Add, Count, Instruction, Matrix, Multiply, Opposite, Other, Truth, kernel_of
from deniable.channel.noise import Noise
from deniable.errors import BadGroup, BadQuestion, NothingLeft, UnknownQuestion
from deniable.notebook import shortened
from deniable.survey.question import Question

WORST_CONDITION = 1e6  # beyond it an inverse is noise
EXACT_CHECK = 512  # cells of a group whose whole matrix is checked
DEVICE, RESPONDENT = "device", "respondent"  # who draws the lottery


@dataclass(frozen=True)
class Recipe:
    """The scheme a channel was made by, as the design file says it."""

    scheme: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    how: tuple[str, ...] = ()  # what respondents who draw by themselves do, in words; the chances tell unless given

    def __str__(self) -> str:
        return ", ".join(f"{key} = {_short(value)}" for key, value in self.settings.items()) or self.scheme


def _short(value: object) -> object:
    """A setting as people read it: 0.1667, not all digits of a sixth."""
    return f"{value:.6g}" if isinstance(value, float) else value


@dataclass(frozen=True)
class Channel:
    """One lottery over instructions, drawn once for all questions of the group."""

    group: tuple[Question, ...]
    lottery: tuple[tuple[Instruction, float], ...]
    recipe: Recipe = field(default=Recipe("a lottery"), hash=False)

    def __post_init__(self) -> None:
        chances.distribution([chance for _, chance in self.lottery])
        if not self.group:
            raise BadQuestion("", f"is missing: {self.recipe.scheme} needs at least one", "name its questions")
        for question in self.group:
            if self.names.count(question.name) > 1:
                raise BadQuestion(question.name, "is twice in one group", "name it once")
        if self.drawn_by == RESPONDENT:
            self._check_by_hand()
        has_numbers = any(question.is_number for question in self.group)
        if not self.says_the_truth and not has_numbers and self._leaves_unidentified():
            keys = [key for key in self.recipe.settings if key != "drawn_by"]
            raise NothingLeft(self.names, self._hidden(), str(self.recipe), " or ".join(keys) or "lottery")

    def __repr__(self) -> str:
        settings = "" if not self.recipe.settings else f"{shortened(str(self.recipe))}, "
        return f"<Channel {self.recipe.scheme}, {settings}on {shortened(', '.join(self.names))}>"

    @cached_property
    def names(self) -> list[str]:
        """The names of the group's questions."""
        return [question.name for question in self.group]

    @property
    def drawn_by(self) -> str:
        """Who draws the lottery: the device, or the respondents by themselves, who then answer with its outcome."""
        return str(self.recipe.settings.get("drawn_by", DEVICE))

    @property
    def instructions(self) -> list[Instruction]:
        """What the lottery may say."""
        return [instruction for instruction, _ in self.lottery]

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """What the lottery's random number is compared with."""
        return chances.thresholds([chance for _, chance in self.lottery])

    @cached_property
    def chances(self) -> Matrix:
        """The chance of each instruction, as devices really draw it."""
        return chances.shares(self.thresholds)

    @property
    def theta(self) -> float:
        """The chance of the instruction Truth."""
        return float(self.chances @ self.truths)

    @property
    def truths(self) -> list[bool]:
        """Which of the instructions say the truth."""
        return [isinstance(instruction, Truth) for instruction in self.instructions]

    @property
    def is_flip(self) -> bool:
        """Whether every draw leaves answers as they are or inverts them; of two answers the other is the opposite."""
        flips = (Truth, Opposite, Other) if all(len(question) == 2 for question in self.group) else (Truth, Opposite)
        return all(isinstance(instruction, flips) for instruction in self.instructions)

    @property
    def says_the_truth(self) -> bool:
        """Whether nothing but the truth can be drawn; of a number perhaps only its interval."""
        return self.instructions == [Truth()]

    @property
    def is_clear(self) -> bool:
        """Whether answers are asked in the clear: the truth is said, and in full."""
        return self.says_the_truth and self._in_full

    @property
    def is_unchanged(self) -> bool:
        """Whether replies are the answers, in the clear or after a lottery that always says the truth."""
        return self.theta == 1 and self._in_full

    @property
    def _in_full(self) -> bool:
        return all(question.range is None or question.is_number for question in self.group)

    @property
    def noise(self) -> Noise | None:
        """The noise that is added to a number, if any."""
        return next((each.noise for each in self.instructions if isinstance(each, Add)), None)

    @property
    def factors(self) -> Noise | None:
        """The factors by which a number is multiplied, if any, in steps of 1/UNIT."""
        return next((each.factors for each in self.instructions if isinstance(each, Multiply)), None)

    def factor_chances(self, name: str) -> Matrix | None:
        """P(reported cell | true number) where a number is multiplied, for all numbers that its grid tells apart."""
        found = next((each for each in self.instructions if isinstance(each, Multiply)), None)
        return None if found is None else found.by_point(self.question(name))

    @property
    def has_noise(self) -> bool:
        """Whether noise is added to a number, or it is multiplied, which has no stable inverse."""
        return self.noise is not None or self.factors is not None

    @property
    def promised(self) -> "Channel":
        """The channel of those who follow its lottery: without liars, who are no part of the promise."""
        group = tuple(each.plain if each.beside is None else each for each in self.group)
        return self if group == self.group else replace(self, group=group)

    def question(self, name: str) -> Question:
        """The question of that name in this group."""
        for question in self.group:
            if question.name == name:
                return question
        raise UnknownQuestion(name, self.names)

    def reported(self, question: str | Question) -> Question:
        """The question as replies answer it: other words, or a wider range."""
        return self.instructions[0].reported(self._find(question).plain)

    def matrix(self, questions: Sequence[str | Question] | None = None) -> Matrix:
        """P(reported cells | true cells) of these questions, in this order; of the whole group if None.

        A question may be given itself instead of by name, to cut a number into other cells.
        """
        found = self.group if questions is None else [self._find(question) for question in questions]
        terms = [
            chance * _product([kernel_of(instruction, question) for question in found])
            for instruction, chance in zip(self.instructions, self.chances, strict=True)
        ]
        return np.asarray(sum(terms))

    def kernels(self, question: str | Question) -> NDArray[np.float64]:
        """What each instruction does to a question: [instruction, reported, true]."""
        found = self._find(question)
        return np.array([kernel_of(instruction, found) for instruction in self.instructions])

    def kernels_of_answers(self, question: str | Question) -> NDArray[np.float64]:
        """The same for the answers that people give; of an answer beside them, any is taken to be as likely."""
        found = self._find(question)
        if found.beside is None:
            return self.kernels(found.plain)
        every = self.kernels(found)
        return np.asarray(every.reshape(*every.shape[:2], len(found.beside), -1).mean(axis=2))

    def harmless(self, name: str) -> str | None:
        """The respondents' own harmless question that stands in for this one, or decides what they report."""
        settings = self.recipe.settings
        known: str | None = settings.get("personal", {}).get(name) or settings.get("harmless")
        return known

    @property
    def is_counted(self) -> bool:
        """Whether nothing is drawn: respondents count how many items of a list hold."""
        return all(isinstance(instruction, Count) for instruction in self.instructions)

    def _check_by_hand(self) -> None:
        """Refuse lotteries that no respondent could draw without the device."""
        way_out = "leave drawn_by out, so that the device draws"
        for question in self.group:
            if question.formula is not None:
                problem = "respondents cannot draw for it themselves, since their device works its answer out"
                raise BadGroup(self.recipe.scheme, question.name, problem, way_out)
        if self.has_noise or self.says_the_truth:
            problem = "noise cannot be added by hand" if self.has_noise else "there is nothing to draw"
            raise BadGroup(self.recipe.scheme, self.names[0], f"respondents draw for it themselves, but {problem}",
                           way_out)  # fmt: skip

    def _find(self, question: str | Question) -> Question:
        return self.question(question) if isinstance(question, str) else question

    def _leaves_unidentified(self) -> bool:
        kernels = sorted((each.tobytes(), each.shape) for each in map(self.kernels, self.group))
        return _leaves_unidentified(_Alike((self.chances.tobytes(), *kernels), self))

    def _hidden(self) -> list[str]:
        """Questions whose own share is not identified."""
        return [name for name in self.names if np.linalg.cond(self.matrix([name])) > WORST_CONDITION]

    def groups_to_check(self) -> Iterator[Sequence[Question]]:
        """Whose matrices tell whether answers are hidden: the whole group's, or, where that is too large, all threes'.

        Questions that the lottery treats alike need not be tried again in another's place.
        """
        if prod(len(question) for question in self.group) <= EXACT_CHECK:
            yield self.group
            return
        alike: dict[bytes, list[Question]] = {}
        for question in self.group:
            kernels = self.kernels(question).tobytes()
            alike.setdefault(kernels, []).append(question)
        size = min(3, len(self.group))
        for kinds in combinations_with_replacement(alike, size):
            if all(kinds.count(kind) <= len(alike[kind]) for kind in kinds):
                some = [alike[kind][kinds[:index].count(kind)] for index, kind in enumerate(kinds)]
                yield _first_few(some)


@dataclass(frozen=True)
class _Alike:
    """A channel that equals every other one with the same chances and kernels, whatever its questions are called."""

    key: tuple[object, ...]
    channel: Channel = field(compare=False)


@lru_cache(maxsize=1024)
def _leaves_unidentified(alike: _Alike) -> bool:
    """Whether a channel leaves the truth about some questions unidentified; kept, since versions share lotteries."""
    channel = alike.channel
    return any(np.linalg.cond(channel.matrix(some)) > WORST_CONDITION for some in channel.groups_to_check())


def _first_few(questions: Sequence[Question]) -> Sequence[Question]:
    """As many of these questions as a matrix that is still checked can hold, one at least."""
    few = [questions[0]]
    for question in questions[1:]:
        if prod(map(len, [*few, question])) <= EXACT_CHECK:
            few.append(question)
    return few


def _product(kernels: Sequence[Matrix]) -> Matrix:
    product: Matrix = kernels[0] if kernels else np.ones((1, 1))
    for kernel in kernels[1:]:
        product = np.asarray(np.kron(product, kernel))
    return product


def channel(group: Sequence[Question], lottery: Mapping[Instruction, float], recipe: Recipe | None = None) -> Channel:
    """A channel written the way one says it: channel([q], {Truth(): 0.7, Say((("q", 1),)): 0.3})."""
    return Channel(tuple(group), tuple(lottery.items()), recipe or Recipe("a lottery"))
