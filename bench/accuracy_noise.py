"""How good scores and trees of numbers under noise are: the tables between the marks `noise` of docs/accuracy.md.

    cd bench && python accuracy_noise.py            # everything
    cd bench && python accuracy_noise.py scores     # or one table alone: scores, wide or trees

The made-up applicants of Agrawal and Srikant, all nine numbers at one level of privacy. Scores: trees learnt from
10,000 replies are scored by 5,000 other replies, and held against their accuracy among 60,000 undisguised people.
Trees: the default beside ByClass and Local, learnt from the same 20,000 replies.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import deniable as dn
from deniable.learn.tree.leaves import questions_of
from deniable.papers.experiment import seed_of
from deniable.papers.synthetic import GROUP, agrawal
from deniable.papers.under_noise import NOISES, design_under_noise

RUNS, WIDE_RUNS = 6, 2
LEARNT, SCORED, TRUE = 10_000, 5_000, 60_000
SCORED_FUNCTIONS, SCORED_LEVELS = (2, 3, 4, 6, 7, 9), (0.5, 1.0, 2.0)
FEW = 3  # questions of a tree that is scored on a grid
ASKED: Mapping[int, list[str]] = {
    2: ["age", "salary"], 3: ["age", "salary", "elevel"], 4: ["salary", "commission", "loan"],
    6: ["age", "salary", "commission"], 7: ["salary", "commission", "loan"], 9: ["salary", "elevel", "loan"],
}  # fmt: skip
TREE_FUNCTIONS, TREE_LEVELS = tuple(range(1, 11)), (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
TREE_LEARNT, TREE_RUNS = 20_000, 2
METHODS = ("byclass", "local", "auto")
PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
MARKS = "<!-- noise {}: begin -->", "<!-- noise {}: end -->"


def few_trees(function: int, design: dn.Design, replies: pd.DataFrame) -> Iterator[dn.TreeClassifier]:
    """Trees of at most three questions: those that joint chooses, or those that the function depends on."""
    everything = [name for name in replies if name != GROUP]
    for method, names in (("joint", everything), ("byclass", ASKED[function])):
        yield dn.TreeClassifier(design, criterion="gini", method=method).fit(replies[names], replies[GROUP])


def wide_trees(function: int, design: dn.Design, replies: pd.DataFrame) -> Iterator[dn.TreeClassifier]:
    """Trees of all questions."""
    for method in ("local", "byclass"):
        yield dn.TreeClassifier(design, criterion="gini", method=method).fit(
            replies.drop(columns=GROUP), replies[GROUP]
        )


def scores(trees: Callable[..., Iterator[dn.TreeClassifier]], wide: bool, runs: int) -> pd.DataFrame:
    """One row for each tree: its score, interval and true accuracy."""
    rows = []
    for run, function, noise, level in product(range(runs), SCORED_FUNCTIONS, NOISES, SCORED_LEVELS):
        if (run + SCORED_FUNCTIONS.index(function)) % 2 == list(NOISES).index(noise):
            continue  # each run has half of the settings
        rng = np.random.default_rng(seed_of("score", function, noise, level, run))
        design = design_under_noise(noise, level)
        seeds = [seed_of("disguise", part, function, noise, level, run) for part in ("learnt", "scored")]
        replies, others = (
            dn.disguise(design, agrawal(function, n, rng), seed=seed)
            for n, seed in zip((LEARNT, SCORED), seeds, strict=True)
        )
        people = agrawal(function, TRUE, rng)
        for tree in trees(function, design, replies):
            if (len(questions_of(tree.tree_)) > FEW) != wide:
                continue
            found = dn.score(tree, design, others)
            true = float((tree.predict(people[list(tree.feature_names_in_)]) == people[GROUP]).mean())
            rows.append((function, noise, level, found.value, found.low, found.high, true))
        sys.stderr.write(f"run {run}, function {function}, {noise} {level:g}: {len(rows)} trees\n")
    return pd.DataFrame(rows, columns=["function", "noise", "level", "score", "low", "high", "true"])


def score_table(found: pd.DataFrame) -> str:
    """Coverage, width and error, by noise and level."""
    lines = [
        "| noise | privacy | trees | held the truth | mean width | root mean square error | bias |",
        "|---" * 7 + "|",
    ]
    for (level, noise), some in found.groupby(["level", "noise"]):
        held = ((some.low <= some.true) & (some.true <= some.high)).mean()
        error = some.score - some.true
        figures = (held, (some.high - some.low).mean(), np.sqrt((error**2).mean()), error.mean())
        told = " | ".join(f"{each:.3f}" for each in figures)
        lines.append(f"| {noise} | {level:.0%} | {len(some)} | {told} |".replace("0.", "."))
    return "\n".join(lines)


def trees(runs: Iterable[int] = range(TREE_RUNS)) -> pd.DataFrame:
    """One row for each run, function, noise, level and method: the accuracy, in per cent."""
    rows = []
    for run, function, noise, level in product(runs, TREE_FUNCTIONS, NOISES, TREE_LEVELS):
        rng = np.random.default_rng(seed_of("trees", function, run))
        people, others = agrawal(function, TREE_LEARNT, rng), agrawal(function, TREE_LEARNT, rng)
        design = design_under_noise(noise, level)
        replies = dn.disguise(design, people, seed=seed_of("disguise", function, noise, level, run))
        for method in METHODS:
            tree = dn.TreeClassifier(design, criterion="gini", method=method)
            tree.fit(replies.drop(columns=GROUP), replies[GROUP])
            right = 100 * float((tree.predict(others.drop(columns=GROUP)) == others[GROUP]).mean())
            rows.append((function, noise, level, method, run, right))
        found = [round(row[-1], 1) for row in rows[-len(METHODS) :]]
        sys.stderr.write(f"run {run}, function {function}, {noise} {level:g}: {found}\n")
    return pd.DataFrame(rows, columns=["function", "noise", "level", "method", "run", "accuracy"])


def tree_table(found: pd.DataFrame) -> str:
    """One row for each function and noise: at every level auto, and how far it is from the better of the paper's."""
    means = found.groupby(["function", "noise", "level", "method"]).accuracy.mean().unstack()
    means["ahead"] = means.auto - means[["byclass", "local"]].max(axis=1)
    heads = " | ".join(f"{level:.0%}" for level in TREE_LEVELS)
    lines = [f"| function | noise | {heads} |", "|---" * (2 + len(TREE_LEVELS)) + "|"]
    for (function, noise), some in means.groupby(level=["function", "noise"]):
        rows = zip(some.index.get_level_values("level"), some.auto, some.ahead, strict=True)
        known = {level: f"{auto:.1f} ({ahead:+.1f})" for level, auto, ahead in rows}
        told = " | ".join(known.get(level, "") for level in TREE_LEVELS)
        lines.append(f"| F{function} | {noise} | {told} |")
    return "\n".join([*lines, "", _error_of_leads(found)])


def _error_of_leads(found: pd.DataFrame) -> str:
    """How many runs there were, and the standard error of a lead, pooled over all cells."""
    each = found.pivot(index=["function", "noise", "level", "run"], columns="method", values="accuracy")
    leads = (each.auto - each[["byclass", "local"]].max(axis=1)).groupby(level=["function", "noise", "level"])
    runs = int(leads.size().min())
    if runs == 1:
        return "One run for each cell."
    error = np.sqrt(leads.var().mean() / runs)
    return f"Means of {runs} runs; the standard error of a lead is {error:.2f} points, pooled over all cells."


TABLES: Mapping[str, Callable[[], str]] = {
    "scores": lambda: "Trees of at most three questions:\n\n" + score_table(scores(few_trees, wide=False, runs=RUNS)),
    "wide": lambda: "Trees of more questions:\n\n" + score_table(scores(wide_trees, wide=True, runs=WIDE_RUNS)),
    "trees": lambda: (
        "The default tree, and how many points it is ahead of the better of ByClass and Local:\n\n"
        + tree_table(trees())
    ),
}


def main() -> None:
    """Measure, and write each table into the docs as soon as it is known."""
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or TABLES:
        text = TABLES[name]()
        sys.stdout.write(f"{text}\n")
        begin, end = (mark.format(name) for mark in MARKS)
        before, _, rest = PAGE.read_text().partition(begin)
        PAGE.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")


if __name__ == "__main__":
    main()
