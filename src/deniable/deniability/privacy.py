"""The privacy report: what each respondent can deny, in figures and in plain sentences.

Posterior beliefs and PSE (privacy of a single entry: how often a guess by odds is wrong) are given the whole reply.
One answer and all answers together get verdicts of their own. Respondents get one version of a block; figures are those
of the version that reveals most, and sentences say which one that is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isinf
from typing import Any

import numpy as np

from deniable.channel.block import Block
from deniable.channel.design import Design, check_design
from deniable.deniability.asked import KnownBeliefs, Way, ways_of
from deniable.deniability.epsilon import (
    at_most_words,
    epsilon_word,
    is_deniable,
    question_epsilon,
    ratio_of,
    reply_epsilon,
    rounded_up,
)
from deniable.deniability.interval import CONFIDENCES, interval_privacy
from deniable.deniability.linked import least_pse, linked_epsilons, surest_beliefs
from deniable.deniability.posterior import retention
from deniable.deniability.sentences import answer_sentence, number_sentence, together_sentence
from deniable.deniability.versions import BlockPrivacy, by_hand_sentence, group_words, others_words, sentence_of
from deniable.deniability.whole import Priors, prior_of
from deniable.errors import BadRequest
from deniable.notebook import notebook_html
from deniable.survey.question import Question


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
    versions: tuple[BlockPrivacy, ...] = ()  # of each block that has some
    by_hand: str | None = None  # for which questions respondents draw by themselves

    @property
    def sentences(self) -> list[str]:
        """Who draws; what versions, questions that share a draw, and all disguised answers together reveal."""
        versions = [sentence for block in self.versions for sentence in block.sentences]
        shared = [question.together for question in self.questions]
        sentences = [self.by_hand, *versions, *shared, self.verdict]
        return list(dict.fromkeys(sentence for sentence in sentences if sentence))

    def to_json(self) -> dict[str, Any]:
        """As JSON, where an infinite epsilon is the word "infinity"."""
        rows = [
            {**vars(question), "epsilon": epsilon_word(question.epsilon), "note": question.together or ""}
            for question in self.questions
        ]
        document = {
            "epsilon": epsilon_word(self.epsilon),
            "epsilon_disguised": epsilon_word(self.epsilon_disguised),
            "questions": rows,
            "note": " ".join(self.sentences),
        }
        return document | ({"versions": [each.to_json() for each in self.versions]} if self.versions else {})

    def __repr__(self) -> str:
        whole, disguised = epsilon_word(self.epsilon), epsilon_word(self.epsilon_disguised)
        return f"<Privacy of {len(self.questions)} questions: epsilon {whole}, disguised {disguised}>"

    def _repr_html_(self) -> str:
        return notebook_html("privacy", self)

    def __str__(self) -> str:
        lines = [f"epsilon of a whole reply: {epsilon_word(self.epsilon)}", *self.sentences]
        return "\n".join(lines + [f"{names}: {sentence}" for names, sentence in self.by_names])

    @property
    def by_names(self) -> list[tuple[str, str]]:
        """What can be denied, with the names of all questions of which the same sentence holds."""
        names: dict[str, list[str]] = {}
        for each in self.questions:
            names.setdefault(each.sentence, []).append(each.name)
        return [(", ".join(found), sentence) for sentence, found in names.items()]


def privacy(design: Design, priors: Priors | None = None) -> Privacy:
    """What each respondent can deny under this design.

    `priors` are shares of the true answers that a collector believes in beforehand, by question, or the share of the
    second of two answers; without them all answers are thought alike. Epsilon needs none.
    """
    check_design(design)
    if not isinstance(priors, Mapping | None):
        raise BadRequest("priors", "shares by question", priors, "write {'smokes': 0.1}")
    for name, shares in (priors or {}).items():
        if design.question(name).is_number:
            raise BadRequest("a prior", "given for a question with answers", f"{name}, a number", "leave it out")
        prior_of(design.question(name).plain, shares)
    known = KnownBeliefs(priors)
    ways = {name: found for block in design.blocks for name, found in ways_of(block).items()}
    linked = linked_epsilons(design)
    questions = {
        name: _of_question(design.block(name), ways[name], known, linked.get(name, (0.0, ""))[0])
        for name in design.names
    }
    for name, (epsilon, sentence) in linked.items():
        questions[name] = _of_linked(questions[name], design.question(name).plain, known, epsilon, sentence)
    return Privacy(
        rounded_up(reply_epsilon(design)),
        rounded_up(reply_epsilon(design, disguised_only=True)),
        tuple(questions.values()),
        _verdict(design),
        tuple(BlockPrivacy.of(block, len(design.versioned) > 1) for block in design.versioned),
        by_hand_sentence(design.blocks),
    )


def _of_question(block: Block, ways: Sequence[Way], known: KnownBeliefs, linked: float) -> QuestionPrivacy:
    """What is revealed about one question in the version that reveals most.

    `linked` is epsilon of what is sent about all questions that a condition links it with, 0 if there are none.
    """
    question = ways[0].question.plain
    epsilon = rounded_up(max(question_epsilon(way.channel, question.name) for way in ways))
    widths = _widths(ways) if question.range else None
    if question.is_number:
        sentence = sentence_of(block, ways, [number_sentence(way.channel, question) for way in ways])
        return QuestionPrivacy(question.name, epsilon, None, None, None, None, widths, sentence, None)
    own = [known.of(way.channel, question.name) for way in ways]
    surest, cell = np.max([each.surest for each in own], axis=0), question.sensitive_cell
    together = dict.fromkeys(together_sentence(way.channel, group_words(ways)) for way in ways)
    texts = [
        answer_sentence(
            way.channel, question, max(each.ratio, ratio_of(linked)), known.in_words, others_words(ways, way)
        )
        for way, each in zip(ways, own, strict=True)
    ]
    return QuestionPrivacy(
        question.name,
        epsilon,
        max(retention(way.channel, question.name) for way in ways),
        float(surest[cell]),
        min(each.pse for each in own),
        min(known.group_pse(way) for way in ways),
        widths,
        sentence_of(block, ways, texts, [each.ratio for each in own]),
        " ".join(filter(None, together)) or None,
        question.answers[cell],
        float(own[0].prior[cell]),
        float(np.delete(surest, cell).max()),
    )


def _of_linked(
    found: QuestionPrivacy, question: Question, known: KnownBeliefs, epsilon: float, sentence: str
) -> QuestionPrivacy:
    """The same where replies to other questions, linked by a condition, are evidence as well: bounds for beliefs."""
    together = " ".join(filter(None, [found.together, sentence]))
    if found.posterior is None or found.posterior_other is None or found.pse is None or found.group_pse is None:
        return replace(found, together=together)  # a number
    cell, surest = question.sensitive_cell, surest_beliefs(known.prior(question), epsilon)
    return replace(
        found,
        posterior=max(found.posterior, float(surest[cell])),
        posterior_other=max(found.posterior_other, float(np.delete(surest, cell).max())),
        pse=min(found.pse, least_pse(surest)),
        group_pse=min(found.group_pse, least_pse(surest)),
        together=together,
    )


def _verdict(design: Design) -> str | None:
    """A verdict on all disguised answers together, where epsilon has one to give."""
    epsilon = reply_epsilon(design, disguised_only=True)
    if isinf(epsilon) or sum(map(disguised_answers, design.blocks)) < 2:
        return None
    ratio = ratio_of(epsilon)
    verdict = "so they can be denied as a whole" if is_deniable(ratio) else "which hardly protects them as a whole"
    return (
        f"All disguised answers of a reply together are {at_most_words(ratio)} as likely under one set of "
        f"true answers as under another, {verdict}."
    )


def disguised_answers(block: Block) -> int:
    """How many answers of a reply are disguised, in the version that disguises most."""
    return max(
        sum(len(channel.group) for channel in version.channels if not channel.is_clear) for version in block.versions
    )


def _widths(ways: Sequence[Way]) -> dict[str, float]:
    return {
        f"{100 * level:g} %": min(interval_privacy(way.channel, way.question, level) for way in ways)
        for level in CONFIDENCES
    }
