"""Zhan and Matwin: naive Bayes from electronic surveys with an unrelated question.

Their experiment: with chance q a record is reported, else one drawn at random replaces it, class included. Adult
and Breast Cancer, every attribute cut in two, 80 % to learn from, a grid of q, 1000 repeats; mean and variance of
the accuracy on undisguised test data (figures 1 to 4), and their privacy of a single entry (figure 5).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isclose

import altair as alt
import numpy as np
import pandas as pd

from deniable.channel.schemes import unrelated
from deniable.deniability.pse import pse
from deniable.learn.naive_bayes import NaiveBayes
from deniable.papers.du_zhan import DEFAULT, OURS_CLOSE, UNCORRECTED, two_answers
from deniable.papers.experiment import NOTHING_DRAWN, Claim, Job, Study, fewest_runs, summary
from deniable.papers.unrelated import ADULT, CANCER, RAW, people, runs
from deniable.report.charts import curves

DATA = (ADULT, CANCER)
QS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # Wa of figure 5
REPEATS, QUICK_REPEATS = 1000, 100
NEARLY_NOTHING = 1e-6  # a q so small that a report has no information; at 0 there is no channel
CLEARLY = 3  # standard errors by which means or variances must differ to count as different
SETTINGS = ("data", "q", "method")


def jobs(quick: bool) -> Sequence[Job]:
    """One piece of work for each data set and q."""
    count = QUICK_REPEATS if quick else REPEATS
    return [partial(runs, data, q, count) for data in DATA for q in QS]


def pse_curves() -> pd.DataFrame:
    """Privacy of a single entry by q and Wa, for an even unrelated question (figure 5)."""
    rows = []
    for share in SHARES:
        for q in np.linspace(0, 1, 21):
            asked = unrelated(max(float(q), NEARLY_NOTHING), two_answers("a"))
            rows.append({"q": float(q), "Wa": f"Wa = {share:g}", "PSE": pse(asked, "a", [1 - share, share])})
    return pd.DataFrame(rows)


def charts(results: pd.DataFrame) -> Mapping[str, alt.TopLevelMixin]:
    """Figures 1 to 5, with the baseline and our default beside the paper's method."""
    averages = summary(results, SETTINGS)
    return {
        "Mean accuracy by q (figures 1 and 2)": curves(
            averages, "q", "accuracy", "method", panel="data", error="accuracy_stderr"
        ),
        "Variance of the accuracy by q (figures 3 and 4)": curves(
            averages, "q", "accuracy_variance", "method", panel="data"
        ),
        "Privacy of a single entry by q and Wa (figure 5, corrected formula)": curves(pse_curves(), "q", "PSE", "Wa"),
    }


@dataclass(frozen=True)
class Exact:
    """Figures that are computed, not simulated."""

    ordinary: Mapping[str, float]  # by data: the accuracy of ordinary naive Bayes on undisguised people
    pse: pd.DataFrame  # as `pse_curves` gives it
    pse_at_wa: Mapping[float, float]  # where q = .5 and Wy = .2
    pse_at_q: Mapping[float, float]  # where Wa = .3 and Wy = .5


def exact() -> Exact:
    """The figures of the people at hand, and of the channel."""
    skewed = unrelated(0.5, two_answers("a"), chances=[0.8, 0.2])
    return Exact(
        {data: _ordinary(data) for data in DATA},
        pse_curves(),
        {wa: pse(skewed, "a", [1 - wa, wa]) for wa in (0.3, 0.7)},
        {q: pse(unrelated(q, two_answers("a")), "a", [0.7, 0.3]) for q in (0.2, 0.8)},
    )


def _ordinary(data: str) -> float:
    """The accuracy of ordinary naive Bayes on undisguised people."""
    (train, test), words = people(data), np.array(["0", "1"], dtype=object)
    fitted = NaiveBayes(smoothing=None).fit(words[train[:-1].T], train[-1])
    return float(np.mean(fitted.predict(words[test[:-1].T]) == test[-1]))


def claims(results: pd.DataFrame, known: Exact | None = None) -> list[Claim]:
    """What the paper says, and what we say, held against the results."""
    known = known or exact()
    averages = with_errors_of_variances(results)
    found = []
    for data in DATA:
        here = averages[averages["data"] == data].set_index("q")
        by = {method: here[here["method"] == method] for method in (RAW, DEFAULT, UNCORRECTED)}
        raw, ordinary = by[RAW], known.ordinary[data]
        found += [_ordinary_at_one(data, raw, ordinary), *trends(data, raw)]
        found += [_close_to_disclosure(data, raw, ordinary), _our_claim(data, by)]
    return [*found, *_pse_claims(known)]


def with_errors_of_variances(results: pd.DataFrame) -> pd.DataFrame:
    """The summary, and the standard error of each variance: sqrt((m4 - variance^2) / runs), m4 the fourth moment."""
    averages = summary(results, SETTINGS)
    away = results["accuracy"] - results.groupby(list(SETTINGS))["accuracy"].transform("mean")
    fourth = (away**4).groupby([results[name] for name in SETTINGS], sort=False).mean().to_numpy()
    excess = np.maximum(fourth - averages["accuracy_variance"] ** 2, 0.0)
    return averages.assign(accuracy_variance_stderr=np.sqrt(excess / averages["runs"]))


def _ordinary_at_one(data: str, raw: pd.DataFrame, ordinary: float) -> Claim:
    mean, variance = raw["accuracy"][1.0], raw["accuracy_variance"].fillna(0.0)[1.0]  # a single run does not vary
    return Claim(
        f"at q = 1 the classifier is exactly the ordinary one ({data})",
        isclose(variance, 0, abs_tol=1e-12) and isclose(mean, ordinary),
        f"{mean:.4f} in every run, ordinary {ordinary:.4f}",
        runs=NOTHING_DRAWN,
    )


def trends(data: str, raw: pd.DataFrame) -> list[Claim]:
    """What rises or falls with q. At q = 0 nothing is learnt, and at q = 1 nothing varies."""
    drawn = raw[raw.index > 0].sort_index()
    means, variances = drawn["accuracy"], drawn["accuracy_variance"]
    falls = _exception(means, drawn["accuracy_stderr"])
    grows = _exception(-variances[variances.index < 1], drawn["accuracy_variance_stderr"])
    return [
        Claim(
            f"the mean falls as q goes from 1 to 0 ({data})",
            not falls,
            ", ".join(f"{means[q]:.4f} at {q:g}" for q in (1.0, 0.5, 0.1, 0.05)) + falls,
            runs=_runs(raw),
        ),
        Claim(
            f"the variance grows as q goes from 1 to 0 ({data})",
            not grows,
            ", ".join(f"{variances[q]:.1e} at {q:g}" for q in (0.9, 0.5, 0.1, 0.05)) + grows,
            runs=_runs(raw),
        ),
    ]


def _exception(rising: pd.Series, errors: pd.Series) -> str:
    """Where figures do not rise with q, in words; empty if the last is clearly above the first, and no step falls."""
    qs, values, spread = rising.index, rising.to_numpy(), errors[rising.index].to_numpy()
    if not values[-1] - values[0] > CLEARLY * np.hypot(spread[0], spread[-1]):
        return f"; no clear difference between {qs[-1]:g} and {qs[0]:g}"
    falling = np.flatnonzero(np.diff(values) < -CLEARLY * np.hypot(spread[1:], spread[:-1]))
    return f"; but the other way from {qs[falling[0] + 1]:g} to {qs[falling[0]]:g}" if len(falling) else ""


def _close_to_disclosure(data: str, raw: pd.DataFrame, ordinary: float) -> Claim:
    loss = ordinary - raw["accuracy"][raw.index >= 0.5]
    return Claim(
        f"with q well chosen, accuracy is close to that of total disclosure: within .02 from .5 on ({data})",
        bool(loss.max() <= 0.02),
        f"largest loss {loss.max():.4f}, at q = {loss.idxmax():g}",
        runs=_runs(raw),
    )


def _runs(averages: pd.DataFrame) -> int:
    """The fewest runs where something is drawn."""
    return fewest_runs(averages[~averages.index.isin((0, 1))])


def _our_claim(data: str, by: Mapping[str, pd.DataFrame]) -> Claim:
    gain = (by[DEFAULT]["accuracy"] - by[RAW]["accuracy"]).drop(0.0)
    return Claim(
        f"ours: never worse than raw products by more than {OURS_CLOSE} ({data})",
        bool(gain.min() >= -OURS_CLOSE),
        f"gains {gain[0.05]:+.4f} at .05, {gain[0.1]:+.4f} at .1, {gain[0.5]:+.4f} at .5, "
        f"the least {gain.min():+.4f} at {gain.idxmin():g}; uncorrected {by[UNCORRECTED]['accuracy'][0.1]:.4f} at .1",
        runs=_runs(by[DEFAULT]),
    )


def _pse_claims(known: Exact) -> list[Claim]:
    rows = known.pse.pivot(index="q", columns="Wa", values="PSE").to_numpy()
    at_wa, at_q = known.pse_at_wa, known.pse_at_q
    return [
        Claim(
            "privacy (PSE) is 0 at q = 1, largest at q = 0, and grows towards Wa = .5",
            bool(
                (rows[-1] == 0).all() and (np.diff(rows, axis=0) < 0).all() and (np.diff(rows[:-1], axis=1) > 0).all()
            ),
            f"by the corrected formula, Wy = .5: {rows[0].min():.2f} to {rows[0].max():.2f} at 0, "
            f"at most {rows[-1].max():.2f} at 1",
            runs=NOTHING_DRAWN,
        ),
        Claim(
            "PSE is the same at Wa and 1 - Wa",
            isclose(at_wa[0.3], at_wa[0.7]),
            f"only where Wy = .5; at Wy = .2, q = .5: {at_wa[0.3]:.4f} at Wa = .3, {at_wa[0.7]:.4f} at .7",
            runs=NOTHING_DRAWN,
        ),
        Claim(
            "PSE is the same at q and 1 - q",
            isclose(at_q[0.2], at_q[0.8]),
            f"Wa = .3: {at_q[0.2]:.4f} at q = .2, {at_q[0.8]:.4f} at .8",
            runs=NOTHING_DRAWN,
        ),
    ]


STUDY = Study(
    name="zhan-matwin",
    title="Zhan and Matwin: naive Bayes from electronic surveys",
    about=(
        "The first 10,000 people of the Adult census, and the 683 complete cases of Breast Cancer Wisconsin; every "
        "attribute is cut in the middle of its range, 80 % serve to learn from. With chance q a whole record is "
        "reported, class included; else a record in which every answer was drawn evenly. At q = 0 nothing is "
        "learnt: the majority is reported.",
        "Beside the paper's raw products, which change their sign with negative estimates, stand clipped estimates "
        "with Laplace's correction, our default (pseudo-counts as large as the estimate's own error), and ordinary "
        "naive Bayes on the replies as if they were true (uncorrected).",
    ),
    jobs=jobs,
    settings=SETTINGS,
    charts=charts,
    claims=claims,
)
