"""A model's own accuracy: how often it would be right if it were true. It is no test, and says so where it is shown."""

from typing import Any

import numpy as np

from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.naive_bayes import NaiveBayes
from deniable.learn.pairwise import PairwiseClassifier
from deniable.learn.tree.leaves import leaves_of

DRAWN = 20_000  # people drawn from a naive Bayes model


def own_accuracy(model: Any) -> float | None:
    """The accuracy that a model expects of itself; None for a model of another kind."""
    if isinstance(model, PairwiseClassifier):
        return float(model.model_.chances.max(axis=-1).sum())
    if isinstance(model, TreeClassifier):
        counts = np.maximum([leaf.node.counts for leaf in leaves_of(model.tree_)], 0.0)
        return float(counts.max(axis=1).sum() / counts.sum()) if counts.sum() > 0 else None
    if isinstance(model, NaiveBayes):
        return _of_bayes(model)
    return None


def _of_bayes(model: NaiveBayes) -> float:
    """By drawing people from the model itself."""
    rng = np.random.default_rng(0)
    classes = rng.choice(len(model.priors_), DRAWN, p=_proper(model.priors_))
    cells = np.zeros((len(model.chances_), DRAWN), dtype=np.int64)
    for row, chances in zip(cells, model.chances_, strict=True):
        for each in range(chances.shape[1]):
            those = classes == each
            row[those] = rng.choice(len(chances), int(those.sum()), p=_proper(chances[:, each]))
    return float(model._chances(cells).max(axis=1).mean())


def _proper(chances: Any) -> Any:
    kept = np.maximum(chances, 0.0)
    return kept / kept.sum() if kept.sum() > 0 else np.full(len(kept), 1 / len(kept))
