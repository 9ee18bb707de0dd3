"""Models as files: versioned JSON, never a pickle.

A model file may come from anybody, so reading one checks everything before anything is built: the version, the
number of nodes, every index, and that all figures are finite. Nodes stand before their children, which rules out
cycles.
"""

import json
from collections.abc import Mapping
from io import StringIO, TextIOBase
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from deniable.errors import BadModel, BadQuestion
from deniable.learn.care import Care
from deniable.learn.columns import Columns, PlainColumns, QuestionColumns
from deniable.learn.tree.grow import Node
from deniable.learn.tree.splitter import Split
from deniable.survey.question import Question
from deniable.survey.range import Range, interval_words
from deniable.survey.spelling import decimal
from deniable.survey.whole import is_whole

VERSION = 1
MAX_NODES = 100_000
MAX_BYTES = 64 * 2**20
SHARES_OFF = 1e-6  # how far the sum of shares may be from 1


def text_of(learner: Any) -> str:
    """The text that a learner saves."""
    written = StringIO()
    learner.save(written)
    return written.getvalue()


def write(document: Mapping[str, Any], path: str | PathLike[str] | TextIOBase) -> None:
    """Write a model file, or into one that is open."""
    text = json.dumps({"deniable_model": VERSION, **document}, allow_nan=False)
    if isinstance(path, TextIOBase):
        path.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadModel(path, f"cannot be written ({error.strerror})", "choose another place") from error


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a model file and check what it is."""
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise BadModel(path, f"is larger than {MAX_BYTES >> 20} MB", "no model of ours is so large")
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadModel(path, f"cannot be read ({error.strerror})", "check the path") from error
    return parsed(path, content)


def parsed(path: object, content: str | bytes) -> dict[str, Any]:
    """The document in a model file; `path` names the file in error messages."""
    try:
        document = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadModel(path, f"is not a JSON file ({str(error)[:80]})", "save the model again") from error
    if not isinstance(document, dict) or document.get("deniable_model") != VERSION:
        found = document.get("deniable_model") if isinstance(document, dict) else type(document).__name__
        raise BadModel(path, f"is no model file of version {VERSION}, got {found!r}", "save the model again")
    return document


def head(learner: Any, kind: str) -> dict[str, Any]:
    """The fields of every model file: kind, design, method, target, classes and columns."""
    check_is_fitted(learner)
    return {
        "kind": kind,
        "design": None if learner.design is None else learner.design.fingerprint,
        "method": learner.method_,
        "target": learner.target_,
        "classes": learner.classes_.tolist(),
        "named": hasattr(learner, "feature_names_in_"),
        "columns": columns_document(learner.columns_),
        **({"note": learner.note_} if learner.note_ else {}),
    }


def restore(learner: Any, path: object, document: Mapping[str, Any]) -> None:
    """Set a learner's attributes from the fields of every model file."""
    with_care = Care(path)
    learner.classes_ = classes_of(path, document.get("classes"))
    learner.columns_ = columns_of(path, document.get("columns"))
    learner.n_features_in_ = len(learner.columns_.names)
    if with_care.flag(document.get("named"), "named"):
        learner.feature_names_in_ = np.array(learner.columns_.names, dtype=object)
    target = document.get("target")  # a column of a frame may be called by a number
    learner.target_ = target if target is None or is_whole(target) else with_care.text(target, "the target")
    learner.method_ = with_care.text(document.get("method", ""), "the method")
    learner.note_ = with_care.text(document.get("note", ""), "a note")


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number")


# ---------------------------------------------------------------- columns


def columns_document(columns: Columns) -> list[dict[str, Any]]:
    """The columns of a learner, as JSON."""
    if isinstance(columns, PlainColumns):
        return [
            {"name": name, "numbers": [decimal(mark) for mark in marks]}
            if number
            else {"name": name, "words": marks.tolist()}
            for name, marks, number in zip(columns.names, columns.marks, columns.ordered, strict=True)
        ]
    assert isinstance(columns, QuestionColumns)
    return [_question_document(question) for question in columns.questions]


def columns_of(path: object, documents: Any) -> Columns:
    """The columns that a model file describes."""
    with_care = Care(path)
    documents = [with_care.table(document, "a column") for document in with_care.list(documents, "columns")]
    if not documents:
        raise BadModel(path, "has no columns", "save the model again")
    if any("answers" in document for document in documents):
        questions = tuple(_question_of(with_care, document) for document in documents)
        with_care.different((question.name for question in questions), "a question of one name")
        return QuestionColumns(questions)
    names = tuple(with_care.text(document.get("name"), "a column's name") for document in documents)
    with_care.different(names, "a column of one name")
    ordered = tuple("numbers" in document for document in documents)
    marks = [_numbers(with_care, each) if "numbers" in each else _words(with_care, each) for each in documents]
    return PlainColumns(names, tuple(marks), ordered)


def _numbers(with_care: Care, document: Mapping[str, Any]) -> NDArray[np.float64]:
    marks = [with_care.number(mark) for mark in with_care.list(document["numbers"], "numbers")]
    with_care.rising(marks, "numbers")
    return np.array(marks, dtype=float)


def _words(with_care: Care, document: Mapping[str, Any]) -> NDArray[np.str_]:
    words = np.array([with_care.text(word, "a word") for word in with_care.list(document.get("words"), "words")], str)
    if not len(words):
        raise BadModel(with_care.path, "has a column without words", "save the model again")
    with_care.different(words.tolist(), "a word")
    with_care.rising(words.tolist(), "words")
    return words


def _question_document(question: Question) -> dict[str, Any]:
    document: dict[str, Any] = {"name": question.name, "answers": list(question.answers), "ordered": question.ordered}
    if question.optional:
        document["optional"] = True
    if question.range is not None:
        limits = question.range
        document["range"] = [decimal(limits.low), decimal(limits.high)]
        document |= {"edges": [decimal(edge) for edge in limits.edges], "integer": limits.integer}
        if question.omit:
            document["omit"] = True
    return document


def _question_of(with_care: Care, document: Mapping[str, Any]) -> Question:
    name = with_care.text(document.get("name"), "a question's name")
    answers = [with_care.text(answer, "an answer") for answer in with_care.list(document.get("answers"), "answers")]
    ordered, optional, integer, omit = (
        with_care.flag(document.get(key), key) for key in ("ordered", "optional", "integer", "omit")
    )
    try:
        if "range" not in document:
            return Question(name, answers, ordered=ordered, optional=optional)
        limits = _range_of(with_care, document, integer)
        return Question(name, interval_words(limits), ordered=True, omit=omit, range=limits)
    except BadQuestion as error:
        raise BadModel(with_care.path, f"asks a question that is none ({error})", "save the model again") from error


def _range_of(with_care: Care, document: Mapping[str, Any], integer: bool) -> Range:
    ends = [with_care.number(end) for end in with_care.list(document["range"], "range")]
    edges = tuple(with_care.number(edge) for edge in with_care.list(document.get("edges"), "edges"))
    if len(ends) != 2 or not isfinite(ends[1] - ends[0]) or not ends[0] < ends[1] or len(edges) < 2:
        raise BadModel(with_care.path, f"has a number with the range {ends[:3]}", "save the model again")
    with_care.different(edges, "an edge")
    with_care.rising(edges, "edges")
    return Range(ends[0], ends[1], edges, integer=integer)


def classes_of(path: object, classes: Any) -> NDArray[Any]:
    """The target's answers that a model file names: words, numbers or truth values, and all of one kind."""
    with_care = Care(path)
    for each in with_care.list(classes, "classes"):
        if not isinstance(each, str | bool):
            with_care.number(each)
    kinds = {float if is_whole(each) else type(each) for each in classes}
    found = np.array(classes)
    if len(classes) < 2 or len(kinds) > 1 or found.dtype == object:
        raise BadModel(path, f"needs two classes or more, of one kind, got {str(classes)[:40]}", "save the model again")
    with_care.different(found.tolist(), "a class")
    return found


# ---------------------------------------------------------------- trees


def tree_document(tree: Node) -> list[dict[str, Any]]:
    """A tree as a list of nodes, each before its children."""
    nodes, pending = [], [tree]
    indices = {id(tree): 0}
    while pending:
        node = pending.pop(0)
        document: dict[str, Any] = {
            "shares": node.shares.tolist(),
            "counts": node.counts.tolist(),
            "stderrs": None if node.stderrs is None else node.stderrs.tolist(),
            "note": node.note,
        }
        if node.split is not None:
            for child in node.children:
                indices[id(child)] = len(indices)
            document |= {
                "question": node.split.question,
                "gain": node.split.gain,
                "parts": [list(part) for part in node.split.parts],
                "children": [indices[id(child)] for child in node.children],
            }
            pending += node.children
        nodes.append(document)
    return nodes


def tree_of(path: object, documents: Any, sizes: tuple[int, ...], classes: int) -> Node:
    """The tree that a model file describes, if it is one."""
    with_care = Care(path)
    documents = with_care.list(documents, "nodes")
    if not 0 < len(documents) <= MAX_NODES:
        raise BadModel(path, f"has {len(documents):,} nodes, expected 1 to {MAX_NODES:,}", "prune the tree")
    nodes = [_node_of(with_care, with_care.table(document, "a node"), classes) for document in documents]
    met = [0] * len(nodes)
    for index, (node, document) in enumerate(zip(nodes, documents, strict=True)):
        if "question" in document:
            node.split = _split_of(with_care, document, sizes)
            for child in with_care.list(document.get("children"), "children"):
                if not is_whole(child) or not index < child < len(nodes) or met[child]:
                    raise BadModel(path, f"has a node whose child is {child!r}", "nodes must form a tree")
                met[child] = 1
                node.children.append(nodes[child])
            if len(node.children) != len(node.split.parts):
                raise BadModel(path, "has a node with more parts than children, or fewer", "save the model again")
    if sum(met) != len(nodes) - 1:
        raise BadModel(path, "has nodes that no other leads to", "nodes must form a tree")
    return nodes[0]


def _node_of(with_care: Care, document: Mapping[str, Any], classes: int) -> Node:
    shares = with_care.figures(document.get("shares"), "shares")
    counts = with_care.figures(document.get("counts"), "counts")
    if len(shares) != classes or len(counts) != classes:
        raise BadModel(with_care.path, f"has a node without shares of {classes} classes", "save the model again")
    if abs(shares.sum() - 1) > SHARES_OFF:
        raise BadModel(with_care.path, f"has a node whose shares sum to {shares.sum():g}", "they must sum to 1")
    node = Node(counts, shares, note=with_care.text(document.get("note", ""), "a note"))
    if document.get("stderrs") is not None:  # older files have none
        node.stderrs = with_care.figures(document["stderrs"], "stderrs")
        if len(node.stderrs) != classes + 1:
            problem = f"has {len(node.stderrs)} standard errors at a node of {classes} classes"
            raise BadModel(with_care.path, problem, "there is one per class and one for their sum")
    return node


def _split_of(with_care: Care, document: Mapping[str, Any], sizes: tuple[int, ...]) -> Split:
    question = document["question"]
    if not is_whole(question) or not 0 <= question < len(sizes):
        raise BadModel(with_care.path, f"asks question number {question!r}", f"there are {len(sizes)}")
    parts = tuple(tuple(with_care.list(part, "a part")) for part in with_care.list(document.get("parts"), "parts"))
    cells = [cell for part in parts for cell in part]
    known = all(is_whole(cell) and 0 <= cell < sizes[question] for cell in cells)
    if not known or len(set(cells)) < len(cells) or len(parts) < 2 or not all(parts):
        raise BadModel(with_care.path, f"parts question number {question} in an impossible way", "save the model again")
    return Split(question, parts, with_care.figure(document.get("gain", 0)))


def array_of(path: object, values: Any, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    """A table of finite numbers of this shape, if the file has one."""
    with_care = Care(path)
    rows = with_care.list(values, what)
    if len(rows) != shape[0]:
        raise BadModel(path, f"has {len(rows)} {what}, expected {shape[0]}", "save the model again")
    if len(shape) == 1:
        return np.array([with_care.figure(value) for value in rows])
    return np.array([array_of(path, row, shape[1:], what) for row in rows])
