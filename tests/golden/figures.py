"""Every kind of figure on every kind of design, from replies that do not change.

The replies lie beside this file, so a figure depends on nothing but the code that works it out. Closed forms are held
to 1e-9, iterative fits to 1e-6 with the same tree, those under noise to 1e-3. Their bootstraps run until the slowest of
them stops, which is a matter of rounding, and so of the processor: intervals under noise are held to 1e-2.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import deniable as dn
from deniable.learn.model import text_of

HERE = Path(__file__).parent
DESIGNS = ["separate", "groups", "drawn", "mixed", "noise", "clear"]
CLOSED, FITTED, UNDER_NOISE, BOOTSTRAPPED = 1e-9, 1e-6, 1e-3, 1e-2
REFUSED = "refused"
FEW = 20  # rules that are looked at, and people whose class is predicted
METHODS = ["auto", "inverse", "bayes", "latent", "pairs", "global", "byclass", "local", "joint", "none"]
ASKED = {
    "separate": ["smokes == 'yes'", "smokes == 'yes' and drinks >= 'weekly'", "leave == 'yes' or age >= 55"],
    "groups": [
        "smokes == 'yes'",
        "smokes == 'yes' and leave == 'yes' and gym == 'no'",
        "night == 'yes' or not gym == 'yes'",
    ],
    "drawn": ["drinks == 'daily'", "drinks == 'daily' and leave == 'yes'", "smokes == 'yes' or leave == 'no'"],
    "mixed": [
        "smokes == 'yes'",
        "night == 'yes' and drinks == 'never'",
        "region in ('east', 'west') and leave == 'yes'",
    ],
    "noise": ["age > 50", "age > 50 and leave == 'yes'", "income < 2000 and smokes == 'yes'"],
    "clear": ["smokes == 'yes'", "smokes == 'yes' and age > 50", "drinks == 'daily' or night == 'yes'"],
}


def design_of(name: str) -> dn.Design:
    """A design of the set."""
    return dn.Design.load(HERE / f"{name}.toml")


def replies_of(name: str) -> pd.DataFrame:
    """The replies under it; numbers in the clear are whole."""
    return pd.read_csv(HERE / f"{name}.csv")


def people() -> pd.DataFrame:
    """Some people, as they truly are."""
    return pd.read_csv(HERE / "people.csv")


def figures(name: str) -> Iterator[tuple[str, float, Any]]:
    """Each figure of one design: what it is, how closely it must be met, and itself."""
    design, replies = design_of(name), replies_of(name)
    answers = [question for question in design.questions if not question.is_number]
    numbers = [question.name for question in design.questions if question.is_number]
    value, interval = (UNDER_NOISE, BOOTSTRAPPED) if name == "noise" else (CLOSED, CLOSED)
    yield "fingerprint", CLOSED, design.fingerprint
    for text in ASKED[name]:
        found = _estimate(dn.estimate(design, replies, text))
        yield f"estimate {text}", interval, found
        yield f"value of {text}", value, found["value"]
    yield "given", CLOSED, _estimate(dn.estimate(design, replies, "leave == 'yes'", given="smokes == 'yes'"))
    for percent in (None, "row", "column"):
        frame = dn.table(design, replies, ["smokes", "leave"], percent=percent)
        yield f"table, percent {percent}", CLOSED, _frame(frame)
    test = dn.association(design, replies, "smokes", "leave")
    yield "association", CLOSED, {"p_value": test.p_value, "n": test.n}
    for number in numbers:
        yield f"mean {number}", CLOSED, _estimate(dn.mean(design, replies, number, given="smokes == 'yes'"))
        yield f"median {number}", UNDER_NOISE, _estimate(dn.quantile(design, replies, number, 0.5))
        if design.channel(number).has_noise:
            yield f"reconstruct {number}", UNDER_NOISE, _frame(dn.reconstruct(design, replies, number, by="leave"))
    items = [question.name for question in answers]
    yield "itemsets", CLOSED, _frame(dn.itemsets(design, replies, min_support=0.2, items=items))
    rules = dn.rules(design, replies, min_support=0.1, min_confidence=0.5, items=items)
    yield "rules", CLOSED, sorted(_frame(rules), key=lambda row: (row["antecedents"], row["consequents"]))[:FEW]
    yield from _models(design, replies)


def _models(design: dn.Design, replies: pd.DataFrame) -> Iterator[tuple[str, float, Any]]:
    target = design.target
    features, told = replies[[name for name in design.names if name != target]], replies[target]
    true = people()[features.columns]
    for method in METHODS:
        grown = _tried(lambda method=method: dn.TreeClassifier(design, method=method, max_depth=4).fit(features, told))
        yield f"tree, {method}", CLOSED if method in ("inverse", "none") else FITTED, _model(grown, true)
        if grown != REFUSED and method in ("auto", "inverse", "none"):
            yield f"score of tree, {method}", UNDER_NOISE, _estimate(dn.score(grown, design, replies))
    for stop in ("faithful", "gini"):
        settings: dict[str, Any] = {"stop": None} if stop == "faithful" else {"criterion": "gini"}
        grown = _tried(lambda settings=settings: dn.TreeClassifier(design, max_depth=2, **settings).fit(features, told))
        yield f"tree, {stop}", FITTED, _model(grown, true)
    for smoothing in ("auto", "laplace", None):
        fitted = _tried(lambda smoothing=smoothing: dn.NaiveBayes(design, smoothing=smoothing).fit(features, told))
        yield f"naive Bayes, {smoothing}", CLOSED if smoothing != "auto" else FITTED, _model(fitted, true)
    model = _tried(lambda: dn.PairwiseClassifier(design).fit(features, told))
    yield "pairwise", FITTED, model if model == REFUSED else model.predict_proba(true).tolist()
    bayes = _tried(lambda: dn.NaiveBayes(design).fit(features, told))
    if bayes != REFUSED:
        confused = _tried(lambda: dn.confusion(bayes, design, replies))
        yield "confusion of naive Bayes", FITTED, (
            confused if confused == REFUSED
            else {" as ".join(pair): _estimate(cell) for pair, cell in confused.cells.items()}
        )  # fmt: skip


def _tried(make: Callable[[], Any]) -> Any:
    """What is made, or REFUSED: the words of a refusal are looked at elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make()
        except dn.DeniableError:
            return REFUSED


def _estimate(found: dn.Estimate) -> dict[str, Any]:
    return {key: getattr(found, key) for key in ("value", "stderr", "low", "high", "n", "method")}


def _frame(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{key: _plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return value.item() if hasattr(value, "item") else value


def _model(model: Any, true: pd.DataFrame) -> Any:
    """A model file, and what the model says of some people."""
    if model == REFUSED:
        return REFUSED
    return {"file": json.loads(text_of(model)), "predicted": model.predict(true).tolist()}
