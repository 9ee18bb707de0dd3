"""Numbers under noise: a tree of the paper's method against scikit-learn's on the undisguised, and reconstruction."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from deniable.inference.em.likeliest import smooth
from deniable.inference.invert.stacks import stacks_of
from deniable.inference.reconstruct import STILL
from deniable.papers.under_noise import design_under_noise
from timing import Ratio, ratio

PEOPLE, MANY = 100_000, 10_000_000
PEER = "scikit-learn's CART of the undisguised"


def trees_under_noise() -> list[Ratio]:
    """100,000 replies to nine numbers, ByClass, reading the frame included."""
    people = dn.papers.agrawal(5, PEOPLE, np.random.default_rng(1))
    design = design_under_noise("gaussian", 0.5)
    replies = dn.disguise(design, people, seed=1)

    def ours(method: str) -> Callable[[], object]:
        answers, group = replies.drop(columns="group"), replies["group"]
        return lambda: dn.TreeClassifier(design, criterion="gini", method=method).fit(answers, group)

    def theirs() -> object:
        return DecisionTreeClassifier().fit(people.drop(columns="group"), people["group"])

    wanted = {"byclass": "< 1", "local": "", "joint": ""}
    return [
        Ratio(f"tree {PEOPLE:,} x 9, {method}", ratio(ours(method), theirs, 3), PEER, limit)
        for method, limit in wanted.items()
    ]


def reconstructions() -> list[Ratio]:
    """Ten million disguised numbers: all steps of iterative Bayes, against counting the reports in bins."""
    question = dn.number("age", 18, 80, cells=100)
    design = dn.Design([dn.gaussian(question, privacy=1.0)])
    ages = np.random.default_rng(1).normal(49, 12, MANY).clip(18, 80)
    numbers = dn.disguise(design, pd.DataFrame({"age": ages}), seed=1)["age"].to_numpy()
    told, parts = design.reported("age").range, stacks_of(design, [question])
    assert told is not None

    def binning() -> np.ndarray:
        return np.bincount(told.cells(numbers), minlength=len(told.edges) - 1).astype(float)

    counted = binning()[:, None]
    small = np.rint(counted / 1000)
    return [
        Ratio(
            "all steps of 10M numbers (trees)",
            ratio(lambda: smooth(counted, parts), binning, 3),
            "binning them",
            "< 1",
        ),
        Ratio(
            "all steps of 10M numbers (dn.reconstruct)",
            ratio(lambda: smooth(counted, parts, STILL), binning, 3),
            "binning them",
            "< 1",
        ),
        Ratio(
            "a step, 10M numbers",
            ratio(lambda: smooth(counted, parts, 0.0, 100), lambda: smooth(small, parts, 0.0, 100), 3),
            "a step of 10,000 numbers",
            "about 1",
        ),
    ]
