"""Model files that anybody may have written: each one is refused in one line, or loads and predicts soundly."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.cli.main import run
from deniable.count.replies import counts_of
from deniable.errors import BadModel, DeniableError
from deniable.learn.load import model_in
from deniable.learn.model import text_of
from deniable.report.bayes_tables import bayes_rows
from deniable.report.tree_text import tree_text

DESIGN = dn.Design([
    dn.warner(0.9, dn.yes_no("a")),
    dn.k_ary(0.9, dn.Question("color", ["red", "green", "blue"], optional=True)),
    dn.clear(dn.number("age", 18, 80, integer=True, cuts=[30, 50], omit=True)),
    dn.clear(dn.yes_no("t")),
], target="t")  # fmt: skip
WRONG = [
    *(None, True, 0, 1, -1, 7, 0.5, 1e308, -1e308, 10**25, 10**400, "", "x", "nan", "é\0"),
    *([], [None], [0], ["a", "a"], {}, {"name": "a", "words": ["b"]}),
]


def people():
    rng = np.random.default_rng(3)
    color, age = rng.choice(["red", "green", "blue"], 3000), rng.integers(18, 81, 3000)
    a = np.where(rng.random(3000) < 0.5, "yes", "no")
    t = np.where((color == "red") ^ (age > 50), a, "no")
    return pd.DataFrame({"a": a, "color": color, "age": age.astype(float), "t": t})


PEOPLE = people()
REPLIES = dn.disguise(DESIGN, PEOPLE, seed=1)
FEW = PEOPLE.iloc[:5].drop(columns="t")
TEST = counts_of(DESIGN, REPLIES.iloc[:50])
MODELS = {
    "tree": lambda: dn.TreeClassifier(DESIGN, max_depth=2).fit(REPLIES.drop(columns="t"), REPLIES["t"]),
    "bayes": lambda: dn.NaiveBayes(DESIGN).fit(REPLIES.drop(columns="t"), REPLIES["t"]),
    "plain tree": lambda: dn.TreeClassifier(max_depth=2).fit(PEOPLE.drop(columns="t"), PEOPLE["t"]),
    "plain bayes": lambda: dn.NaiveBayes(cells=3).fit(PEOPLE.drop(columns="t"), PEOPLE["t"]),
}


@pytest.fixture(scope="module", params=MODELS)
def document(request):
    return json.loads(text_of(MODELS[request.param]()))


def indices(value, path=()):
    """The path to every place of a document; of a long list, to its first and last."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from indices(value[key], (*path, key))
    elif isinstance(value, list):
        for index in (
            sorted({0, len(value) - 1} & set(range(len(value)))) if path != ("columns",) else range(len(value))
        ):
            yield from indices(value[index], (*path, index))


def changed(text, path, change):
    """The document of a text, with a place in it changed."""
    whole = [json.loads(text)]
    at, key = whole, 0
    for step in path:
        at, key = at[key], step
    change(at, key)
    return whole[0]


def put(value):
    return lambda at, key: at.__setitem__(key, value)


def leave_out(at, key):
    del at[key]


def twice(at, key):
    at.append(copy.deepcopy(at[key])) if isinstance(at, list) else at.__setitem__(f"{key} ", at[key])


def backwards(at, key):
    at[key] = at[key][::-1] if isinstance(at[key], list | str) else at[key]


def told(ask):
    """What is answered, or the refusal."""
    try:
        return ask()
    except DeniableError as error:
        return error


def check(text):
    """Whether a model loads, in which case it predicts, tells of itself, and is saved and tested like any other."""
    model = told(lambda: model_in(text, "here.json"))
    if isinstance(model, DeniableError):
        assert isinstance(model, BadModel)
        assert str(model).startswith("here.json: ")
        assert "\n" not in str(model)
        return False
    names = list(model.columns_.names)
    answers = FEW.reindex(columns=names) if hasattr(model, "feature_names_in_") else FEW.to_numpy()
    chances = told(lambda: model.predict_proba(answers)) if set(names) <= set(FEW) else None
    if isinstance(chances, np.ndarray):
        assert chances.shape == (len(FEW), len(model.classes_))
        assert ((chances >= 0) & (chances <= 1 + 1e-6)).all()
        assert np.allclose(chances.sum(axis=1), 1, atol=1e-6)
    assert tree_text(model) if hasattr(model, "tree_") else bayes_rows(model)
    assert text_of(model_in(text_of(model))) == text_of(model)
    accuracy = told(lambda: dn.score(model, DESIGN, TEST))
    if not isinstance(accuracy, DeniableError):
        assert np.isfinite([accuracy.value, accuracy.stderr, accuracy.low, accuracy.high]).all()
    return True


@pytest.mark.filterwarnings("ignore:X has feature names")  # a model of arrays, tested on a frame
def test_wrong_values_in_every_place_of_a_model_file(document, figure):
    loaded, refused, surprises, text = 0, 0, [], json.dumps(document)
    for path in list(indices(document))[1:]:
        for value in [put(each) for each in WRONG] + [leave_out, twice, backwards]:
            spoiled = changed(text, path, value)
            if spoiled == document:
                continue
            try:
                found = check(json.dumps(spoiled))
                loaded, refused = loaded + found, refused + (not found)
            except BaseException as error:
                surprises.append((path, repr(error)[:150]))
    figure(f"hostile models: {document['kind']} files spoiled in every place", loaded + refused)
    assert surprises == []
    assert refused > loaded


def test_a_tree_of_any_depth_is_read():
    """Two thousand nodes in one line: nothing here goes down a tree by calling itself."""
    deep = json.loads(text_of(MODELS["plain tree"]()))
    leaf = {"shares": [1.0, 0.0], "counts": [1.0, 0.0], "stderrs": None, "note": ""}
    index = next(index for index, each in enumerate(deep["columns"]) if each["name"] == "color")
    parts = {"question": index, "gain": 0.0, "parts": [[0], [1, 2]]}
    nodes = []
    for _ in range(1000):
        nodes += [{**leaf, **parts, "children": [len(nodes) + 1, len(nodes) + 2]}, leaf]
    assert check(json.dumps({**deep, "nodes": [*nodes, leaf]}))


HOSTILE = {
    "kind": [["tree"], "holds a model of the kind"],
    "target": [["t"], "needs a text as the target, got list"],
    "classes": [["no", 1], "needs two classes or more, of one kind"],
    "named": ["yes", "needs true or false as named, got str"],
    "columns": [[{"name": "a", "words": []}], "has a column without words"],
    "nodes": [[{"shares": [0.2, 0.2], "counts": [1, 1]}], "has a node whose shares sum to 0.4"],
}


@pytest.mark.parametrize("key", HOSTILE)
@pytest.mark.parametrize(
    "command", ["predict model.json people.csv -o told.csv", "score design.toml model.json people.csv"]
)
def test_commands_refuse_them_in_one_line(key, command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    value, problem = HOSTILE[key]
    (tmp_path / "model.json").write_text(json.dumps({**json.loads(text_of(MODELS["plain tree"]())), key: value}))
    DESIGN.save(tmp_path / "design.toml")
    PEOPLE.to_csv("people.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        run(command.split())
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith(f"deniable: model.json: {problem}")
    assert len(err.splitlines()) == 1


def test_a_model_of_no_columns_is_refused(document):
    """It would load as a single leaf, and fail at the first prediction."""
    leaf = {key: value for key, value in document.get("nodes", [{}])[0].items() if key not in ("question", "children")}
    spoiled = {**document, "columns": [], **({"nodes": [leaf]} if "nodes" in document else {"chances": []})}
    with pytest.raises(BadModel, match="has no columns; save the model again"):
        model_in(json.dumps(spoiled))
