"""What advised designs reach at one epsilon of the whole reply: a table of docs/accuracy.md.

    make accuracy

Advice is asked for without anything but the questions, and with a pilot of 300 people asked in the clear, none of whom
is tested. Every candidate that it names is tried, so that the one it puts first can be held against the best. All
models are tested on undisguised people who did not help to learn (a quarter of the data; Adult: its last 10,000).
Beside them: epsilon split evenly, the replies of the design advised without a pilot taken for the truth, guessing the
larger class, 500 people asked in the clear, and no disguise at all.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import deniable as dn
from accuracy_bayes import TARGET, car, census, mushroom, nursery, vote
from deniable.errors import DeniableError
from deniable.learn.base import Learner

RUNS = 4
FIRST_SEED = 8_417_000
EPSILONS = (1, 2, 4)
PILOT = 300
FEW = 500  # asked in the clear
DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- advice: begin -->", "<!-- advice: end -->"
BARS: Mapping[tuple[str, int], tuple[float, float]] = {  # what advice without a pilot must reach, two errors taken off
    ("adult", 1): (0.752, 0.765), ("adult", 2): (0.765, 0.794), ("adult", 4): (0.771, 0.817),
    ("nursery", 2): (0.611, 0.625), ("nursery", 4): (0.872, 0.869),
    ("mushroom", 2): (0.846, 0.773), ("mushroom", 4): (0.908, 0.919),
    ("vote", 2): (0.844, 0.868), ("vote", 4): (0.874, 0.889),
    ("car", 4): (0.740, 0.741),
}  # fmt: skip
MODELS: Mapping[str, Callable[[dn.Design | None], Learner]] = {
    "naive Bayes": dn.NaiveBayes,
    "pairwise": dn.PairwiseClassifier,
}
DATA: Mapping[str, Callable[[], pd.DataFrame]] = {
    "adult": census, "nursery": nursery, "mushroom": mushroom, "vote": vote, "car": car,
}  # fmt: skip
WITHOUT, WITH = "without a pilot", "with a pilot"
Rows = list[tuple[object, ...]]
COLUMNS = ["data", "epsilon", "replies", "run", "design", "model", "accuracy"]


def split(name: str, data: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """People who reply, a pilot among them, and people to test on."""
    if name == "adult":
        replying, test = data[:38_842].sample(10_000, random_state=seed), data[38_842:]
    else:
        mixed = data.sample(frac=1, random_state=seed, ignore_index=True)
        count = int(0.75 * len(mixed))
        replying, test = mixed[:count], mixed[count:]
    pilot = replying.sample(PILOT, random_state=seed + 1)
    if name == "vote":
        replying = replying.sample(2_000, replace=True, random_state=seed)
    return replying, pilot, test


def accuracies(design: dn.Design | None, people: pd.DataFrame, test: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """The share of test people about whom each model is right, after learning from people or from their replies."""
    for name, make in MODELS.items():
        model = make(design)
        try:
            clear = design is None
            fitted = model.fit(people.drop(columns=TARGET), people[TARGET]) if clear else model.fit(people)
            guessed = fitted.predict(test.drop(columns=TARGET))
        except DeniableError:
            guessed = np.full(len(test), people[TARGET].mode()[0])
        yield name, float((guessed == test[TARGET].to_numpy()).mean())


def believed(design: dn.Design) -> dn.Design:
    """The same design if its replies were the truth."""
    (block,) = design.blocks
    ask = len(block.versions[0].names) - 1
    if ask == len(design.names) - 1:
        return dn.Design([dn.clear(*design.questions)], target=TARGET)
    return dn.Design([dn.draw(1.0, *design.questions, always=[TARGET], ask=ask)], target=TARGET)


def run(name: str, data: pd.DataFrame, epsilon: float, seed: int) -> Iterator[tuple[str, str, float]]:
    """Design, model and accuracy of one run; advice itself comes as the designs of its name."""
    people, pilot, test = split(name, data, seed)
    questions = [dn.Question(each, sorted(map(str, data[each].unique()))) for each in data.columns]
    advice = {
        WITHOUT: dn.advise(questions, epsilon, len(people), TARGET),
        WITH: dn.advise(questions, epsilon, len(people), TARGET, pilot),
    }
    for key, design in (advice[WITHOUT].designs | advice[WITH].designs).items():
        replies = dn.disguise(design, people, seed=seed)
        found = dict(accuracies(design, replies, test))
        yield from ((key, model, each) for model, each in found.items())
        for how, made in advice.items():
            if made.best == key:
                yield from ((how, model, each) for model, each in found.items())
        if key == advice[WITHOUT].best:
            yield from (("uncorrected", *each) for each in accuracies(believed(design), replies, test))
    for model in MODELS:
        yield "guessing", model, float((test[TARGET] == people[TARGET].mode()[0]).mean())
    yield from (("500 in the clear", *each) for each in accuracies(None, people[:FEW], test))
    yield from (("no disguise", *each) for each in accuracies(None, people, test))


def runs(name: str) -> pd.DataFrame:
    """All figures of a data set, run by run."""
    data = DATA[name]().astype(str)
    rows: Rows = []
    for epsilon in EPSILONS:
        for index in range(RUNS):
            found = list(run(name, data, epsilon, FIRST_SEED + index))
            rows += [(name, epsilon, index, *each) for each in found]
            sys.stderr.write(f"{name}, epsilon {epsilon}: run {index + 1}\n")
    return pd.DataFrame(rows, columns=["data", "epsilon", "run", "design", "model", "accuracy"])


def figure(values: pd.Series) -> str:
    """A mean and its standard error over runs."""
    error = values.std() / np.sqrt(len(values))
    return f"{values.mean():.3f} ({error:.3f})".replace("0.", ".")


def reached_table(found: pd.DataFrame) -> str:
    """What each case and model reaches, beside what it must."""
    heads = [WITHOUT, "to reach", WITH, "split evenly", "uncorrected", "guessing", "500 in the clear", "no disguise"]
    lines = [f"| data | epsilon | model | {' | '.join(heads)} |", "|---" * (3 + len(heads)) + "|"]
    for (data, epsilon), case in found.groupby(["data", "epsilon"], sort=False):
        for index, model in enumerate(MODELS):
            own = case[case.model == model].groupby("design").accuracy
            cells = {key: figure(values) for key, values in own}
            bar = BARS.get((str(data), int(str(epsilon))))
            cells["to reach"] = "" if bar is None else f"{bar[index]:.3f}".replace("0.", ".")
            lines.append(f"| {data} | {epsilon} | {model} | {' | '.join(cells.get(head, '') for head in heads)} |")
    return "\n".join(lines)


def regrets(case: pd.DataFrame) -> tuple[str, float, float, float]:
    """The best candidate by its mean over runs, that mean, and how much less advice reaches, without and with a pilot.

    Without a pilot only those candidates count that need none. Of two models the better one counts.
    """
    best = case.groupby(["run", "design"]).accuracy.max().unstack()
    asks = [key for key in map(str, best.columns) if key.startswith(("split", "ask"))]
    plain = [key for key in asks if "strongest" not in key and "merged" not in key]
    means = best.mean()
    first = str(means[asks].idxmax())
    return (
        first, means[first], means[plain].max() - means[WITHOUT], means[asks].max() - means[WITH],
    )  # fmt: skip


def regret_table(found: pd.DataFrame) -> str:
    """How far advice is from the best of all candidates."""
    heads = ["data", "epsilon", "best candidate", "its accuracy", f"advice {WITHOUT} is below", f"{WITH}"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for (data, epsilon), case in found.groupby(["data", "epsilon"], sort=False):
        first, mean, without, with_pilot = regrets(case)
        row = [data, epsilon, first, *(f"{each:.3f}".replace("0.", ".") for each in (mean, without, with_pilot))]
        lines.append(f"| {' | '.join(map(str, row))} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the tables into the docs."""
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or list(DATA)
    found = pd.concat([runs(name) for name in wanted], ignore_index=True)
    text = f"{reached_table(found)}\n\n{regret_table(found)}"
    sys.stdout.write(f"{text}\n")
    if set(wanted) == set(DATA):
        page = DOCS / "accuracy.md"
        before, _, rest = page.read_text().partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
