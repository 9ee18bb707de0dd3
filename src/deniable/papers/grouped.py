"""One run with people in groups, each group with its own draw: disguise once, learn in every way, and test.

Three experiments: the four-group paper's own protocol, of four random attributes; the same with all attributes,
dealt at random; and what really protects, one lottery per question.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from deniable.channel.design import Design
from deniable.channel.schemes import warner
from deniable.learn.base import Learner
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.pairwise import PairwiseClassifier
from deniable.papers.attack import recovered
from deniable.papers.data import TARGET, Coding, adult, binary
from deniable.papers.du_zhan import DEFAULT, FAITHFUL, UNCORRECTED, people, two_answers
from deniable.papers.experiment import Row, accuracy, learnt, seed_of

FOUR, ALL, EACH = "four attributes", "all attributes", "one lottery per question"
CRITERIA: Mapping[str, Literal["entropy", "gini"]] = {"ID3": "entropy", "CART": "gini"}
STOPPED = "faithful, stopped at noise"
MODEL = "pairwise model"


def four_attributes(groups: int, theta: float, run: int) -> list[Row]:
    """The paper's own protocol; the class shares the draw of the first group."""
    train, test = people("mid")
    rng = np.random.default_rng(seed_of(FOUR, run))
    a, b, c, d = rng.permutation([name for name in train.columns if name != TARGET])[:4]
    dealt = {1: [[a, b, c, d]], 2: [[a, b], [c, d]], 3: [[a, b], [c], [d]], 4: [[a], [b], [c], [d]]}[groups]
    dealt[0].append(TARGET)
    row = {"part": FOUR, "coding": "mid", "groups": groups, "theta": theta, "run": run}
    asked = [a, b, c, d, TARGET]
    return _runs(row, dealt, train[asked], test[asked])


def all_attributes(coding: Coding, groups: int, theta: float, run: int) -> list[Row]:
    """All attributes and the class, dealt at random."""
    train, test = people(coding)
    rng = np.random.default_rng(seed_of(ALL, coding, groups, run))
    owner = rng.permutation(np.arange(len(train.columns)) % groups)
    dealt = [[name for name, own in zip(train.columns, owner, strict=True) if own == group] for group in range(groups)]
    row = {"part": ALL, "coding": coding, "groups": groups, "theta": theta, "run": run}
    return _runs(row, dealt, train, test)


def _runs(row: Row, dealt: Sequence[Sequence[str]], train: pd.DataFrame, test: pd.DataFrame) -> list[Row]:
    """One disguise, learnt from in every way; and what a collector recovers of it."""
    theta = row["theta"]
    design = Design([warner(theta, *map(two_answers, group)) for group in dealt], target=TARGET)
    named = recovered(pd.concat([train, test]), dealt, theta)
    learners: dict[tuple[str, str], Learner] = {
        (algorithm, method): TreeClassifier(design, criterion=criterion, **settings)
        for algorithm, criterion in CRITERIA.items()
        for method, settings in _METHODS.items()
    }
    seed = seed_of(*row.values())
    about = {"replies": len(train), "record_privacy": 1 - named.record, "answer_privacy": 1 - named.answer}
    return [row | about | _tested(key, learner, design, train, test, seed) for key, learner in learners.items()]


_METHODS: Mapping[str, Mapping[str, Any]] = {
    FAITHFUL: {"stop": None},
    STOPPED: {"method": "inverse"},
    DEFAULT: {},
    UNCORRECTED: {"method": "none"},
}


def _tested(
    key: tuple[str, str], learner: Learner, design: Design, train: pd.DataFrame, test: pd.DataFrame, seed: int
) -> Row:
    found = learnt(learner, design, train, seed)
    return {
        "algorithm": key[0],
        "method": key[1],
        "accuracy": accuracy(learner, test, TARGET),
        "training_accuracy": accuracy(learner, train, TARGET),
        "warned": found["warned"],
    }


@cache
def _everybody() -> tuple[pd.DataFrame, pd.DataFrame]:
    coded = binary(adult(), "med")
    return coded.iloc[:-10_000], coded.iloc[-10_000:]


def each_its_own(theta: float, replies: int, run: int) -> list[Row]:
    """One lottery per question, learnt from the first people and tested on the last 10,000."""
    first, test = _everybody()
    train = first.sample(replies, random_state=run)
    design = Design([warner(theta, two_answers(name)) for name in train.columns], target=TARGET)
    learners: dict[tuple[str, str], Learner] = {
        ("ID3", method): TreeClassifier(design, **settings) for method, settings in _METHODS.items()
    }
    learners["-", MODEL] = PairwiseClassifier(design)
    row = {"part": EACH, "coding": "med", "groups": len(train.columns), "theta": theta, "run": run, "replies": replies}
    seed = seed_of(*row.values())
    return [row | _tested(key, learner, design, train, test, seed) for key, learner in learners.items()]
