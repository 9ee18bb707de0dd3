"""A tree needs only those cuts of a number that it uses.

Grown on undisguised numbers, a tree knows a cut between every two values that occur. Once it is grown, the others are
forgotten: predictions stay the same, and the model is small.
"""

from dataclasses import replace

import numpy as np

from deniable.inference.population.records import BYTE
from deniable.learn.columns import PlainColumns
from deniable.learn.tree.grow import Node
from deniable.learn.tree.splitter import Split


def only_used(columns: PlainColumns, tree: Node) -> PlainColumns:
    """The columns without unused cuts of numbers that have very many; the tree is told in the cells that remain."""
    many = {
        place: np.zeros(0, dtype=np.intp)
        for place, size in enumerate(columns.sizes)
        if columns.ordered[place] and size > BYTE
    }
    if not many:
        return columns
    nodes = tree.nodes()
    for node in nodes:
        if node.split is not None and node.split.question in many:
            many[node.split.question] = np.append(many[node.split.question], len(node.split.parts[0]))
    firsts = {place: np.unique(cuts) for place, cuts in many.items()}  # the first cell after each cut
    for node in nodes:
        if node.split is not None and node.split.question in many:
            cuts = firsts[node.split.question]
            place = int(np.searchsorted(cuts, len(node.split.parts[0]))) + 1
            node.split = Split(node.split.question, (range(place), range(place, len(cuts) + 1)), node.split.gain)
    marks = [marks[firsts[place] - 1] if place in firsts else marks for place, marks in enumerate(columns.marks)]
    return replace(columns, marks=tuple(marks))
