"""Saved models, read back: `dn.load_model`."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

from deniable.errors import BadModel
from deniable.learn import model
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.naive_bayes import NaiveBayes

KINDS: dict[str, type[TreeClassifier] | type[NaiveBayes]] = {"tree": TreeClassifier, "bayes": NaiveBayes}


def load_model(path: str | PathLike[str]) -> TreeClassifier | NaiveBayes:
    """The model in a JSON file, ready to predict."""
    return _model_in(path, model.read(path))


def model_in(text: str, name: str = "the model") -> TreeClassifier | NaiveBayes:
    """The model in the text of such a file; `name` is what a refusal calls it."""
    return _model_in(name, model.parsed(name, text))


def _model_in(path: object, document: Mapping[str, Any]) -> TreeClassifier | NaiveBayes:
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadModel(
            path, f"holds a model of the kind {str(kind)[:40]!r}, expected {', '.join(KINDS)}", "save the model again"
        )
    return KINDS[kind].from_document(path, document)
