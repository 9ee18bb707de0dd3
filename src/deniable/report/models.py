"""Learnt models as JSON: what `tree --json` and `bayes --json` print.

The model file is for machines that predict; these documents are for programs that read, so they speak in words.
"""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from deniable.learn.base import Learner
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.naive_bayes import NaiveBayes
from deniable.report.tree_text import PathNode, children_of, words_of

NEVER = "in one class nobody gives it, as far as the replies tell"


def tree_document(tree: TreeClassifier, out: Path, left_out: Sequence[str]) -> dict[str, Any]:
    """A tree: about it, and one row for each node, parents before their children."""
    rows: list[dict[str, Any]] = []
    pending: list[tuple[PathNode, int | None]] = [(PathNode(tree.tree_), None)]
    while pending:
        each, parent = pending.pop()
        rows.append({"node": len(rows), "parent": parent, **_node(tree, each)})
        number = len(rows) - 1
        pending += [(below, number) for below in reversed(children_of(tree, each))]
    return _about(tree, out, left_out) | {"nodes": rows}


def _node(tree: TreeClassifier, each: PathNode) -> dict[str, Any]:
    node = each.node
    stderr = None if node.stderrs is None else _finite(node.stderrs[-1])
    return {
        "path": [f"{question} {answers}" for question, answers in each.path],
        "asks": None if node.split is None else tree.columns_.names[node.split.question],
        "label": str(tree.classes_[node.label]),
        "share": float(np.max(node.shares)),
        "shares": _by_class(tree, node.shares),
        "people": float(node.counts.sum()),
        "stderr": stderr,
        "note": node.note,
    }


def bayes_document(bayes: NaiveBayes, out: Path, left_out: Sequence[str]) -> dict[str, Any]:
    """Naive Bayes: about it, the classes' shares, and one row for each answer of each question."""
    rows = []
    for index, name in enumerate(bayes.columns_.names):
        for cell, shares in enumerate(bayes.chances_[index]):
            least, most = float(np.min(shares)), float(np.max(shares))
            rows.append(
                {
                    "question": name,
                    "answer": words_of(bayes, index, [cell]).removeprefix("is "),
                    "shares": _by_class(bayes, shares),
                    "speaks_for": str(bayes.classes_[int(np.argmax(shares))]),
                    "times": most / least if least > 0 else "infinity",
                    "note": "" if least > 0 else NEVER,
                }
            )
    return _about(bayes, out, left_out) | {"priors": _by_class(bayes, bayes.priors_), "answers": rows}


def _about(model: Learner, out: Path, left_out: Sequence[str]) -> dict[str, Any]:
    return {
        "model": str(out),
        "target": model.target_,
        "method": model.method_,
        "n": model.n_replies_,
        "classes": [str(each) for each in model.classes_],
        "note": "; ".join([*left_out, *[model.note_] * bool(model.note_)]),
    }


def _by_class(model: Learner, shares: Any) -> dict[str, float | None]:
    return {str(name): _finite(share) for name, share in zip(model.classes_, shares, strict=True)}


def _finite(figure: float) -> float | None:
    """A figure, or nothing where there is none."""
    return float(figure) if isfinite(figure) else None
