"""Room for distinct replies: whether those that are asked for fit into memory, known before they are counted.

An engine may hold any number of replies; what leaves it are the distinct ones. There are at most as many as replies,
and at most as many as combinations of answers. Only where neither fits is a sample of the replies looked at:

    distinct of all n  ~  sqrt(n / m) f1 + d - f1          Charikar, Chaudhuri, Motwani and Narasayya 2000, GEE

That is far too few where hardly two replies of the sample are alike. There the rare replies, a share of f1 / m, are
taken to be drawn evenly from as many kinds as let so few of them meet in the sample (Chao 1984):

    distinct of all n  ~  K (1 - exp(-(n f1 / m) / K)) + d - f1,       K = f1^2 / (2 (d - f1))

The larger of the two counts: a refusal can be overruled by a higher limit, a killed process cannot.

legend: n replies, m replies of the sample, d distinct ones among these, f1 those that occur once, K kinds of rare ones
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import expm1, inf, prod, sqrt

from deniable.errors import BadRequest, TooManyReplies, TooManyRows
from deniable.survey.question import Question

VARIABLE = "DENIABLE_MEMORY"
SHARE = 0.5  # of the machine's memory, if nothing else is said
UNITS = {"MB": 2**20, "GB": 2**30}
SAMPLE = 200_000  # replies
COPIES = 2  # of the distinct replies, while they become cells
BYTES_OF_CELL = 48  # of a reply that is taken by itself, in all the copies that sorting and cutting make of it


@dataclass(frozen=True)
class Sampled:
    """What a sample of replies shows."""

    rows: int
    distinct: int
    once: int

    def in_all(self, n: int) -> float:
        """How many distinct replies there are among n, estimated."""
        if not self.rows:
            return 0.0
        repeated, rare = self.distinct - self.once, self.once * max(n / self.rows, 1.0)
        kinds = self.once**2 / (2 * repeated) if repeated else inf
        met = -kinds * expm1(-rare / kinds) if 0 < kinds < inf else rare
        return max(sqrt(max(n / self.rows, 1.0)) * self.once, met) + repeated


def memory_limit() -> int:
    """The bytes that distinct replies may take: DENIABLE_MEMORY, or half of the machine's memory."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return (
            int(SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) if hasattr(os, "sysconf") else 2**31
        )
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(MB|GB)", text.strip(), re.IGNORECASE)
    if found is None:
        raise BadRequest(VARIABLE, "a size such as 500MB or 2GB", text, "correct it, or unset it")
    return int(float(found[1]) * UNITS[found[2].upper()])


def check_room(questions: Sequence[Question], n: Callable[[], int], sampled: Callable[[], Sampled]) -> None:
    """Refuse the distinct replies to these (reported) questions where they would not fit; n is asked only if needed."""
    limit, each = memory_limit(), bytes_of(questions)
    combinations = _combinations(questions)
    if combinations * each <= limit or (rows := n()) * each <= limit:
        return
    found = round(min(combinations, rows, sampled().in_all(rows)))
    if found * each > limit:
        names = [question.name for question in questions]
        raise TooManyReplies(names, found, found * each, limit, _fitting(questions, limit, rows), VARIABLE)


def check_rows(names: Sequence[str], rows: int) -> None:
    """Refuse so many replies to these questions, each by itself, where they would not fit."""
    limit, needed = memory_limit(), rows * len(names) * BYTES_OF_CELL
    if needed > limit:
        raise TooManyRows(names, rows, needed, limit, VARIABLE)


def bytes_of(questions: Sequence[Question]) -> int:
    """What one distinct reply takes: words or a number of each question, its cell, and the count."""
    return COPIES * (16 + sum(map(_bytes_of, questions)))


def _bytes_of(question: Question) -> int:
    return 16 if question.is_number else 8 + sum(map(len, question.answers)) // max(len(question), 1)


def _combinations(questions: Sequence[Question]) -> float:
    """How many distinct replies there can be; of numbers as many as there are replies."""
    return prod(float("inf") if question.is_number else len(question) + 1.0 for question in questions)


def _fitting(questions: Sequence[Question], limit: int, rows: int) -> int:
    """How many of these questions surely fit together, the smallest first."""
    ordered = sorted(questions, key=lambda question: _combinations([question]))
    fits = [count for count in range(1, len(ordered) + 1)
            if min(_combinations(ordered[:count]), rows) * bytes_of(ordered[:count]) <= limit]  # fmt: skip
    return max(fits, default=0)
