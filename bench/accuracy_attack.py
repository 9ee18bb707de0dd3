"""What a clever collector guesses, against guessing from estimated shares: a table of docs/accuracy.md.

    cd bench && python accuracy_attack.py

Three to six questions drawn from a data set, 500, 2,000 or 10,000 people drawn with replacement, a design, and
`dn.attack` with the truth at hand: whole records guessed with the replies, without them, and as the model expects of
itself. Every run has questions, people and draws of its own, the same for all designs.
"""

import sys
import warnings
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

import deniable as dn
from accuracy_bayes import car, census, mushroom, vote

RUNS = 30
SIZES = (500, 2_000, 10_000)
Questions = list[dn.Question]


def made_up() -> pd.DataFrame:
    """Eight answers that depend on one hidden kind of people, who are all-no more often than shares suggest."""
    rng = np.random.default_rng(0)
    kind = rng.random(4_000) < 0.35
    return pd.DataFrame(
        {f"q{i}": np.where(rng.random(4_000) < np.where(kind, 0.85, 0.1), "yes", "no") for i in range(8)}
    )


DATA: Mapping[str, Callable[[], pd.DataFrame]] = {
    "adult": census, "car": car, "vote": vote, "mushroom": mushroom, "made up": made_up,
}  # fmt: skip
DESIGNS: Mapping[str, Callable[[Questions], dn.Design]] = {
    "a lottery each, theta .6": lambda asked: dn.Design([dn.k_ary(0.6, each) for each in asked]),
    "a lottery each, epsilon 2": lambda asked: dn.Design(
        [dn.k_ary(dn.epsilon(2 / len(asked)), each) for each in asked]
    ),
    "one Warner group, theta .6": lambda asked: dn.Design([dn.warner(0.6, *asked)]),
    "versions, epsilon 2": lambda asked: dn.Design(
        [dn.draw(dn.epsilon(2), *asked, always=[asked[0].name], ask=min(2, len(asked) - 1))]
    ),
}


def drawn(data: pd.DataFrame, run: int) -> tuple[pd.DataFrame, Questions]:
    """People of one run, and what they are asked."""
    rng = np.random.default_rng(100 + run)
    names = list(rng.choice(data.columns, min(int(rng.integers(3, 7)), data.shape[1]), replace=False))
    people = data[names].sample(int(rng.choice(SIZES)), replace=True, random_state=run)
    return people, [dn.Question(name, sorted(people[name].unique())) for name in names]


def tried(data: pd.DataFrame, title: str) -> list[tuple[float, ...]]:
    """Records guessed, as expected and from shares; records and answers ahead of shares: a row for each run."""
    found: list[tuple[float, ...]] = []
    for run in range(RUNS):
        people, asked = drawn(data, run)
        if min(map(len, asked)) < 2 or ("Warner" in title and max(map(len, asked)) > 2):
            continue
        design = DESIGNS[title](asked)
        replies = dn.disguise(design, people, seed=run)
        counted, expected = dn.attack(design, replies, people), dn.attack(design, replies).records
        answers, records = counted.answers, counted.records
        ahead = records.guessed - records.from_margins, answers.guessed - answers.from_margins
        found.append((records.guessed, expected.guessed, records.from_margins, *ahead))
    return found


def main() -> None:
    """Write the table, a row for each data set and design."""
    sys.stdout.write("| data | design | records guessed | expected | from shares | ahead, records | ahead, answers |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for name, load in DATA.items():
        data = load().astype(str)
        for title in DESIGNS:
            found = np.array(tried(data, title))
            if len(found) < RUNS / 2:
                continue
            means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
            cells = [f"{mean:.3f}" for mean in means[:3]]
            cells += [f"{mean:+.3f} ({error:.3f})" for mean, error in zip(means[3:], errors[3:], strict=True)]
            sys.stdout.write(f"| {name} | {title} | {' | '.join(cells)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
