"""Reading a model back."""

from os import PathLike

from deniable.errors import BadModel
from deniable.learn import model
from deniable.learn.bayes import NaiveBayes
from deniable.learn.tree import TreeClassifier

KINDS: dict[str, type[TreeClassifier] | type[NaiveBayes]] = {"tree": TreeClassifier, "bayes": NaiveBayes}


def load_model(path: str | PathLike[str]) -> TreeClassifier | NaiveBayes:
    """The model in a JSON file, ready to predict."""
    document = model.read(path)
    kind = document.get("kind")
    if kind not in KINDS:
        raise BadModel(path, f"holds a model of the kind {kind!r}, expected {', '.join(KINDS)}", "save the model again")
    return KINDS[kind].from_document(path, document)
