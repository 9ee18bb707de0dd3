"""The privacy report: what each respondent can deny, in figures and in plain sentences."""

from dataclasses import dataclass
from math import ceil, exp, floor, inf, isinf
from typing import Any

from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.channel.instruction import Opposite, Truth
from deniable.deniability.interval import CONFIDENCES, interval_privacy
from deniable.deniability.local import channel_epsilon, epsilon_word, question_epsilon, record_epsilon, rounded_up
from deniable.deniability.posterior import posterior, retention
from deniable.deniability.pse import Priors, group_pse, pse
from deniable.survey.question import Question

LAST_BIT = 1e-8  # chances are whole numbers out of 2^32: .8 is .80000000004
DENIABLE = 100.0  # a ratio of chances beyond which nobody believes a denial


@dataclass(frozen=True)
class QuestionPrivacy:
    """What the report to one question tells about its true answer."""

    name: str
    epsilon: float
    retention: float | None
    posterior: float | None  # the surest belief a report can give to somebody who held the prior
    pse: float | None  # how often a guess by odds is wrong, given the prior; and the smallest in its group
    group_pse: float | None
    interval: dict[str, float] | None  # width that holds a number, by confidence
    sentence: str
    together: str | None  # what the questions of its group tell together that none of them tells alone


@dataclass(frozen=True)
class Privacy:
    """What a whole reply tells, and each of its questions."""

    epsilon: float
    epsilon_disguised: float
    questions: tuple[QuestionPrivacy, ...]

    @property
    def sentences(self) -> list[str]:
        """What questions that share a draw tell together."""
        return list(dict.fromkeys(question.together for question in self.questions if question.together))

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        rows = [{**vars(question), "epsilon": epsilon_word(question.epsilon)} for question in self.questions]
        return {
            "epsilon": epsilon_word(self.epsilon),
            "epsilon_disguised": epsilon_word(self.epsilon_disguised),
            "questions": rows,
        }

    def __str__(self) -> str:
        lines = [f"epsilon of a whole reply: {epsilon_word(self.epsilon)}", *self.sentences]
        return "\n".join(lines + [f"{question.name}: {question.sentence}" for question in self.questions])


def privacy(design: Design, priors: Priors | None = None) -> Privacy:
    """What each respondent can deny under this design.

    `priors` are shares of the true answers that a collector believes in beforehand, by question; without them all
    answers are thought alike. Epsilon needs none.
    """
    check_design(design)
    for name in priors or {}:
        design.question(name)
    return Privacy(
        rounded_up(record_epsilon(design)),
        rounded_up(record_epsilon(design, disguised_only=True)),
        tuple(_of_question(design.channel(question.name), question, priors or {}) for question in design.questions),
    )


def _of_question(channel: Channel, question: Question, priors: Priors) -> QuestionPrivacy:
    epsilon = rounded_up(question_epsilon(channel, question.name))
    if question.is_number:
        sentence = _number_sentence(channel, question)
        widths = _widths(channel, question)
        return QuestionPrivacy(question.name, epsilon, None, None, None, None, widths, sentence, None)
    prior = priors.get(question.name)
    surest, wrong = float(posterior(channel, question.name, prior).max()), pse(channel, question.name, prior)
    least = wrong if channel.is_clear else group_pse(channel, priors)
    kept = None if question.range else retention(channel, question.name)
    within = _widths(channel, question) if question.range else None
    sentence = _answer_sentence(channel, question)
    return QuestionPrivacy(question.name, epsilon, kept, surest, wrong, least, within, sentence, _together(channel))


def _widths(channel: Channel, question: Question) -> dict[str, float]:
    return {f"{100 * level:g} %": interval_privacy(channel, question, level) for level in CONFIDENCES}


def _answer_sentence(channel: Channel, question: Question) -> str:
    if channel.is_clear:
        return "Your answer is sent as it is. It cannot be denied."
    if channel.theta == 1 and question.range is not None:
        return "Only the interval in which your number lies is sent. That interval cannot be denied." + _left_out(
            question
        )
    whole = channel_epsilon(channel)
    if isinf(question_epsilon(channel, question.name)) and not question.omit:
        return "Some reports are possible under some answers only, so they give the answer away."
    kept = floor(100 * retention(channel, question.name) * (1 + LAST_BIT))
    told = f"Your true answer is reported with a chance of {kept} % or more" if kept else "What you report is drawn"
    if isinf(whole):
        others = [name for name in channel.names if name != question.name]
        if not others:
            return f"{told}, so you can deny the answer, but not that you gave one." + _left_out(question)
        return f"{told}. Alone it could be denied; drawn together with {', '.join(others)} it cannot." + _left_out(
            question
        )
    ratio = ceil(10 * exp(whole) * (1 - LAST_BIT)) / 10
    known = channel.recipe.settings.get("personal", {}).get(question.name)
    proviso = f", as long as nobody knows your answer to {known!r}" if known else ""
    return (
        f"{told}; what you report is at most {ratio:.1f} times as likely under one truth as under another, "
        f"{'so you can deny it' if ratio <= DENIABLE else 'which hardly protects you'}{proviso}."
    )


def _left_out(question: Question) -> str:
    return " That you left it out would be seen." if question.omit else ""


def _number_sentence(channel: Channel, question: Question) -> str:
    assert question.range is not None
    if not channel.has_noise:
        return "Your number is sent as it is. It cannot be denied." + _left_out(question)
    width = min(interval_privacy(channel, question, 0.95), question.range.high - question.range.low)
    return (
        f"Noise is added to your number: with 95 % confidence it can only be placed within a width of {width:.3g}. "
        "Epsilon is infinite, because a report far out rules out numbers at the other end." + _left_out(question)
    )


def _together(channel: Channel) -> str | None:
    """What the questions of one group tell together that none of them tells alone."""
    alone = [question_epsilon(channel, name) for name in channel.names]
    if len(alone) < 2 or inf in alone or channel_epsilon(channel) < inf:
        return None
    names = ", ".join(channel.names)
    told = f"The questions {names} share one draw: some of their reports together are possible under some answers only"
    if all(isinstance(instruction, Truth | Opposite) for instruction in channel.instructions):
        told += (
            ". Whoever knows one true answer learns the others, and skewed answers may betray the draw by themselves"
        )
    return f"{told}. Epsilon is infinite."
