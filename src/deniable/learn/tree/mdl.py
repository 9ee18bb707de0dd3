"""Pruning by the shortest description: a split stays if it saves more errors than it takes bits to tell.

    a leaf costs     1 bit + one for each person it gets wrong
    a split costs    1 bit + its test + what its children cost

A threshold on a number takes one bit. A test on answers takes the logarithm of how many tests of that question the
whole tree has.  Mehta, Agrawal and Rissanen 1996 (SLIQ), section 4.3
"""

from collections import Counter
from collections.abc import Sequence
from math import log

from deniable.learn.tree.grow import Node

LEAF = SPLIT = THRESHOLD = 1.0


def prune_by_length(tree: Node, ordered: Sequence[bool]) -> None:
    """Take those subtrees away that do not pay for themselves."""
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
