"""What versions buy at one epsilon of the whole reply: the last tables of docs/accuracy.md, and their chart.

    make accuracy

Each respondent answers the target and one or two other questions, drawn in the open, in one joint draw; beside it is
the design that splits the same epsilon evenly over a lottery for each question. All models are tested on undisguised
people who did not help to learn (a quarter of the data; Adult: its last 10,000). Beside them are the same replies taken
for the truth, guessing the larger class, a pilot of 500 people asked in the clear, and no disguise at all.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
from sklearn.metrics import mutual_info_score

import deniable as dn
from accuracy_bayes import TARGET, census, mushroom, nursery, vote
from deniable.errors import DeniableError
from deniable.learn.base import Learner

RUNS = 5
FIRST_SEED = 1_535_000
PILOT = 500
STRONGEST = 6  # questions of Adult
DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"

MODELS: Mapping[str, Callable[[dn.Design | None], Learner]] = {
    "naive Bayes": dn.NaiveBayes,
    "pairwise": dn.PairwiseClassifier,
    "tree": dn.TreeClassifier,
}
Case = tuple[str, float, tuple[int, ...], int | None]  # data, epsilon, asked beside the target, replies
CASES: tuple[Case, ...] = (
    ("vote", 8.5, (1, 2), None),
    ("nursery", 4.5, (1, 2), None),
    ("nursery", 9, (1, 2), None),
    ("mushroom", 5.5, (1, 2), None),
    ("mushroom", 11, (1, 2), None),
    ("adult", 2, (2,), 10_000),
    ("adult", 2, (2,), 38_842),
    ("adult", 4, (3,), 10_000),
    ("adult", 4, (3,), 38_842),
)
DATA: Mapping[str, Callable[[], pd.DataFrame]] = {
    "vote": vote, "nursery": nursery, "mushroom": mushroom, "adult": census,
}  # fmt: skip


def split(name: str, data: pd.DataFrame, seed: int, replies: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People to learn from and people to test on."""
    if name != "adult":
        mixed = data.sample(frac=1, random_state=seed, ignore_index=True)
        count = int(0.75 * len(mixed))
        return mixed[:count], mixed[count:]
    train, test = data[:38_842], data[38_842:]
    train = train.sample(min(replies or len(train), len(train)), random_state=seed)
    told = {each: mutual_info_score(train[each], train[TARGET]) for each in data.columns if each != TARGET}
    kept = [*sorted(told, key=lambda each: -told[each])[:STRONGEST], TARGET]
    return train[kept], test[kept]


def designs(data: pd.DataFrame, epsilon: float, asks: tuple[int, ...]) -> Iterator[tuple[str, dn.Design, dn.Design]]:
    """Every design by name, and the same one if its replies were the truth."""
    questions = [dn.Question(name, sorted(map(str, data[name].unique()))) for name in data.columns]
    each = dn.epsilon(epsilon / len(questions))
    alone = dn.Design([dn.k_ary(each, question) for question in questions], target=TARGET)
    yield "split evenly", alone, dn.Design([dn.clear(*questions)], target=TARGET)
    for ask in asks:
        told = [
            dn.Design([dn.draw(theta, *questions, always=[TARGET], ask=ask)], target=TARGET)
            for theta in (dn.epsilon(epsilon), 1.0)
        ]
        yield f"ask {ask}", told[0], told[1]


def accuracies(model: Learner, train: pd.DataFrame, test: pd.DataFrame) -> float:
    """The share of test people about whom a model is right, after learning."""
    try:
        clear = model.design is None
        fitted = model.fit(train.drop(columns=TARGET), train[TARGET]) if clear else model.fit(train)
    except DeniableError:
        return float((test[TARGET] == train[TARGET].mode()[0]).mean())
    return float((fitted.predict(test.drop(columns=TARGET)) == test[TARGET]).mean())


def runs(case: Case) -> pd.DataFrame:
    """All figures of a case, run by run."""
    name, epsilon, asks, replies = case
    data = DATA[name]().astype(str)
    rows = []
    for seed in range(FIRST_SEED, FIRST_SEED + RUNS):
        train, test = split(name, data, seed, replies)
        found = {("guessing", ""): float((test[TARGET] == train[TARGET].mode()[0]).mean())}
        for model, make in MODELS.items():
            found["pilot", model] = accuracies(make(None), train[:PILOT], test)
            found["no disguise", model] = accuracies(make(None), train, test)
            for design, real, believed in designs(data[train.columns], epsilon, asks):
                disguised = dn.disguise(real, train, seed=seed)
                found[design, model] = accuracies(make(real), disguised, test)
                found[f"{design}, uncorrected", model] = accuracies(make(believed), disguised, test)
        rows += [(name, epsilon, len(train), *key, seed, value) for key, value in found.items()]
        sys.stderr.write(f"{name}, epsilon {epsilon:g}, {len(train):,} replies: run {seed - FIRST_SEED + 1}\n")
    return pd.DataFrame(rows, columns=["data", "epsilon", "replies", "design", "model", "seed", "accuracy"])


def figure(values: pd.Series) -> str:
    """A mean and its standard error over runs."""
    error = values.std() / np.sqrt(len(values))
    return f"{values.mean():.3f} ({error:.3f})".replace("0.", ".")


def table(found: pd.DataFrame) -> str:
    """One row per case and model."""
    heads = ["split evenly", "ask 1", "ask 2", "ask 3", "uncorrected", "guessing", "pilot", "no disguise"]
    lines = [f"| data | replies | epsilon | model | {' | '.join(heads)} |", "|---" * (4 + len(heads)) + "|"]
    for (data, epsilon, replies), case in found.groupby(["data", "epsilon", "replies"], sort=False):
        asked = sorted({each for each in case.design if each.startswith("ask") and "," not in each})
        guess = case[case.design == "guessing"].accuracy
        for model in MODELS:
            own = case[case.model == model].groupby("design").accuracy.apply(list)
            cells = {each: figure(pd.Series(own[each])) for each in own.index if "," not in each}
            cells["uncorrected"] = " ".join(figure(pd.Series(own[f"{each}, uncorrected"])) for each in asked)
            cells["guessing"] = figure(guess)
            row = [str(data), f"{replies:,}", f"{epsilon:g}", model, *(str(cells.get(head, "")) for head in heads)]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def chart(found: pd.DataFrame) -> alt.TopLevelMixin:
    """Mean accuracy of every design and model, case by case."""
    shown = found[~found.design.str.contains(",")].copy()
    shown["case"] = [f"{row.data}, epsilon {row.epsilon:g}, {row.replies:,} replies" for row in shown.itertuples()]
    shown["model"] = shown.model.replace("", "none")
    shown["kind"] = shown.design.where(~shown.design.str.startswith("ask"), "versions: " + shown.design)
    order = [
        "guessing",
        "pilot",
        "split evenly",
        "versions: ask 1",
        "versions: ask 2",
        "versions: ask 3",
        "no disguise",
    ]
    points = alt.Chart(shown).mark_point(filled=True, size=60, opacity=0.8).encode(
        x=alt.X("mean(accuracy):Q", title="accuracy", scale=alt.Scale(zero=False)),
        y=alt.Y("kind:N", title=None, sort=order),
        color=alt.Color("model:N", title="model", sort=[*MODELS, "none"]),
        shape=alt.Shape("model:N", title="model", sort=[*MODELS, "none"]),
    )  # fmt: skip
    facet = alt.Facet("case:N", title=None, sort=list(dict.fromkeys(shown["case"])))
    made: alt.TopLevelMixin = (
        points.properties(width=300, height=120).facet(facet, columns=2).resolve_scale(y="independent")
    )
    return made


def main() -> None:
    """Measure, and write table and chart into the docs."""
    warnings.simplefilter("ignore")
    wanted = set(sys.argv[1:]) or set(DATA)
    found = pd.concat([runs(case) for case in CASES if case[0] in wanted], ignore_index=True)
    text = table(found)
    sys.stdout.write(f"{text}\n")
    if wanted == set(DATA):
        page = DOCS / "accuracy.md"
        before, _, rest = page.read_text().partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}")
        chart(found).save(str(DOCS / "pictures" / "versions.png"), scale_factor=1.5)


if __name__ == "__main__":
    main()
