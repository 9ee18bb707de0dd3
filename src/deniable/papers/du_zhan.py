"""Du and Zhan 2003: ID3 from records that were reported truly, or inverted, as a whole.

Their experiment: the first 10,000 people of the Adult census, every attribute cut in two, one Warner draw per
record (class included), a grid of thetas, 50 repeats, mean and variance of the accuracy on undisguised test data
(figures 2a and 2b).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import altair as alt
import numpy as np
import pandas as pd

from deniable.channel.design import Design
from deniable.channel.schemes import warner
from deniable.learn.decision_tree import TreeClassifier
from deniable.papers.attack import recovered
from deniable.papers.data import TARGET, Coding, adult, binary
from deniable.papers.experiment import (
    NOTHING_DRAWN,
    Claim,
    Job,
    Row,
    Study,
    accuracy,
    fewest_runs,
    learnt,
    seed_of,
    summary,
)
from deniable.report.charts import curves
from deniable.survey.question import Question

THETAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
QUICK_THETAS = (0.0, 0.4, 0.51, 0.6, 0.9, 1.0)
CODINGS: tuple[Coding, ...] = ("mid", "med")
REPEATS, QUICK_REPEATS = 50, 2
FAITHFUL, DEFAULT, UNCORRECTED = "faithful (the paper)", "default (ours)", "uncorrected"
CLOSE = 0.01  # what we take "close to the original accuracy" to mean
OURS_CLOSE = 0.005
SETTINGS = ("coding", "theta", "method")


@cache
def people(coding: Coding) -> tuple[pd.DataFrame, pd.DataFrame]:
    """8,000 people to learn from and 2,000 to test on, of the first 10,000."""
    coded = binary(adult().head(10_000), coding)
    shuffled = coded.iloc[np.random.default_rng(1).permutation(len(coded))]
    return shuffled.iloc[:8000], shuffled.iloc[8000:]


def two_answers(name: str) -> Question:
    """An attribute that was cut in two."""
    return Question(name, ("0", "1"))


def one_group(theta: float, names: list[str]) -> Design:
    """The paper's design: one draw for the whole record."""
    return Design([warner(theta, *map(two_answers, names))], target=TARGET)


def benchmark(coding: Coding) -> list[Row]:
    """The same learners on undisguised people: the paper's original accuracy, and ours."""
    train, test = people(coding)
    rows = []
    for method, learner in ((FAITHFUL, TreeClassifier(stop=None)), (DEFAULT, TreeClassifier())):
        tree = learner.fit(train.drop(columns=TARGET), train[TARGET])
        row = {"coding": coding, "theta": np.nan, "method": f"original, {method}", "run": 0}
        rows.append(row | {"accuracy": accuracy(tree, test, TARGET), "warned": False})
    return rows


def one_run(coding: Coding, theta: float, run: int) -> list[Row]:
    """Disguise the training data once, learn from it in every way, and test on undisguised data."""
    train, test = people(coding)
    design = one_group(theta, list(train.columns))
    learners = {
        FAITHFUL: TreeClassifier(design, stop=None),
        DEFAULT: TreeClassifier(design),
        UNCORRECTED: TreeClassifier(design, method="none"),
    }
    rows = []
    for method, learner in learners.items():
        found = learnt(learner, design, train, seed_of(coding, theta, run))
        row = {"coding": coding, "theta": theta, "method": method, "run": run}
        rows.append(row | {"accuracy": accuracy(found["learner"], test, TARGET), "warned": found["warned"]})
    return rows


def jobs(quick: bool) -> Sequence[Job]:
    """Everything to be computed; nothing is drawn where theta is 0 or 1, so once is enough there."""
    thetas, repeats = (QUICK_THETAS, QUICK_REPEATS) if quick else (THETAS, REPEATS)
    runs = [
        partial(one_run, coding, theta, run)
        for coding in CODINGS
        for theta in thetas
        for run in range(1 if theta in (0, 1) else repeats)
    ]
    return [partial(benchmark, coding) for coding in CODINGS] + runs


def charts(results: pd.DataFrame) -> Mapping[str, alt.TopLevelMixin]:
    """Figures 2a and 2b, with the baseline and our default beside the paper's method."""
    averages = summary(results, SETTINGS)
    runs = averages.dropna(subset="theta")
    original = averages[averages["theta"].isna()]
    return {
        "Mean accuracy by theta (figure 2a)": curves(
            runs, "theta", "accuracy", "method", panel="coding", error="accuracy_stderr", levels=original
        ),
        "Variance of the accuracy by theta (figure 2b)": curves(
            runs, "theta", "accuracy_variance", "method", panel="coding"
        ),
    }


@dataclass(frozen=True)
class Exact:
    """Figures that are computed, not simulated."""

    majority: Mapping[Coding, float]  # share of the larger class among the test people
    named: Mapping[float, float]  # by theta: share of whole records that the best guess names rightly


def exact() -> Exact:
    """The figures of the people at hand."""
    larger = {coding: float(people(coding)[1][TARGET].value_counts(normalize=True).max()) for coding in CODINGS}
    everybody = binary(adult(), "mid")
    named = {theta: recovered(everybody, [list(everybody.columns)], theta).record for theta in (0.51, 0.6, 0.9)}
    return Exact(larger, named)


def claims(results: pd.DataFrame, known: Exact | None = None) -> list[Claim]:
    """What the paper says, and what we say, held against the results."""
    averages, known = summary(results, SETTINGS), known or exact()
    found = []
    for coding in CODINGS:
        here = averages[averages["coding"] == coding].set_index("theta")
        found += [*_accuracy_claims(coding, here), *_our_claims(coding, here, known.majority[coding])]
    return [*found, _privacy_claim(known.named)]


def _of(averages: pd.DataFrame, method: str) -> pd.DataFrame:
    return averages[averages["method"] == method]


def _runs(averages: pd.DataFrame) -> int:
    """The fewest runs where something is drawn."""
    return fewest_runs(averages[~averages.index.isin((0, 1))])


def _accuracy_claims(coding: Coding, averages: pd.DataFrame) -> list[Claim]:
    original = float(_of(averages, f"original, {FAITHFUL}")["accuracy"].iloc[0])
    faithful, variance = _of(averages, FAITHFUL)["accuracy"], _of(averages, FAITHFUL)["accuracy_variance"]
    away = faithful[np.abs(faithful.index - 0.5) > 0.099]
    loss, runs = original - away, _runs(_of(averages, FAITHFUL))
    return [
        Claim(
            f"at theta = 0 and 1 the tree is exactly the original one ({coding})",
            bool(faithful[0.0] == faithful[1.0] == original),
            f"{faithful[0.0]:.4f} and {faithful[1.0]:.4f}, original {original:.4f}",
            runs=NOTHING_DRAWN,
        ),
        Claim(
            f"for theta up to .4 and from .6 the accuracy is close to the original: within {CLOSE} ({coding})",
            bool(loss.max() <= CLOSE),
            f"largest loss {loss.max():.4f}, at theta = {loss.idxmax():g}",
            runs=runs,
        ),
        Claim(
            f"around .5 the mean falls and the variance grows ({coding})",
            bool(faithful[0.51] < away.min() and variance[0.51] > variance[0.9]),
            f"mean {faithful[0.51]:.4f} at .51, elsewhere at least {away.min():.4f}; "
            f"variance {variance[0.51]:.5f} at .51, {variance[0.9]:.5f} at .9",
            runs=runs,
        ),
    ]


def _our_claims(coding: Coding, averages: pd.DataFrame, majority: float) -> list[Claim]:
    original = float(_of(averages, f"original, {DEFAULT}")["accuracy"].iloc[0])
    ours = _of(averages, DEFAULT)
    away = ours["accuracy"][np.abs(ours.index - 0.5) > 0.049]
    loss = original - away
    near = ours.loc[0.51]
    return [
        Claim(
            f"ours: up to .45 and from .55, within {OURS_CLOSE} of what the same learner gets undisguised ({coding})",
            bool(loss.max() <= OURS_CLOSE),
            f"largest loss {loss.max():.4f}, at theta = {loss.idxmax():g}; undisguised {original:.4f}",
            runs=_runs(ours),
        ),
        Claim(
            f"ours: at .51, not below the majority by more than {CLOSE} ({coding})",
            bool(near["accuracy"] >= majority - CLOSE),
            f"{near['accuracy']:.4f} ± {near['accuracy_stderr']:.4f}, majority {majority:.4f}; "
            f"{near['warned']:.0%} of {near['runs']} runs warned that the replies do not tell the larger class",
            runs=fewest_runs(ours.loc[[0.51]]),
        ),
    ]


def _privacy_claim(named: Mapping[float, float]) -> Claim:
    return Claim(
        "the privacy level rises as theta comes near .5",
        named[0.51] < named[0.9] - CLOSE,
        "epsilon is infinite at every theta; whole records named rightly: "
        + ", ".join(f"{share:.1%} at {theta}" for theta, share in named.items()),
        runs=NOTHING_DRAWN,
    )


STUDY = Study(
    name="du-zhan",
    title="Du and Zhan 2003: decision trees from records that are true or inverted as a whole",
    about=(
        "The first 10,000 people of the Adult census, every attribute cut in two, 8,000 of them to learn from and "
        "2,000 to test on. One Warner draw tells or inverts the whole record, class included. The paper cuts “from the "
        "median point of the range”: “mid” cuts numbers in the middle of their range and lists of words in the middle; "
        "“med” cuts numbers at their median and parts the most frequent word from the rest.",
        "Beside the paper's ID3, grown to the end, stand our default method and an ordinary tree grown on the replies "
        "as if they were true (uncorrected). All of them are tested on undisguised people.",
    ),
    jobs=jobs,
    settings=SETTINGS,
    charts=charts,
    claims=claims,
)
