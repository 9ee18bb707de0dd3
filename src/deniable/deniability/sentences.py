"""Sentences on what one channel reveals, in plain words."""

from math import floor, inf, isinf

from deniable.channel.channel import Channel
from deniable.deniability.epsilon import (
    ROUNDING,
    at_most_words,
    channel_epsilon,
    is_deniable,
    question_epsilon,
    ratio_of,
    ratio_word,
)
from deniable.deniability.interval import factor_span, interval_privacy, width_word
from deniable.deniability.posterior import retention
from deniable.survey.question import Question


def answer_sentence(channel: Channel, question: Question, ratio: float, believed: str, others: str) -> str:
    """What a reply reveals about a question with answers; `others` are the questions that share its draw, in words."""
    if channel.is_clear:
        return "Your answer is sent as it is. It cannot be denied."
    if channel.theta == 1 and question.range is not None:
        return "Only the interval in which your number lies is sent. That interval cannot be denied." + _left_out(
            question
        )
    if (beside := channel.question(question.name).beside) is not None:
        return _beside_sentence(channel, question, beside.wording or beside.name, ratio)
    if isinf(question_epsilon(channel, question.name)) and not question.omit:
        return "Some reports are possible under some answers only, so they give the answer away."
    kept = floor(100 * retention(channel, question.name) * (1 + ROUNDING))
    sentence = f"Your true answer is reported with a chance of {kept} % or more" if kept else "What you report is drawn"
    whole = channel_epsilon(channel)
    if isinf(whole):
        if not others:
            return f"{sentence}, so you can deny the answer, but not that you gave one." + _left_out(question)
        return f"{sentence}. Alone it could be denied; drawn together with {others} it cannot." + _left_out(question)
    if isinf(ratio):
        return f"{sentence}, but what is sent about questions linked with it can give it away." + _left_out(question)
    known = channel.harmless(question.name)
    proviso = f", as long as nobody knows your answer to {known!r}" if known else ""
    verdict = "so you can deny it" if is_deniable(ratio) else "which hardly protects you"
    assumed = f"for somebody who knows no more than {believed}, " if others else ""
    sentence = (
        f"{sentence}; {assumed}your whole reply is {at_most_words(ratio)} as likely under one answer as "
        f"under another, {verdict}{proviso}."
    )
    if others:
        answers = "answer" if len(channel.group) == 2 else "answers"
        sentence += f" For somebody who knows your {answers} to {others} it is {ratio_word(ratio_of(whole))} times."
    return sentence


def _beside_sentence(channel: Channel, question: Question, other: str, ratio: float) -> str:
    """What a report reveals that depends on another answer as well."""
    if question_epsilon(channel, question.name) == 0:
        return "What you report does not depend on this answer."
    sentence = f"What you report depends on another answer as well ({other}). Whoever knows that one may learn this one"
    if isinf(ratio):
        return f"{sentence}, and some reports give it away to anybody. Epsilon is infinite."
    verdict = "so you can deny it" if is_deniable(ratio) else "which hardly protects you"
    return (
        f"{sentence}, so epsilon is infinite. For others, who think its answers equally likely, your whole reply is at "
        f"most {ratio_word(ratio)} times as likely under one answer as under another, {verdict}."
    )


def number_sentence(channel: Channel, question: Question) -> str:
    """What a reply reveals about a number."""
    assert question.range is not None
    if not channel.has_noise:
        return "Your number is sent as it is. It cannot be denied." + _left_out(question)
    if channel.factors is not None:
        low, high = factor_span(channel.factors, 0.95)
        kept = channel.recipe.settings.get("theta")
        as_it_is = f" With a chance of {100 * kept:.3g} % the factor is 1." if kept else ""
        return (
            f"Your number is multiplied by a factor that is drawn: what you send is between {low:.2g} and {high:.2g} "
            f"times your number (with 95 % confidence).{as_it_is} Nought is sent as nought, and small numbers as small "
            "ones, so epsilon is infinite." + _left_out(question)
        )
    width = min(interval_privacy(channel, question, 0.95), question.range.high - question.range.low)
    return (
        "Noise is added to your number: from what you send it can only be guessed to within about "
        f"{width_word(width)} (with 95 % confidence). "
        "Epsilon is infinite, because a report far out rules out numbers at the other end." + _left_out(question)
    )


def together_sentence(channel: Channel, questions: str = "") -> str | None:
    """What the questions of one group reveal only together; `questions` are these in words, unless by name."""
    alone = [question_epsilon(channel, name) for name in channel.names]
    if len(alone) < 2 or inf in alone or channel_epsilon(channel) < inf:
        return None
    names = questions or f"The questions {', '.join(channel.names)}"
    sentence = f"{names} share one draw: some of their reports together are possible under some answers only"
    if channel.is_flip:
        sentence += (
            ". Whoever knows one true answer learns the others, and skewed answers may betray the draw by themselves"
        )
    return f"{sentence}. Epsilon is infinite."


def _left_out(question: Question) -> str:
    return " That you left it out would be seen." if question.omit else ""
