"""Agrawal and Srikant 2000: distributions and trees from numbers reported with noise.

Their experiments: two shapes and their reconstruction (figure 2); trees for five functions of made-up applicants at
several levels of privacy (figures 5 and 6); and how much privacy noise gives (table 1).
"""

from collections.abc import Mapping, Sequence
from functools import partial

import altair as alt
import pandas as pd

from deniable.papers.experiment import Job, Study, summary
from deniable.papers.noise_claims import SETTINGS, claims
from deniable.papers.shapes import DRAWN, outlines, shape_run
from deniable.papers.under_noise import LEARNT, NOISES, ORIGINAL, TREES, cut_run, original, run_under_noise
from deniable.report.charts import curves, steps

FUNCTIONS = (1, 2, 3, 4, 5)
LEVELS, LOWEST = (0.25, 0.5, 1.0, 2.0), 0.1
CUT_LEVELS = (0.25, 0.5, 1.0)
REPEATS, QUICK_REPEATS = 10, 1
QUICK_LEARNT = 5_000
PANEL = "function and noise"


def jobs(quick: bool) -> Sequence[Job]:
    """Everything to be computed."""
    repeats = QUICK_REPEATS if quick else REPEATS
    functions, levels = ((1, 2), (0.25, 1.0)) if quick else (FUNCTIONS, LEVELS)
    learnt = QUICK_LEARNT if quick else LEARNT
    found: list[Job] = [
        partial(shape_run, shape, noise, run) for shape in DRAWN for noise in NOISES for run in range(repeats)
    ]
    for run in range(repeats):
        for function in functions:
            found.append(partial(original, function, run, learnt))
            found += [
                partial(run_under_noise, function, noise, level, run, learnt) for noise in NOISES for level in levels
            ]
            found += [partial(cut_run, function, level, run, learnt) for level in CUT_LEVELS]
            if not quick:
                found += [partial(run_under_noise, function, noise, LOWEST, run, every=False) for noise in NOISES]
    return found


def charts(results: pd.DataFrame) -> Mapping[str, alt.TopLevelMixin]:
    """Figures 5 and 6: accuracy by level of privacy, a panel for each function and noise."""
    averages = summary(results, SETTINGS)
    trees = averages[averages["part"] == TREES]
    under_noise = trees.dropna(subset="privacy")
    plain = trees[trees["method"] == ORIGINAL]
    levels = pd.concat([plain.assign(noise=noise) for noise in NOISES], ignore_index=True)
    panelled, levelled = (
        frame.assign(**{PANEL: frame["function"] + ", " + frame["noise"]}) for frame in (under_noise, levels)
    )
    return {
        "Two shapes, reported and reconstructed (figure 2)": steps(outlines(), "x", "share", "shares", panel="panel"),
        "Accuracy by privacy level (figures 5 and 6)": curves(
            panelled, "privacy", "accuracy", "method", panel=PANEL, error="accuracy_stderr", levels=levelled
        ),
    }


STUDY = Study(
    name="agrawal-srikant",
    title="Agrawal and Srikant 2000: trees from numbers under noise",
    about=(
        "100,000 made-up loan applicants to learn from (5,000 in a quick run) and 5,000 undisguised ones to test on, "
        "both groups alike. Each of nine numbers is reported with noise, so that it cannot be placed in less than a "
        "quarter, a half, the whole or twice its range at 95 % confidence; the group is reported in the clear.",
        "Global, ByClass and Local are the paper's ways to correct for the noise, all with gini and pruned by "
        "description length; uncorrected is its Randomized, original its Original. Joint reconstructs two or three "
        "questions together, and our default chooses between joint and Local by replies held out of both.",
    ),
    jobs=jobs,
    settings=SETTINGS,
    charts=charts,
    claims=claims,
)
