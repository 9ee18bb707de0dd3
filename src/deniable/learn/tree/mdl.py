"""Minimum description length pruning: a split stays if it saves more errors than it costs bits.

    a leaf costs     1 bit + one for each person it misclassifies
    a split costs    1 bit + its test + the cost of its children

A threshold on a number costs one bit. A test on answers costs the logarithm of the number of tests of that question
in the whole tree.  Mehta, Agrawal and Rissanen 1996 (SLIQ), section 4.3
"""

from collections import Counter
from collections.abc import Sequence
from math import log

from deniable.learn.tree.grow import Node

LEAF = SPLIT = THRESHOLD = 1.0


def prune_by_length(tree: Node, ordered: Sequence[bool]) -> None:
    """Remove subtrees that cost more than a leaf."""
    nodes = tree.nodes()
    tests = Counter(node.split.question for node in nodes if node.split is not None)
    costs: dict[int, float] = {}
    for node in reversed(nodes):
        costs[id(node)] = LEAF + float(node.counts.sum() - node.counts[node.label])
        if node.split is None:
            continue
        question = node.split.question
        test = THRESHOLD if ordered[question] else log(tests[question])
        split = SPLIT + test + sum(costs[id(child)] for child in node.children)
        if split < costs[id(node)]:
            costs[id(node)] = split
        else:
            node.split, node.children, node.note = None, [], "pruned"
