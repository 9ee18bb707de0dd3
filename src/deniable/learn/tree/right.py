"""Signed weights of replies for being classified rightly: their mean over replies is a tree's unbiased accuracy.

accuracy = sum over leaves of P(path and target = label)            Du and Zhan 2003, section 4.3
"""

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.inference.population.records import Records
from deniable.learn.majority import majorities
from deniable.learn.tree.grow import Node, leaf_shares

Floats = NDArray[np.float64]


def right_weights(tree: Node, people: WeightedSubpopulation) -> Floats:
    """Each distinct reply's weight for being classified rightly: [reply]."""
    weights = np.zeros(len(people.records.counts))
    pending = [(tree, people)]
    while pending:
        node, branch = pending.pop()
        labels = {each.label for each in node.nodes() if each.split is None}
        if node.split is None or len(labels) == 1:
            weights += label_weights(branch, labels.pop())
        else:
            question, parts = node.split.question, node.split.parts
            pending += [
                (child, branch.restrict(question, part)) for part, child in zip(parts, node.children, strict=True)
            ]
    return weights


def label_weights(branch: WeightedSubpopulation, label: int) -> Floats:
    """Each distinct reply's weight for being in a subpopulation and having this label: [reply]."""
    weights = np.zeros(len(branch.records.counts))
    weights[branch.rows] = branch.target_weights()[label]
    return weights


def is_right(tree: Node, records: Records) -> Floats:
    """1 for each undisguised record that is classified rightly, 0 for the others."""
    labels = majorities(leaf_shares(tree, np.array(records.cells[:-1], dtype=np.int64)))
    return np.asarray(labels == records.cells[-1], dtype=float)
