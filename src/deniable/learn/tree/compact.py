"""Compact trees: only those cuts of a number that the tree uses.

A tree on undisguised numbers may cut between any two values that occur. Once it is grown, unused cuts are dropped:
predictions stay the same, and the model is small.
"""

from dataclasses import replace

import numpy as np

from deniable.inference.population.records import BYTE
from deniable.learn.columns import PlainColumns
from deniable.learn.tree.grow import Node
from deniable.learn.tree.splitter import Split


def only_used(columns: PlainColumns, tree: Node) -> PlainColumns:
    """The columns without unused cuts, for numbers that have very many; the tree's splits are renumbered in place."""
    many = {
        index: np.zeros(0, dtype=np.intp)
        for index, size in enumerate(columns.sizes)
        if columns.ordered[index] and size > BYTE
    }
    if not many:
        return columns
    nodes = tree.nodes()
    for node in nodes:
        if node.split is not None and node.split.question in many:
            many[node.split.question] = np.append(many[node.split.question], len(node.split.parts[0]))
    firsts = {index: np.unique(cuts) for index, cuts in many.items()}  # the first cell after each cut
    for node in nodes:
        if node.split is not None and node.split.question in many:
            cuts = firsts[node.split.question]
            index = int(np.searchsorted(cuts, len(node.split.parts[0]))) + 1
            node.split = Split(node.split.question, (range(index), range(index, len(cuts) + 1)), node.split.gain)
    marks = [marks[firsts[index] - 1] if index in firsts else marks for index, marks in enumerate(columns.marks)]
    return replace(columns, marks=tuple(marks))
