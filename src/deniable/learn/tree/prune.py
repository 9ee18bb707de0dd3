"""Reduced-error pruning with held-out disguised replies.

From the leaves upwards, a subtree stays only if it is estimated to classify more people correctly than a leaf in its
place would.  Du and Zhan 2003, section 4.3
"""

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.disguised import WeightedSubpopulation
from deniable.learn.tree.grow import Node
from deniable.learn.tree.right import label_weights

Floats = NDArray[np.float64]


def prune(tree: Node, held_out: WeightedSubpopulation) -> None:
    """Remove subtrees that do not improve the accuracy estimated from held-out replies."""
    _right_weights(tree, held_out)


def _right_weights(node: Node, branch: WeightedSubpopulation) -> Floats:
    """Each reply's signed weight for being here and classified correctly, after pruning below: [reply]."""
    here = label_weights(branch, node.label)
    if node.split is None:
        return here
    below = np.zeros_like(here)
    for part, child in zip(node.split.parts, node.children, strict=True):
        below += _right_weights(child, branch.restrict(node.split.question, part))
    if float((below - here) @ branch.records.counts) > 0:
        return below
    node.split, node.children, node.note = None, [], "pruned"
    return here


def join_alike(tree: Node) -> None:
    """Remove splits below which all leaves have the same label."""
    for node in reversed(tree.nodes()):
        leaves = {child.label if child.split is None else None for child in node.children}
        if leaves == {node.label}:
            node.split, node.children, node.note = None, [], "pruned"
