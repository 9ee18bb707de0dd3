"""The privacy report: what each respondent can deny, in figures and in plain sentences."""

from dataclasses import dataclass
from math import exp, inf, isinf
from typing import Any

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.deniability.interval import CONFIDENCES, interval_privacy
from deniable.deniability.local import channel_epsilon, question_epsilon, record_epsilon, rounded_up
from deniable.deniability.posterior import posterior, retention
from deniable.survey.question import Question


@dataclass(frozen=True)
class QuestionPrivacy:
    """What the report to one question tells about its true answer."""

    name: str
    epsilon: float
    retention: float | None
    posterior: float | None  # the surest belief a report can give to somebody who thought all answers alike
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
        rows = [{**vars(question), "epsilon": _told(question.epsilon)} for question in self.questions]
        return {
            "epsilon": _told(self.epsilon),
            "epsilon_disguised": _told(self.epsilon_disguised),
            "questions": rows,
        }

    def __str__(self) -> str:
        lines = [f"epsilon of a whole reply: {_told(self.epsilon)}", *self.sentences]
        return "\n".join(lines + [f"{question.name}: {question.sentence}" for question in self.questions])


def privacy(design: Design) -> Privacy:
    """What each respondent can deny under this design."""
    return Privacy(
        rounded_up(record_epsilon(design)),
        rounded_up(record_epsilon(design, disguised_only=True)),
        tuple(_of_question(design.channel(question.name), question) for question in design.questions),
    )


def _told(epsilon: float) -> float | str:
    return "infinity" if isinf(epsilon) else epsilon


def _of_question(channel: Channel, question: Question) -> QuestionPrivacy:
    epsilon = rounded_up(question_epsilon(channel, question.name))
    if question.is_number:
        sentence = _number_sentence(channel, question)
        return QuestionPrivacy(question.name, epsilon, None, None, _widths(channel, question), sentence, None)
    surest = float(posterior(channel, question.name).max())
    kept = None if question.range else retention(channel, question.name)
    widths = _widths(channel, question) if question.range else None
    sentence = _answer_sentence(channel, question, epsilon)
    return QuestionPrivacy(question.name, epsilon, kept, surest, widths, sentence, _together(channel))


def _widths(channel: Channel, question: Question) -> dict[str, float]:
    return {f"{100 * level:g} %": interval_privacy(channel, question, level) for level in CONFIDENCES}


def _answer_sentence(channel: Channel, question: Question, epsilon: float) -> str:
    if channel.is_clear:
        return "Your answer is sent as it is. It cannot be denied."
    if channel.theta == 1 and question.range is not None:
        return "Only the interval in which your number lies is sent. That interval cannot be denied."
    if epsilon == inf:
        return "Some reports are possible under some answers only, so they give the answer away."
    kept = retention(channel, question.name)
    return (
        f"Your true answer is reported with a chance of {kept:.0%} or more; any report is at most "
        f"{exp(epsilon):.1f} times as likely under one answer as under another, so you can deny it."
    )


def _number_sentence(channel: Channel, question: Question) -> str:
    if not channel.has_noise:
        return "Your number is sent as it is. It cannot be denied."
    width, assured = interval_privacy(channel, question, 0.95), "95 %"
    return (
        f"Noise is added to your number: with {assured} confidence it can only be placed within a width of "
        f"{width:.3g}. Epsilon is infinite, because a report far out rules out numbers at the other end."
    )


def _together(channel: Channel) -> str | None:
    """What the questions of one group tell together that none of them tells alone."""
    if any(question_epsilon(channel, name) == inf for name in channel.names) or channel_epsilon(channel) < inf:
        return None
    return (
        f"The questions {', '.join(channel.names)} share one draw: taken together their reports are not deniable "
        "(epsilon is infinite). Whoever knows one true answer learns the others, and skewed answers may betray the "
        "draw by themselves."
    )
