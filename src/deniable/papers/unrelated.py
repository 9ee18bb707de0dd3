"""Many runs with some records replaced by unrelated ones: disguise, learn in every way, and test.

Zhan and Matwin, section 3: Adult and Breast Cancer, every attribute cut in two, 80 % to learn from. Only counts of
each question by class enter naive Bayes, so all runs of one q are computed at once.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.channel.schemes import unrelated
from deniable.inference.invert.inverse import even_stderr
from deniable.inference.invert.stacks import stacks_of, undisguised
from deniable.learn.naive_bayes import products
from deniable.learn.smooth import Smoothing, UsualErrors, even_errors, learnt_shares, shrunk_people
from deniable.papers.data import CANCER_TARGET, SCORES, TARGET, adult, binary, breast_cancer, halves
from deniable.papers.du_zhan import DEFAULT, UNCORRECTED, two_answers
from deniable.papers.experiment import Row, seed_of

ADULT, CANCER = "Adult", "Breast Cancer"
RAW, LAPLACE = "raw (the paper)", "clipped, Laplace"
METHODS: Mapping[str, Smoothing] = {RAW: None, LAPLACE: "laplace", DEFAULT: "auto"}
Floats = NDArray[np.float64]


@cache
def people(data: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Training and test records as bits, one row per question, the class last."""
    if data == ADULT:
        coded = binary(adult().head(10_000), "mid")[[*[name for name in adult().columns if name != TARGET], TARGET]]
    else:
        cancer = breast_cancer()
        coded = halves(cancer[list(SCORES)]).assign(**{CANCER_TARGET: cancer[CANCER_TARGET] == "malignant"})
    bits = coded.to_numpy().astype(np.int64)[np.random.default_rng(1).permutation(len(coded))].T
    cut = int(0.8 * bits.shape[1])
    return bits[:, :cut], bits[:, cut:]


def reported_tables(records: NDArray[np.int64], q: float, runs: int, rng: np.random.Generator) -> Floats:
    """Reported counts of each question by class in many disguises at once: [question, x, v, run].

    True records are drawn one by one; the records that replace others are uniform, so their counts are binomial.
    """
    answers, classes = records[:-1], records[-1]
    n = len(classes)
    truthful = (rng.random((runs, n)) < q).astype(np.float32)
    shown = np.array([[(answers == x) & (classes == v) for v in (0, 1)] for x in (0, 1)], dtype=np.float32)
    kept = np.einsum("xvqn,rn->qxvr", shown, truthful, optimize=True)
    drawn = n - truthful.sum(axis=1).astype(int)
    ones = rng.binomial(drawn, 0.5)
    of_class = np.array([drawn - ones, ones])
    yes = rng.binomial(of_class[None], 0.5, (len(answers), 2, runs))
    return np.asarray(kept + np.stack([of_class - yes, yes], axis=1))


def runs(data: str, q: float, count: int) -> list[Row]:
    """Many disguises with one q: the accuracy of every method in each."""
    train, test = people(data)
    tables = reported_tables(train, q, count, np.random.default_rng(seed_of(data, q)))
    found = {UNCORRECTED: _accuracies(tables, "laplace", UsualErrors(0, ()), test)}
    if q > 0:
        answer, target = two_answers("x"), two_answers("v")
        design = Design([unrelated(q, answer, target)], target="v")
        stacks = stacks_of(design, design.questions)
        true = np.array([undisguised(table, stacks) for table in tables])
        errors = UsualErrors(
            even_stderr(design, [target], train.shape[1]),
            [even_errors(design, answer, target, train.shape[1])] * len(tables),  # all questions are disguised alike
        )
        found |= {method: _accuracies(true, smoothing, errors, test) for method, smoothing in METHODS.items()}
    else:
        majority = max(test[-1].mean(), 1 - test[-1].mean())
        found |= dict.fromkeys(METHODS, np.full(count, majority))
    return [
        {"data": data, "q": q, "method": method, "run": run, "accuracy": float(value)}
        for method, values in found.items()
        for run, value in enumerate(values)
    ]


def _accuracies(tables: Floats, smoothing: Smoothing, errors: UsualErrors, test: NDArray[np.int64]) -> Floats:
    """The accuracy on test records of each of many models."""
    classes, by_class, kept = tables[0].sum(axis=0), list(tables), None
    if smoothing == "auto":
        shrunk = shrunk_people(classes, by_class, errors)
        classes, by_class, kept = shrunk.classes, shrunk.tables, shrunk.kept
    priors, chances = learnt_shares(classes, by_class, smoothing, errors.noises, kept)
    distinct, counts = np.unique(test, axis=1, return_counts=True)
    predicted = np.argmax(products(priors, chances, distinct[:-1]), axis=1)
    return np.asarray(counts @ (predicted == distinct[-1][:, None]) / counts.sum())
