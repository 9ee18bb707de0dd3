"""Default trees held against every other method: a table of docs/accuracy.md.

    cd bench && python accuracy_trees.py [data ...]

Every question and the class have a k-ary lottery of their own. All trees learn from the same replies and are tested on
undisguised people who did not help to learn, a quarter of the data in a new split for every run. Beside them are the
tree of the replies taken for the truth, the larger class, a pilot of 500 people asked in the clear, and no disguise at
all, for us and for scikit-learn's default tree on one-hot columns.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import deniable as dn
from accuracy_bayes import TARGET, car, german, mushroom, nursery, vote

THETAS = (0.9, 0.8, 0.7)
RUNS = 30
FIRST_SEED = 7_160_000
PILOT = 500
METHODS = ("auto", "inverse", "pairs", "shrunk", "none")
DATA: Mapping[str, Callable[[], pd.DataFrame]] = {
    "car": car, "nursery": nursery, "german": german, "mushroom": mushroom, "vote": vote,
}  # fmt: skip
DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- trees: begin -->", "<!-- trees: end -->"
HEAD = ["data", "replies", "theta", *METHODS, "auto - uncorrected", "auto - best", "guessing", "pilot", "no disguise"]
Row = dict[str, float]


def split(data: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People to learn from, and people to test on."""
    mixed = data.sample(frac=1, random_state=seed, ignore_index=True)
    count = int(0.75 * len(mixed))
    return mixed[:count], mixed[count:]


def design_of(people: pd.DataFrame, theta: float) -> dn.Design:
    """One k-ary lottery for each question."""
    questions = [dn.Question(name, sorted(map(str, people[name].unique()))) for name in people.columns]
    return dn.Design([dn.k_ary(theta, question) for question in questions], target=TARGET)


def accuracy(tree: dn.TreeClassifier, replies: pd.DataFrame, test: pd.DataFrame) -> float:
    """The share of test people whose class a tree of these replies tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree.fit(replies.drop(columns=TARGET), replies[TARGET])
    return float(np.mean(tree.predict(test.drop(columns=TARGET)) == test[TARGET].to_numpy()))


def one_hot(train: pd.DataFrame, test: pd.DataFrame, seed: int) -> float:
    """The accuracy of scikit-learn's default tree on undisguised one-hot columns."""
    encoder = OneHotEncoder(handle_unknown="ignore").fit(train.drop(columns=TARGET))
    tree = DecisionTreeClassifier(random_state=seed).fit(encoder.transform(train.drop(columns=TARGET)), train[TARGET])
    return float(tree.score(encoder.transform(test.drop(columns=TARGET)), test[TARGET]))


def in_the_clear(data: pd.DataFrame, seed: int) -> Row:
    """What needs no lottery."""
    train, test = split(data, seed)
    return {
        "guessing": float(np.mean(test[TARGET] == train[TARGET].mode()[0])),
        "pilot": accuracy(dn.TreeClassifier(), train[:PILOT], test),
        "no disguise": accuracy(dn.TreeClassifier(), train, test),
        "scikit-learn": one_hot(train, test, seed),
    }


def disguised(data: pd.DataFrame, theta: float, seed: int) -> Row:
    """The accuracy of every method after one disguise."""
    train, test = split(data, seed)
    design = design_of(data, theta)
    replies = dn.disguise(design, train, seed=seed)
    return {method: accuracy(dn.TreeClassifier(design, method=method), replies, test) for method in METHODS}


def with_error(values: pd.Series, signed: bool = False) -> str:
    """A mean and its standard error."""
    mean = f"{values.mean():+.3f}" if signed else f"{values.mean():.3f}"
    return f"{mean} ({values.std() / np.sqrt(len(values)):.3f})".replace("0.", ".")


def rows(name: str) -> Iterator[list[str]]:
    """The table's rows of one data set, as soon as they are known."""
    data, seeds = DATA[name](), range(FIRST_SEED, FIRST_SEED + RUNS)
    clear = pd.DataFrame([in_the_clear(data, seed) for seed in seeds])
    beside = [with_error(clear[each]) for each in ("guessing", "pilot", "no disguise", "scikit-learn")]
    for theta in THETAS:
        found = pd.DataFrame([disguised(data, theta, seed) for seed in seeds])
        best = found[list(METHODS[1:-1])].mean().idxmax()
        apart = [with_error(found["auto"] - found[other], signed=True) for other in ("none", best)]
        figures = [with_error(found[method]) for method in METHODS]
        yield [name, f"{int(0.75 * len(data)):,}", f"{theta:g}"[1:], *figures, apart[0], f"{apart[1]} {best}", *beside]


def main() -> None:
    """Print each row when it is known, and put the whole table into docs/accuracy.md."""
    head = [*HEAD, "scikit-learn"]
    lines = [f"| {' | '.join(head)} |".replace("| none |", "| uncorrected |"), "|---" * len(head) + "|"]
    for name in sys.argv[1:] or DATA:
        for row in rows(name):
            lines.append(f"| {' | '.join(row)} |")
            sys.stdout.write(lines[-1] + "\n")
            sys.stdout.flush()
    if len(sys.argv) == 1:
        page = (DOCS / "accuracy.md").read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        (DOCS / "accuracy.md").write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    main()
