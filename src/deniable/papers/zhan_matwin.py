"""Zhan and Matwin: naive Bayes from electronic surveys with an unrelated question.

Their experiment: with chance q a record is told, else one drawn at random is told in its place, class included. Adult
and Breast Cancer, every attribute cut in two, 80 % to learn from, a grid of q, 1000 repeats; mean and variance of
the accuracy on undisguised test data (figures 1 to 4), and their privacy of a single entry (figure 5).
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import isclose

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deniable.channel.design import Design
from deniable.channel.schemes import unrelated
from deniable.deniability.pse import pse
from deniable.inference.inverse import even_stderr
from deniable.inference.parts import parts_of, undisguised
from deniable.learn.bayes import NaiveBayes, Smoothing, products, shares_given_class, shares_of_classes
from deniable.papers.data import CANCER_TARGET, SCORES, TARGET, adult, binary, breast_cancer, halves
from deniable.papers.du_zhan import DEFAULT, UNCORRECTED, two_answers
from deniable.papers.experiment import Claim, Job, Row, Study, seed_of, summary
from deniable.report.charts import curves

QS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # Wa of figure 5
REPEATS, QUICK_REPEATS = 1000, 100
RAW, LAPLACE = "raw (the paper)", "clipped, Laplace"
METHODS: Mapping[str, Smoothing] = {RAW: None, LAPLACE: "laplace", DEFAULT: "auto"}
SETTINGS = ("data", "q", "method")
Floats = NDArray[np.float64]


@cache
def people(data: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Training and test records as bits, one row per question, the class last."""
    if data == "Adult":
        coded = binary(adult().head(10_000), "mid")[[*[name for name in adult().columns if name != TARGET], TARGET]]
    else:
        cancer = breast_cancer()
        coded = halves(cancer[list(SCORES)]).assign(**{CANCER_TARGET: cancer[CANCER_TARGET] == "malignant"})
    bits = coded.to_numpy().astype(np.int64)[np.random.default_rng(1).permutation(len(coded))].T
    cut = int(0.8 * bits.shape[1])
    return bits[:, :cut], bits[:, cut:]


def reported_tables(records: NDArray[np.int64], q: float, runs: int, rng: np.random.Generator) -> Floats:
    """Reported counts of each question by class in many disguises at once: [question, x, v, run].

    Told records are drawn one by one; the records told in their place are uniform, so their counts are binomial.
    """
    answers, classes = records[:-1], records[-1]
    n = len(classes)
    told = (rng.random((runs, n)) < q).astype(np.float32)
    shown = np.array([[(answers == x) & (classes == v) for v in (0, 1)] for x in (0, 1)], dtype=np.float32)
    kept = np.einsum("xvqn,rn->qxvr", shown, told, optimize=True)
    drawn = n - told.sum(axis=1).astype(int)
    ones = rng.binomial(drawn, 0.5)
    of_class = np.array([drawn - ones, ones])
    yes = rng.binomial(of_class[None], 0.5, (len(answers), 2, runs))
    return np.asarray(kept + np.stack([of_class - yes, yes], axis=1))


def runs(data: str, q: float, count: int) -> list[Row]:
    """Many disguises with one q: the accuracy of every method in each."""
    train, test = people(data)
    tables = reported_tables(train, q, count, np.random.default_rng(seed_of(data, q)))
    found = {UNCORRECTED: _accuracies(tables, "laplace", 1.0, test)}
    if q > 0:
        design = Design([unrelated(q, two_answers("x"), two_answers("v"))], target="v")
        parts = parts_of(design, design.questions)
        true = np.array([undisguised(table, parts) for table in tables])
        stderr = even_stderr(design, design.questions, train.shape[1])
        found |= {method: _accuracies(true, smoothing, stderr, test) for method, smoothing in METHODS.items()}
    else:
        majority = max(test[-1].mean(), 1 - test[-1].mean())
        found |= dict.fromkeys(METHODS, np.full(count, majority))
    return [
        {"data": data, "q": q, "method": method, "run": run, "accuracy": float(value)}
        for method, values in found.items()
        for run, value in enumerate(values)
    ]


def _accuracies(tables: Floats, smoothing: Smoothing, stderr: float, test: NDArray[np.int64]) -> Floats:
    """The accuracy on test records of each of many models."""
    priors = shares_of_classes(tables[0].sum(axis=0), smoothing)
    chances = [shares_given_class(table, stderr, smoothing) for table in tables]
    distinct, times = np.unique(test, axis=1, return_counts=True)
    predicted = np.argmax(products(priors, chances, distinct[:-1]), axis=1)
    return np.asarray(times @ (predicted == distinct[-1][:, None]) / times.sum())


def jobs(quick: bool) -> Sequence[Job]:
    """One piece of work for each data set and q."""
    count = QUICK_REPEATS if quick else REPEATS
    return [partial(runs, data, q, count) for data in ("Adult", "Breast Cancer") for q in QS]


def pse_curves() -> pd.DataFrame:
    """Privacy of a single entry by q and Wa, for an even unrelated question (figure 5)."""
    rows = []
    for share in SHARES:
        for q in np.linspace(0, 1, 21):
            asked = unrelated(float(q), two_answers("a")) if q > 0 else None
            value = 2 * share * (1 - share) if asked is None else pse(asked, "a", [1 - share, share])
            rows.append({"q": float(q), "Wa": f"{share:g}", "PSE": value})
    return pd.DataFrame(rows)


def charts(results: pd.DataFrame) -> Mapping[str, alt.TopLevelMixin]:
    """Figures 1 to 5, with the baseline and our default beside the paper's method."""
    told = summary(results, SETTINGS)
    return {
        "Mean accuracy by q (figures 1 and 2)": curves(
            told, "q", "accuracy", "method", panel="data", error="accuracy_stderr"
        ),
        "Variance of the accuracy by q (figures 3 and 4)": curves(
            told, "q", "accuracy_variance", "method", panel="data"
        ),
        "Privacy of a single entry by q and Wa (figure 5, corrected formula)": curves(pse_curves(), "q", "PSE", "Wa"),
    }


def claims(results: pd.DataFrame) -> list[Claim]:
    """What the paper says, and what we say, held against the results."""
    told = summary(results, SETTINGS)
    found = []
    for data in dict.fromkeys(told["data"]):
        by = {method: frame.set_index("q") for method, frame in told[told["data"] == data].groupby("method")}
        found += [*_accuracy_claims(data, by), _our_claim(data, by)]
    return [*found, *_pse_claims()]


def _accuracy_claims(data: str, by: Mapping[str, pd.DataFrame]) -> list[Claim]:
    raw = by[RAW]
    mean, variance = raw["accuracy"], raw["accuracy_variance"]
    from_half = mean[mean.index >= 0.5]
    names = ["accuracy", "accuracy_stderr", "accuracy_variance"]
    means, errors, spreads = raw[raw.index > 0][names].to_numpy().T
    ordinary = _ordinary(data)
    return [
        Claim(
            f"at q = 1 the classifier is exactly the ordinary one ({data})",
            isclose(variance[1.0], 0, abs_tol=1e-12) and isclose(mean[1.0], ordinary),
            f"{mean[1.0]:.4f} in every run, ordinary {ordinary:.4f}",
        ),
        Claim(
            f"the mean falls as q goes from 1 to 0 ({data})",
            bool((-np.diff(means) <= 2 * np.hypot(errors[1:], errors[:-1])).all()),
            f"{mean[1.0]:.4f} at 1, {mean[0.5]:.4f} at .5, {mean[0.1]:.4f} at .1, {mean[0.05]:.4f} at .05",
        ),
        Claim(
            f"the variance grows as q goes from 1 to 0 ({data})",
            bool((spreads[1:] <= 1.2 * spreads[:-1]).all()),
            f"{variance[0.9]:.1e} at .9, {variance[0.5]:.1e} at .5, {variance[0.1]:.1e} at .1, "
            f"{variance[0.05]:.1e} at .05",
        ),
        Claim(
            f"with q well chosen, accuracy is close to that of total disclosure: within .02 from .5 on ({data})",
            bool((mean[1.0] - from_half).max() <= 0.02),
            f"largest loss {(mean[1.0] - from_half).max():.4f}, at q = {(mean[1.0] - from_half).idxmax():g}",
        ),
    ]


def _ordinary(data: str) -> float:
    """The accuracy of ordinary naive Bayes on undisguised people."""
    (train, test), words = people(data), np.array(["0", "1"], dtype=object)
    fitted = NaiveBayes(smoothing=None).fit(words[train[:-1].T], train[-1])
    return float(np.mean(fitted.predict(words[test[:-1].T]) == test[-1]))


def _our_claim(data: str, by: Mapping[str, pd.DataFrame]) -> Claim:
    gain = (by[DEFAULT]["accuracy"] - by[RAW]["accuracy"]).drop(0.0)
    error = (by[DEFAULT]["accuracy_stderr"] ** 2 + by[RAW]["accuracy_stderr"] ** 2).drop(0.0) ** 0.5
    return Claim(
        f"ours: never worse than raw products by more than two standard errors ({data})",
        bool((gain >= -2 * error).all()),
        f"gains {gain[0.05]:+.4f} at .05, {gain[0.1]:+.4f} at .1, {gain[0.5]:+.4f} at .5; "
        f"uncorrected {by[UNCORRECTED]['accuracy'][0.1]:.4f} at .1",
    )


def _pse_claims() -> list[Claim]:
    even = {q: pse(unrelated(q, two_answers("a")), "a", [0.7, 0.3]) for q in (0.2, 0.8)}
    skewed = [pse(unrelated(0.5, two_answers("a"), chances=[0.8, 0.2]), "a", [1 - wa, wa]) for wa in (0.3, 0.7)]
    rows = pse_curves().pivot(index="q", columns="Wa", values="PSE").to_numpy()
    return [
        Claim(
            "privacy (PSE) is 0 at q = 1, largest at q = 0, and grows towards Wa = .5",
            bool((rows[-1] == 0).all() and (np.diff(rows, axis=0) <= 0).all() and (np.diff(rows, axis=1) >= 0).all()),
            "by the corrected formula, Wy = .5",
        ),
        Claim(
            "PSE is the same at Wa and 1 - Wa",
            isclose(skewed[0], skewed[1]),
            f"only where Wy = .5; at Wy = .2, q = .5: {skewed[0]:.4f} at Wa = .3, {skewed[1]:.4f} at .7",
        ),
        Claim(
            "PSE is the same at q and 1 - q",
            isclose(even[0.2], even[0.8]),
            f"Wa = .3: {even[0.2]:.4f} at q = .2, {even[0.8]:.4f} at .8",
        ),
    ]


STUDY = Study(
    name="zhan-matwin",
    title="Zhan and Matwin: naive Bayes from electronic surveys",
    about=(
        "The first 10,000 people of the Adult census, and the 683 complete cases of Breast Cancer Wisconsin; every "
        "attribute is cut in the middle of its range, 80 % serve to learn from. With chance q a whole record is told, "
        "class included; else a record is told in which every answer was drawn evenly. At q = 0 nothing is told: the "
        "majority is reported.",
        "Beside the paper's raw products, which change their sign with negative estimates, stand clipped estimates "
        "with Laplace's correction, our default (pseudo-counts as large as the estimate's own error), and ordinary "
        "naive Bayes on the replies as if they were true (uncorrected).",
    ),
    jobs=jobs,
    settings=SETTINGS,
    charts=charts,
    claims=claims,
)
