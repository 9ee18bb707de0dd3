"""Order of the nodes in a tree's picture, and room for their words.

Leaves are numbered in the order of the answers; every other node stands beside the first of its leaves, or in the
middle of its children. Of a large tree the nodes with most people are drawn.
"""

import unicodedata
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.tree.grow import Node
from deniable.report.tree_text import PathNode, children_of


@dataclass
class Box:
    """A node that is drawn, and its place among the leaves."""

    at: PathNode
    below: list["Box"] = field(default_factory=list)
    first: int = 0  # the number of the first leaf at or below it
    middle: float = 0.0  # halfway between its children, counted in leaves
    hidden: int = 0  # nodes below that are not drawn

    @property
    def row(self) -> int:
        """How many answers lead here."""
        return len(self.at.path)


def arrange(tree: TreeClassifier, most: int) -> list[Box]:
    """The boxes of a tree, each before those below it: where the most people are, and no more than so many."""
    top, order = Box(PathNode(tree.tree_)), count()
    boxes, pending = [top], [(0.0, next(order), top)]
    while pending:
        _, _, box = heappop(pending)
        below = children_of(tree, box.at)
        if len(boxes) + len(below) > most:
            box.hidden = nodes_in(box.at.node) - 1
            continue
        box.below = [Box(each) for each in below]
        boxes += box.below
        for each in box.below:
            heappush(pending, (-float(each.at.node.counts.sum()), next(order), each))
    _number(boxes)
    return boxes


def _number(boxes: list[Box]) -> None:
    """Leaves in the order of the answers, then every other box by those below it."""
    pending, free, met = [boxes[0]], count(), []
    while pending:
        box = pending.pop()
        met.append(box)
        if not box.below:
            box.first = next(free)
            box.middle = float(box.first)
        pending += reversed(box.below)
    for box in reversed(met):
        if box.below:
            box.first = box.below[0].first
            box.middle = (box.below[0].middle + box.below[-1].middle) / 2


def nodes_in(node: Node) -> int:
    """How many nodes a tree has."""
    found, pending = 0, [node]
    while pending:
        found += 1
        pending += pending.pop().children
    return found


# ---------------------------------------------------------------- room for words

EMS = {0.4: " .,:;!|'`()[]{}/-ijlrtfIJ", 1.0: "mwMW@%—…", 0.84: "±<>=+~ABCDGHKNOQRUVXY&#"}
WIDTHS = {letter: ems for ems, letters in EMS.items() for letter in letters}


def fitted(text: str, width: float, size: float) -> str:
    """As much of a text as has room, in letters of this size; an ellipsis shows that there is more."""
    text = " ".join(text.split())
    if room_for(text, size) <= width:
        return text
    kept = ""
    for letter in text:
        if room_for(f"{kept}{letter}…", size) > width:
            break
        kept += letter
    return f"{kept.rstrip()}…"


def room_for(text: str, size: float) -> float:
    """About how wide a text is in a wide typeface, since nobody knows which one the reader has."""
    return size * sum(_ems(letter) for letter in text)


def _ems(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if ord(letter) > 0x24F and letter not in WIDTHS:
        return 0.9
    return WIDTHS.get(letter, 0.66)
