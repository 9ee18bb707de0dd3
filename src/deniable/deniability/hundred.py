"""Of 100 people: what a report to one question says, in numbers that people can picture.

    P(x | r) = P(x) P(r | x) / sum over x' of  P(x') P(r | x')

for the sensitive answer x, of those who report it, of those who report anything else, and of those whose whole reply
speaks most clearly for it. Where versions ask alike and unlike, the version that reveals most is shown.

legend: x true answer, r report
"""

from dataclasses import dataclass
from math import ceil

import numpy as np

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.deniability.asked import KnownBeliefs, Way, ways_of
from deniable.deniability.posterior import joint
from deniable.deniability.whole import Priors, prior_of
from deniable.survey.question import Question

CLOSE = 1e-6  # of a person


@dataclass(frozen=True)
class Hundred:
    """How many of 100 people would truly give the sensitive answer; counts after a report are rounded up."""

    question: Question
    answer: str  # the sensitive one
    report: str | None  # that speaks for it: the same word, or None where reports have other words than answers
    before: int  # of any 100, as believed beforehand
    reporting: int  # of 100 who send that report
    others: int  # of 100 who send another one
    surest: int  # of 100 whose whole reply speaks most clearly for it


def of_hundred(design: Design, priors: Priors | None = None) -> list[Hundred]:
    """Figures for each question that is disguised and has answers, or intervals."""
    known = KnownBeliefs(priors)
    ways = {name: found for block in design.blocks for name, found in ways_of(block).items()}
    asked = [each.plain for each in design.questions if not each.is_number and not design.says_the_truth(each.name)]
    return [_of_question(question, ways[question.name], known, priors or {}) for question in asked]


def _of_question(question: Question, ways: list[Way], known: KnownBeliefs, priors: Priors) -> Hundred:
    cell, prior = question.sensitive_cell, priors.get(question.name)
    surest = max(float(known.of(way.channel, question.name).surest[cell]) for way in ways)
    found = [_surest_report(way.channel, question, prior_of(question, prior)) for way in ways]
    word, reporting, others = max(found, key=lambda each: each[1])
    before = round(100 * float(prior_of(question, prior)[cell]))
    return Hundred(question, question.answers[cell], word, before, _people(reporting), _people(others), _people(surest))


def _surest_report(channel: Channel, question: Question, prior: np.ndarray) -> tuple[str | None, float, float]:
    """The report that speaks for the sensitive answer, the belief in that answer after it, and after any other."""
    both, words = joint(channel, question.name, prior.tolist()), channel.reported(question.name).answers
    cell, answer = question.sensitive_cell, question.answers[question.sensitive_cell]
    total = both.sum(axis=1)
    beliefs = np.divide(both[:, cell], total, out=np.zeros_like(total), where=total > 0)
    speaks = np.array([word == answer for word in words])
    if not speaks.any():
        speaks = beliefs >= beliefs.max() - CLOSE
    rest = total[~speaks].sum()
    others = both[~speaks, cell].sum() / rest if rest > 0 else 0.0
    return answer if answer in words else None, float(beliefs[speaks].max()), float(others)


def _people(share: float) -> int:
    return min(100, ceil(100 * share - CLOSE))
