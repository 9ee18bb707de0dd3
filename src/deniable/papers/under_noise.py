"""One run with numbers under noise: draw people, disguise them once, learn in every way, and test.

Agrawal and Srikant 2000, section 5: 100,000 people to learn from and 5,000 to test on, both groups alike, all nine
numbers disguised at one level of privacy, the group in the clear.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from time import process_time

import numpy as np
import pandas as pd

from deniable.channel.channel import Channel
from deniable.channel.design import Design
from deniable.channel.schemes import clear, gaussian, interval, uniform
from deniable.device.disguise import disguise
from deniable.learn.decision_tree import TreeClassifier
from deniable.papers.experiment import Row, accuracy, seed_of
from deniable.papers.synthetic import GROUP, agrawal, questions
from deniable.survey.question import Question

LEARNT, TESTED = 100_000, 5_000
TREES, SHAPES, CUT = "trees", "figure 2", "discretization"
NOISES: Mapping[str, Callable[..., Channel]] = {"uniform": uniform, "gaussian": gaussian}
ORIGINAL, UNCORRECTED, DEFAULT = "original", "uncorrected", "default (ours)"
GLOBAL, BYCLASS, LOCAL, JOINT = "global", "byclass (the paper)", "local", "joint"
PAPER = {UNCORRECTED: "none", GLOBAL: "global", BYCLASS: "byclass"}
OURS = {LOCAL: "local", JOINT: "joint"}  # between which the default chooses
WIDEST = 0.95  # of the range: a wider interval has no information


@lru_cache(maxsize=2)
def people(function: int, run: int, learnt: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People to learn from, and people to test on."""
    rng = np.random.default_rng(seed_of("agrawal-srikant", function, run))
    return agrawal(function, learnt, rng), agrawal(function, TESTED, rng)


def design_under_noise(noise: str, privacy: float) -> Design:
    """All nine numbers under this noise, the group in the clear."""
    return Design([*(NOISES[noise](each, privacy=privacy) for each in questions()), _group()], target=GROUP)


def _group() -> Channel:
    return clear(Question(GROUP, ("A", "B")))


def original(function: int, run: int, learnt: int = LEARNT) -> list[Row]:
    """An ordinary tree of undisguised people: CART, pruned by description length."""
    train, test = people(function, run, learnt)
    tree, seconds = _timed(TreeClassifier(criterion="gini", prune="mdl"), train)
    return [_row(TREES, function, "none", np.nan, ORIGINAL, run, accuracy(tree, test, GROUP), seconds)]


def run_under_noise(
    function: int, noise: str, privacy: float, run: int, learnt: int = LEARNT, every: bool = True
) -> list[Row]:
    """The same replies learnt from by every method; or by those of figure 6 alone."""
    train, test = people(function, run, learnt)
    design = design_under_noise(noise, privacy)
    replies = disguise(design, train, seed=seed_of(function, noise, privacy, run))
    rows = []
    wanted = dict(PAPER) if every else {UNCORRECTED: "none", BYCLASS: "byclass"}
    ours, seconds = _timed(TreeClassifier(design, criterion="gini"), replies)
    fitted = {DEFAULT: (ours, seconds)}
    for name, method in wanted.items():
        fitted[name] = _timed(TreeClassifier(design, criterion="gini", method=method), replies)
    for name, method in OURS.items() if every else ():  # the default is one of these, and need not be grown again
        known = ours.method_ == method
        tree = TreeClassifier(design, criterion="gini", method=method)
        fitted[name] = (ours, np.nan) if known else _timed(tree, replies)
    for name, (tree, seconds) in fitted.items():
        rows.append(_row(TREES, function, noise, privacy, name, run, accuracy(tree, test, GROUP), seconds))
    return rows


def cut_run(function: int, privacy: float, run: int, learnt: int = LEARNT) -> list[Row]:
    """Numbers reported as intervals, as wide as the privacy asks; none where that is the whole range."""
    train, test = people(function, run, learnt)
    right = max(float((test[GROUP] == "A").mean()), float((test[GROUP] == "B").mean()))
    if privacy < WIDEST:
        design = Design(
            [*(interval(each, width=_width(each, privacy)) for each in questions()), _group()], target=GROUP
        )
        tree = TreeClassifier(design, criterion="gini", method="inverse", prune="mdl")
        right = accuracy(_timed(tree, disguise(design, train, seed=run))[0], test, GROUP)
    return [_row(CUT, function, CUT, privacy, CUT, run, right)]


def _width(question: Question, privacy: float) -> float:
    assert question.range is not None
    return privacy / WIDEST * (question.range.high - question.range.low)


def _timed(tree: TreeClassifier, replies: pd.DataFrame) -> tuple[TreeClassifier, float]:
    start = process_time()
    tree.fit(replies.drop(columns=GROUP), replies[GROUP])
    return tree, process_time() - start


def _row(
    part: str,
    what: object,
    noise: str,
    privacy: float,
    method: str,
    run: int,
    right: float,
    seconds: float = np.nan,
) -> Row:
    return {
        "part": part,
        "function": f"F{what}" if isinstance(what, int) else what,
        "noise": noise,
        "privacy": privacy,
        "method": method,
        "run": run,
        "accuracy": right,
        "seconds": seconds,
    }
