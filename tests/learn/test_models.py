"""Models survive a file, and hostile files do not survive the reader."""

import copy
import json

import numpy as np
import pandas as pd
import pytest

import deniable as dn
from deniable.errors import BadModel, DeniableError
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.load import load_model

DESIGN = dn.Design([
    dn.warner(0.9, dn.yes_no("a"), dn.yes_no("t")),
    dn.k_ary(0.9, dn.Question("color", ["red", "green", "blue"])),
    dn.clear(dn.number("age", 18, 80, integer=True)),
], target="t")  # fmt: skip


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    color, age = rng.choice(["red", "green", "blue"], 5000), rng.integers(18, 81, 5000)
    a = np.where(rng.random(5000) < 0.5, "yes", "no")
    t = np.where((color == "red") ^ (age > 50), a, "no")
    return pd.DataFrame({"a": a, "color": color, "age": age, "t": t})


@pytest.fixture(scope="module")
def tree(people):
    replies = dn.disguise(DESIGN, people, seed=1)
    return TreeClassifier(DESIGN, criterion="gini", method="inverse").fit(replies.drop(columns="t"), replies["t"])


@pytest.fixture
def document(tree, tmp_path):
    tree.save(tmp_path / "tree.json")
    return json.loads((tmp_path / "tree.json").read_text())


def loaded(document, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return load_model(path)


def test_a_loaded_tree_predicts_the_same(tree, document, tmp_path, people):
    again, answers = loaded(document, tmp_path), people.drop(columns="t")
    assert np.array_equal(again.predict(answers), tree.predict(answers))
    assert np.allclose(again.predict_proba(answers), tree.predict_proba(answers))
    assert document["design"] == DESIGN.fingerprint


def test_an_undisguised_tree_survives_a_file_too(tmp_path, people):
    answers = people[["age"]].assign(double=people["age"] * 2.5)
    tree = TreeClassifier().fit(answers, people["t"])
    tree.save(tmp_path / "plain.json")
    assert np.array_equal(load_model(tmp_path / "plain.json").predict(answers), tree.predict(answers))


def nodes_of(tree):
    found, pending = [], [tree.tree_]
    while pending:
        found.append(pending.pop())
        pending += found[-1].children
    return found


def test_standard_errors_survive_a_file(tree, document, tmp_path):
    pairs = list(zip(nodes_of(tree), nodes_of(loaded(document, tmp_path)), strict=True))
    assert len(pairs) > 3
    for node, again in pairs:
        assert len(node.stderrs) == 3
        assert np.array_equal(again.stderrs, node.stderrs)


@pytest.mark.parametrize("forget", [lambda node: node.pop("stderrs"), lambda node: node.update(stderrs=None)])
def test_files_without_standard_errors_are_read(document, tmp_path, forget):
    for node in document["nodes"]:
        forget(node)
    assert all(node.stderrs is None for node in nodes_of(loaded(document, tmp_path)))


def first_split(document):
    return next(node for node in document["nodes"] if "question" in node)


def cycle(document):
    first_split(document)["children"][0] = 0


def orphan(document):
    document["nodes"].append(copy.deepcopy(document["nodes"][-1]))


HOSTILE = {
    "cycle": (cycle, "whose child is 0"),
    "orphan": (orphan, "no other leads to"),
    "many nodes": (lambda document: document.update(nodes=document["nodes"][-1:] * 100_001), "100,001 nodes"),
    "no nodes": (lambda document: document.update(nodes=[]), "0 nodes"),
    "unknown question": (lambda document: first_split(document).update(question=99), "question number 99"),
    "impossible cell": (lambda document: first_split(document)["parts"][0].append(10**9), "impossible way"),
    "empty part": (lambda document: first_split(document)["parts"][0].clear(), "impossible way"),
    "not a number": (lambda document: document["nodes"][0]["shares"].__setitem__(0, "nan"), "finite number, got 'nan'"),
    "numbers beyond counting": (
        lambda document: document["nodes"][0]["counts"].__setitem__(0, 10**400),
        "finite number",
    ),
    "negative counts": (lambda document: document["nodes"][0]["counts"].__setitem__(0, -1), "negative counts"),
    "negative errors": (lambda document: document["nodes"][0]["stderrs"].__setitem__(0, -1), "negative stderrs"),
    "endless errors": (lambda document: document["nodes"][0]["stderrs"].__setitem__(0, 1e999), "is no number"),
    "errors of words": (lambda document: document["nodes"][0]["stderrs"].__setitem__(0, "a"), "finite number, got 'a'"),
    "errors of no list": (lambda document: document["nodes"][0].update(stderrs=3), "a list of stderrs, got int"),
    "too few errors": (lambda document: document["nodes"][0]["stderrs"].pop(), "2 standard errors at a node of 2"),
    "nodes of numbers": (lambda document: document.update(nodes=[1]), "a table as a node, got int"),
    "columns of numbers": (lambda document: document.update(columns=[1]), "a table as a column, got int"),
    "classes of lists": (lambda document: document.update(classes=[[1], [2]]), r"finite number, got \[1\]"),
    "no classes": (lambda document: document.pop("classes"), "a list of classes, got NoneType"),
    "too few shares": (lambda document: document["nodes"][0]["shares"].pop(), "without shares of 2 classes"),
    "other version": (lambda document: document.update(deniable_model=2), "version 1, got 2"),
    "other kind": (lambda document: document.update(kind="forest"), "the kind 'forest'"),
    "no columns": (lambda document: document.update(columns=None), "a list of columns, got NoneType"),
}


@pytest.mark.parametrize("harm", HOSTILE)
def test_hostile_models_are_refused_by_name(document, tmp_path, harm):
    change, complaint = HOSTILE[harm]
    change(document)
    with pytest.raises(BadModel, match=complaint):
        loaded(document, tmp_path)


@pytest.mark.parametrize("text", ["", "[1]", "NaN", '{"deniable_model": NaN}', "[" * 100_000, "\x00"])
def test_what_is_no_model_at_all_is_refused(tmp_path, text):
    with pytest.raises(BadModel):
        loaded(text, tmp_path)


@pytest.mark.parametrize("learner", [dn.TreeClassifier, dn.NaiveBayes])
def test_a_method_for_disguised_replies_is_refused_where_no_design_disguises(learner):
    with pytest.raises(DeniableError, match="give the design, or use auto"):
        learner(method="byclass").fit([["a"], ["b"]], ["x", "y"])
