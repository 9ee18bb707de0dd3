"""The privacy report: what each respondent can deny, in figures and in plain sentences.

Posterior beliefs and PSE (privacy of a single entry: how often a guess by odds is wrong) are given the whole reply.
One answer and all answers together get verdicts of their own.
"""

from dataclasses import dataclass
from math import exp, floor, inf, isinf
from typing import Any

import numpy as np

from deniable.channel.channel import Channel
from deniable.channel.design import Design, check_design
from deniable.deniability.epsilon import (
    ROUNDING,
    channel_epsilon,
    epsilon_word,
    question_epsilon,
    ratio_word,
    reply_epsilon,
    rounded_up,
)
from deniable.deniability.interval import CONFIDENCES, interval_privacy, width_word
from deniable.deniability.posterior import retention
from deniable.deniability.whole import Beliefs, Priors, beliefs, prior_of
from deniable.errors import BadRequest
from deniable.notebook import notebook_html
from deniable.survey.question import Question

DENIABLE = 100.0  # a ratio of chances beyond which nobody believes a denial


@dataclass(frozen=True)
class QuestionPrivacy:
    """What a reply reveals about the true answer to one question."""

    name: str
    epsilon: float  # of the report to this question alone
    retention: float | None
    posterior: float | None  # the surest belief in the sensitive answer that a whole reply can give
    pse: float | None  # how often a guess by odds is wrong, given the whole reply; and the smallest in its group
    group_pse: float | None
    interval: dict[str, float] | None  # width that holds a number, by confidence
    sentence: str
    together: str | None  # what the questions of its group reveal only together
    sensitive: str | None = None
    prior: float | None = None  # the belief in the sensitive answer before any reply
    posterior_other: float | None = None  # the surest belief in any other answer


@dataclass(frozen=True)
class Privacy:
    """What a whole reply reveals, and each of its questions."""

    epsilon: float
    epsilon_disguised: float
    questions: tuple[QuestionPrivacy, ...]
    verdict: str | None = None  # on all disguised answers together

    @property
    def sentences(self) -> list[str]:
        """What questions that share a draw reveal together, and what all disguised answers do."""
        shared = [question.together for question in self.questions]
        return list(dict.fromkeys(sentence for sentence in [*shared, self.verdict] if sentence))

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        rows = [
            {**vars(question), "epsilon": epsilon_word(question.epsilon), "note": question.together or ""}
            for question in self.questions
        ]
        return {
            "epsilon": epsilon_word(self.epsilon),
            "epsilon_disguised": epsilon_word(self.epsilon_disguised),
            "questions": rows,
            "note": " ".join(self.sentences),
        }

    def __repr__(self) -> str:
        whole, disguised = epsilon_word(self.epsilon), epsilon_word(self.epsilon_disguised)
        return f"<Privacy of {len(self.questions)} questions: epsilon {whole}, disguised {disguised}>"

    def _repr_html_(self) -> str:
        return notebook_html("privacy", self)

    def __str__(self) -> str:
        lines = [f"epsilon of a whole reply: {epsilon_word(self.epsilon)}", *self.sentences]
        return "\n".join(lines + [f"{question.name}: {question.sentence}" for question in self.questions])


def privacy(design: Design, priors: Priors | None = None) -> Privacy:
    """What each respondent can deny under this design.

    `priors` are shares of the true answers that a collector believes in beforehand, by question, or the share of the
    second of two answers; without them all answers are thought alike. Epsilon needs none.
    """
    check_design(design)
    for name, shares in (priors or {}).items():
        if design.question(name).is_number:
            raise BadRequest("a prior", "given for a question with answers", f"{name}, a number", "leave it out")
        prior_of(design.question(name), shares)
    found = {
        name: beliefs(channel, name, priors)
        for channel in design.channels
        for name in channel.names
        if not channel.question(name).is_number
    }
    believed = "the shares given" if priors else "that all answers are equally likely"
    return Privacy(
        rounded_up(reply_epsilon(design)),
        rounded_up(reply_epsilon(design, disguised_only=True)),
        tuple(_of_question(design.channel(question.name), question, found, believed) for question in design.questions),
        _verdict(design),
    )


def _of_question(channel: Channel, question: Question, found: dict[str, Beliefs], believed: str) -> QuestionPrivacy:
    epsilon = rounded_up(question_epsilon(channel, question.name))
    widths = _widths(channel, question) if question.range else None
    if question.is_number:
        sentence = _number_sentence(channel, question)
        return QuestionPrivacy(question.name, epsilon, None, None, None, None, widths, sentence, None)
    own, cell = found[question.name], question.sensitive_cell
    return QuestionPrivacy(
        question.name,
        epsilon,
        retention(channel, question.name),
        float(own.surest[cell]),
        own.pse,
        own.pse if channel.is_clear else min(found[name].pse for name in channel.names),
        widths,
        _answer_sentence(channel, question, own.ratio, believed),
        _together(channel),
        question.answers[cell],
        float(own.prior[cell]),
        float(np.delete(own.surest, cell).max()),
    )


def _verdict(design: Design) -> str | None:
    """A verdict on all disguised answers together, where epsilon has one to give."""
    disguised = [channel for channel in design.channels if not channel.is_clear]
    epsilon = reply_epsilon(design, disguised_only=True)
    if isinf(epsilon) or sum(len(channel.group) for channel in disguised) < 2:
        return None
    ratio = exp(epsilon)
    verdict = "so they can be denied as a whole" if ratio <= DENIABLE else "which hardly protects them as a whole"
    return (
        f"All disguised answers of a reply together are at most {ratio_word(ratio)} times as likely under one set of "
        f"true answers as under another, {verdict}."
    )


def _widths(channel: Channel, question: Question) -> dict[str, float]:
    return {f"{100 * level:g} %": interval_privacy(channel, question, level) for level in CONFIDENCES}


def _answer_sentence(channel: Channel, question: Question, ratio: float, believed: str) -> str:
    if channel.is_clear:
        return "Your answer is sent as it is. It cannot be denied."
    if channel.theta == 1 and question.range is not None:
        return "Only the interval in which your number lies is sent. That interval cannot be denied." + _left_out(
            question
        )
    if isinf(question_epsilon(channel, question.name)) and not question.omit:
        return "Some reports are possible under some answers only, so they give the answer away."
    kept = floor(100 * retention(channel, question.name) * (1 + ROUNDING))
    sentence = f"Your true answer is reported with a chance of {kept} % or more" if kept else "What you report is drawn"
    others = ", ".join(name for name in channel.names if name != question.name)
    whole = channel_epsilon(channel)
    if isinf(whole):
        if not others:
            return f"{sentence}, so you can deny the answer, but not that you gave one." + _left_out(question)
        return f"{sentence}. Alone it could be denied; drawn together with {others} it cannot." + _left_out(question)
    known = channel.recipe.settings.get("personal", {}).get(question.name)
    proviso = f", as long as nobody knows your answer to {known!r}" if known else ""
    verdict = "so you can deny it" if ratio <= DENIABLE else "which hardly protects you"
    assumed = f"for somebody who knows no more than {believed}, " if others else ""
    sentence = (
        f"{sentence}; {assumed}your whole reply is at most {ratio_word(ratio)} times as likely under one answer as "
        f"under another, {verdict}{proviso}."
    )
    if others:
        sentence += f" For somebody who knows your answers to {others} it is {ratio_word(exp(whole))} times."
    return sentence


def _left_out(question: Question) -> str:
    return " That you left it out would be seen." if question.omit else ""


def _number_sentence(channel: Channel, question: Question) -> str:
    assert question.range is not None
    if not channel.has_noise:
        return "Your number is sent as it is. It cannot be denied." + _left_out(question)
    width = min(interval_privacy(channel, question, 0.95), question.range.high - question.range.low)
    return (
        "Noise is added to your number: from what you send it can only be guessed to within about "
        f"{width_word(width)} (with 95 % confidence). "
        "Epsilon is infinite, because a report far out rules out numbers at the other end." + _left_out(question)
    )


def _together(channel: Channel) -> str | None:
    """What the questions of one group reveal only together."""
    alone = [question_epsilon(channel, name) for name in channel.names]
    if len(alone) < 2 or inf in alone or channel_epsilon(channel) < inf:
        return None
    names = ", ".join(channel.names)
    sentence = (
        f"The questions {names} share one draw: some of their reports together are possible under some answers only"
    )
    if channel.is_flip:
        sentence += (
            ". Whoever knows one true answer learns the others, and skewed answers may betray the draw by themselves"
        )
    return f"{sentence}. Epsilon is infinite."
