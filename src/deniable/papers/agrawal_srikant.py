"""Agrawal and Srikant 2000: distributions and trees from numbers that were told with noise.

Their experiments: two shapes and their reconstruction (figure 2); trees for five functions of made-up applicants at
several levels of privacy (figures 5 and 6); and how much privacy noise gives (table 1).
"""

from collections.abc import Mapping, Sequence
from functools import partial

import altair as alt
import pandas as pd

from deniable.channel.schemes import gaussian, interval, uniform
from deniable.deniability.interval import interval_privacy
from deniable.papers.experiment import Claim, Job, Study, summary
from deniable.papers.shapes import DRAWN, RECONSTRUCTED, REPORTED, SAME_REPORTS, outlines, shape_run
from deniable.papers.under_noise import (
    BYCLASS,
    CUT,
    DEFAULT,
    GLOBAL,
    LEARNT,
    LOCAL,
    NOISES,
    ORIGINAL,
    SHAPES,
    TREES,
    UNCORRECTED,
    cut_run,
    original,
    run_under_noise,
)
from deniable.report.charts import curves, steps
from deniable.survey.question import number

FUNCTIONS = (1, 2, 3, 4, 5)
LEVELS, LOWEST = (0.25, 0.5, 1.0, 2.0), 0.1
CUT_LEVELS = (0.25, 0.5, 1.0)
REPEATS, QUICK_REPEATS = 10, 1
QUICK_LEARNT = 5_000
SETTINGS = ("part", "function", "noise", "privacy", "method")
EASY, HARD = ("F1", "F4", "F5"), ("F2", "F3")


def jobs(quick: bool) -> Sequence[Job]:
    """Everything to be worked out."""
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
    told = summary(results, SETTINGS)
    trees = told[told["part"] == TREES]
    under_noise = trees.dropna(subset="privacy").assign(panel=lambda frame: frame["function"] + ", " + frame["noise"])
    plain = trees[trees["method"] == ORIGINAL]
    levels = pd.concat([plain.assign(panel=plain["function"] + ", " + noise) for noise in NOISES], ignore_index=True)
    return {
        "Two shapes, reported and reconstructed (figure 2)": steps(outlines(), "x", "share", "shares", panel="panel"),
        "Accuracy by privacy level (figures 5 and 6)": curves(
            under_noise, "privacy", "accuracy", "method", panel="panel", error="accuracy_stderr", levels=levels
        ),
    }


def claims(results: pd.DataFrame) -> list[Claim]:
    """Each claim, whether it held, and the figure."""
    told = summary(results, SETTINGS)
    trees = told[told["part"] == TREES]
    by = trees.pivot_table("accuracy", ["function", "noise", "privacy"], "method")
    plain = trees[trees["method"] == ORIGINAL].set_index("function")["accuracy"]
    return [
        _table_one(),
        *_shape_claims(told[told["part"] == SHAPES]),
        _close(by, plain, (0.25, 0.5), EASY + HARD, 0.05),
        _close(by, plain, (1.0,), EASY, 0.05),
        _close(by, plain, (1.0,), HARD, 0.15),
        _better(by, [BYCLASS, LOCAL], GLOBAL, "Global does worse than ByClass and Local"),
        _better(by, [BYCLASS], UNCORRECTED, "reconstruction (ByClass) does better than no correction"),
        _marginal(by),
        _uniform_before_and_after(by),
        _discretization(told),
        _buried(plain, by),
        _run_times(trees),
        *_ours(by),
    ]


def _table_one() -> Claim:
    question = number("x", 0, 1000)
    found = {
        "gaussian, sd 1": interval_privacy(gaussian(question, sd=100), question, 0.999) / 100,
        "uniform, half-width 1": interval_privacy(uniform(question, half_width=100), question, 0.95) / 100,
    }
    cut = interval(question, width=100)
    found["discretization, width 1"] = interval_privacy(cut, cut.group[0], 0.5) / 100
    return Claim(
        "table 1: a Gaussian gives 6.8 standard deviations of privacy at 99.9 %",
        bool(abs(found["gaussian, sd 1"] - 6.8) < 0.05),
        f"{found['gaussian, sd 1']:.2f}; uniform at 95 % {found['uniform, half-width 1']:.2f} half-widths, "
        f"discretization at 50 % {found['discretization, width 1']:.2f} widths, as printed",
    )


def _shape_claims(told: pd.DataFrame) -> list[Claim]:
    distance = told.pivot_table("distance", ["function", "noise"], "method")
    names = [" ".join(map(str, where)) for where in distance.index.tolist()]
    pairs = zip(names, distance[REPORTED], distance[RECONSTRUCTED], strict=True)
    shown = "; ".join(f"{name} {before:.3f} to {after:.3f}" for name, before, after in pairs)
    worse = (distance[SAME_REPORTS] - distance[RECONSTRUCTED]).to_numpy()
    return [
        Claim(
            "figure 2: the reconstructed shape is near the original though the reported is not (half the distance)",
            bool((distance[RECONSTRUCTED] <= distance[REPORTED] / 2).all()),
            shown,
        ),
        Claim(
            "that reports look right is no reliable sign to stop (the distance can be .05 larger than it need be)",
            bool(worse.max() > 0.05),
            f"up to {worse.max():.3f} farther away ({names[int(worse.argmax())]})",
        ),
    ]


def _close(by: pd.DataFrame, plain: pd.Series, levels: Sequence[float], functions: Sequence[str], most: float) -> Claim:
    here = by[by.index.get_level_values("privacy").isin(levels) & by.index.get_level_values("function").isin(functions)]
    best = here[[BYCLASS, LOCAL]].max(axis=1)
    loss = plain.reindex(best.index.get_level_values("function")).to_numpy() - best
    at = ", ".join(f"{level:.0%}" for level in levels)
    known = [each for each in functions if each in set(here.index.get_level_values("function"))]
    return Claim(
        f"at {at} privacy ByClass and Local are within {most:.0%} of Original ({', '.join(known)})",
        bool(loss.max() <= most) if len(loss) else None,
        f"largest loss {loss.max():.3f} ({_where(loss.idxmax())})" if len(loss) else "not run",
    )


def _better(by: pd.DataFrame, some: Sequence[str], other: str, says: str) -> Claim:
    known = by[[*some, other]].dropna()
    lead = known[list(some)].min(axis=1) - known[other]
    return Claim(
        says,
        bool((lead > 0).all()),
        f"in {(lead > 0).sum()} of {len(lead)} cells; the least lead is {lead.min():.3f} "
        f"({_where(lead.idxmin())}), the mean {lead.mean():.3f}",
    )


def _marginal(by: pd.DataFrame) -> Claim:
    lead = (by[LOCAL] - by[BYCLASS]).dropna()
    return Claim(
        "Local is marginally better than ByClass: ahead on average, nowhere by more than .02",
        bool(lead.mean() > 0 and lead.max() <= 0.02),
        f"mean lead {lead.mean():.3f}, largest {lead.max():.3f} ({_where(lead.idxmax())})",
    )


def _uniform_before_and_after(by: pd.DataFrame) -> Claim:
    uniform_, gaussian_ = (by.xs(noise, level="noise") for noise in ("uniform", "gaussian"))
    before, after = (float((gaussian_[method] - uniform_[method]).mean()) for method in (UNCORRECTED, BYCLASS))
    return Claim(
        "Uniform does much worse than Gaussian before correction, only slightly worse after it",
        bool(before > 0.05 and abs(after) < 0.02),
        f"mean gap {before:.3f} before, {after:.3f} after (ByClass)",
    )


def _discretization(told: pd.DataFrame) -> Claim:
    cut = told[told["part"] == CUT].pivot_table("accuracy", "privacy", "function")
    under_noise = told[(told["method"] == BYCLASS) & (told["noise"] == "uniform")]
    lead = (under_noise.pivot_table("accuracy", "privacy", "function") - cut).stack().dropna()
    means = ", ".join(f"{value:.3f} at {level:.0%}" for level, value in cut.mean(axis=1).items())
    return Claim(
        "for the same privacy, discretization does worse than uniform noise",
        bool((lead > 0).all()),
        f"discretization on average {means}; uniform with ByClass leads by {lead.min():.3f} to {lead.max():.3f}",
    )


def _buried(plain: pd.Series, by: pd.DataFrame) -> Claim:
    under_noise = by.xs(("F2", 0.25), level=("function", "privacy"))[BYCLASS].max()
    return Claim(
        "Original is weak on function 2, because its exclusive-or hides every split: worse than ByClass at 25 %",
        bool(plain["F2"] < under_noise),
        f"Original {plain['F2']:.3f}, ByClass at 25 % {under_noise:.3f}: our tree splits on without a gain at once",
    )


def _run_times(trees: pd.DataFrame) -> Claim:
    paper = [GLOBAL, BYCLASS, LOCAL]
    mean = trees.pivot_table("seconds", ["function", "noise", "privacy"], "method")[paper].dropna().mean()
    return Claim(
        "Global is the cheapest, ByClass is closer to Global than to Local",
        bool(
            mean[GLOBAL] <= mean[BYCLASS] <= mean[LOCAL] and mean[BYCLASS] - mean[GLOBAL] < mean[LOCAL] - mean[BYCLASS]
        ),
        "mean seconds where all three were grown: " + ", ".join(f"{name} {mean[name]:.1f}" for name in paper),
    )


def _ours(by: pd.DataFrame) -> list[Claim]:
    loss = (by[[BYCLASS, LOCAL]].max(axis=1) - by[DEFAULT]).dropna()
    hard = by[by.index.get_level_values("function").isin(HARD) & (by.index.get_level_values("privacy") == 1.0)][DEFAULT]
    return [
        Claim(
            "ours: never worse than the better one of ByClass and Local by more than .01",
            bool(loss.max() <= 0.01),
            f"largest loss {loss.max():.3f} ({_where(loss.idxmax())}); mean lead {-loss.mean():.3f}",
        ),
        Claim(
            "ours: at 100 % privacy at least .9 on functions 2 and 3",
            bool((hard >= 0.9).all()),
            ", ".join(f"{_where(where)} {value:.3f}" for where, value in hard.items()),
        ),
    ]


def _where(index: object) -> str:
    assert isinstance(index, tuple)
    function, noise, privacy = index
    return f"{function} {noise} {privacy:.0%}"


STUDY = Study(
    name="agrawal-srikant",
    title="Agrawal and Srikant 2000: trees from numbers under noise",
    about=(
        "100,000 made-up loan applicants to learn from (5,000 in a quick run) and 5,000 undisguised ones to test on, "
        "both groups alike. Each "
        "of nine numbers is told with noise, so that it cannot be placed in less than a quarter, a half, the whole or "
        "twice its range at 95 % confidence; the group is told in the clear.",
        "Global, ByClass and Local are the paper's ways to correct for the noise, all with gini and pruned by "
        "description length; uncorrected is its Randomized, original its Original. Joint reconstructs two or three "
        "questions together, and our default chooses between joint and Local by replies held out of both.",
    ),
    jobs=jobs,
    settings=SETTINGS,
    charts=charts,
    claims=claims,
)
