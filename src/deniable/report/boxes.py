"""The boxes and lines of a tree's picture.

A box shows the label and its share, a bar of the class shares, the estimated people of each class with the standard
error, and then the question that is asked next, or why the tree ends. Answers stand on the lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.tree.grow import Node
from deniable.report.colours import CLASSES, GREY
from deniable.report.grid import SMALL, WIDTH, Grid
from deniable.report.layout import Box, fitted, room_for
from deniable.report.page import escaped
from deniable.report.tree_text import WORDS, figure, size_of, summary

MAX_CLASSES = 6
REASONS = {"depth": "depth limit", "leaves": "leaf limit", "": "ends here", **WORDS}

PAD, LINE = 11, 17  # the margin of a box, a line of text
LARGE = 14  # letters of a label


@dataclass(frozen=True)
class Pen:
    """Draws the boxes of one tree, all of one size."""

    tree: TreeClassifier
    classes: Sequence[int]  # those with a row and a colour of their own
    grid: Grid

    @classmethod
    def of(cls, tree: TreeClassifier, boxes: Sequence[Box]) -> "Pen":
        """A pen for these boxes of a tree, in which every class has a row, or the most frequent of many."""
        classes = shown_classes(tree)
        return cls(tree, classes, Grid(boxes, 2 * PAD + LINE * (len(classes) + 3) + 19))

    def edge(self, above: Box, below: Box) -> str:
        """The line from a question to what follows, and the answers at its end."""
        points = [f"{x:g} {y:g}" for x, y in self.grid.line(above, below)]
        line = "L".join(points)
        if not self.grid.lying:
            (start, top), (end, bottom) = self.grid.line(above, below)
            bend = (top + bottom) / 2
            line = f"{points[0]}C{start:g} {bend:g} {end:g} {bend:g} {points[1]}"
        x, y, answers, anchor = self.grid.answers(below)
        words = _text(x, y, answers, f"answer {anchor}", WIDTH, full=" ".join(below.at.path[-1]))
        return f'<path class="edge" d="M{line}"/>{words}'

    def box(self, box: Box) -> str:
        """A node with all its text."""
        node, (x, y) = box.at.node, self.grid.corner(box)
        left, inner, rows = x + PAD, WIDTH - 2 * PAD, y + PAD + LINE + 27
        share = f"{float(np.max(node.shares)):.0%}"
        label = str(self.tree.classes_[node.label])
        parts = [
            f'<g class="node"><title>{escaped(self._in_full(box))}</title>',
            f'<rect class="box" x="{x:g}" y="{y:g}" width="{WIDTH}" height="{self.grid.tall:g}" rx="7"/>',
            _text(left, y + PAD + 12, label, "label", inner - room_for(share, LARGE) - 8, LARGE),
            _text(left + inner, y + PAD + 12, share, "label end", inner, LARGE),
            self._bar(node, left, y + PAD + 20),
            *[self._class(node, index, left, rows + LINE * index) for index in range(len(self.classes))],
            _text(left, rows + LINE * len(self.classes), f"{size_of(node)} people", "soft", inner),
            self._end(box, left, y + self.grid.tall - PAD),
            "</g>",
        ]
        return "".join(parts)

    def _class(self, node: Node, index: int, x: float, y: float) -> str:
        """One class: its colour, its name, its people and their standard error."""
        room, each = WIDTH - 2 * PAD, self.classes[index]
        people = _people(node, each)
        mark = f'<rect x="{x:g}" y="{y - 9:g}" width="9" height="9" rx="2" fill="{CLASSES[index]}"/>'
        name = _text(x + 15, y, str(self.tree.classes_[each]), "", room - 15 - 8 - room_for(people, SMALL))
        return mark + name + _text(x + room, y, people, "end", room)

    def _bar(self, node: Node, x: float, y: float) -> str:
        """The class shares side by side; classes without a row of their own come last, in grey."""
        order = [*self.classes, *(each for each in range(len(node.shares)) if each not in self.classes)]
        ends = np.cumsum(node.shares[order])
        ends = x + (WIDTH - 2 * PAD) * ends / max(float(ends[-1]), 1e-300)
        pieces = []
        for index, (start, end) in enumerate(zip([x, *ends[:-1]], ends, strict=True)):
            colour = CLASSES[index] if index < len(self.classes) else GREY
            if end - start > 0.05:
                pieces.append(f'<rect x="{start:.1f}" y="{y:g}" width="{end - start:.1f}" height="8" fill="{colour}"/>')
        return "".join(pieces)

    def _end(self, box: Box, x: float, y: float) -> str:
        """What is asked next, or why nothing is."""
        node, room = box.at.node, WIDTH - 2 * PAD
        if box.hidden:
            return _text(x, y, f"{box.hidden:,} nodes not shown", "soft", room)
        if node.split is not None:
            return _text(x, y, f"{self.tree.columns_.names[node.split.question]}?", "next", room)
        return _text(x, y, REASONS.get(node.note, node.note), "soft", room)

    def _in_full(self, box: Box) -> str:
        """All that is known of a node, for readers who point at it."""
        path = ", ".join(" ".join(step) for step in box.at.path) or "everybody"
        classes = [f"{name}: {_people(box.at.node, each)}" for each, name in enumerate(self.tree.classes_)]
        return "\n".join([path, summary(self.tree, box.at.node), *classes])


def shown_classes(tree: TreeClassifier) -> list[int]:
    """The classes with a colour of their own: of many, the most frequent."""
    return sorted(int(each) for each in np.argsort(-tree.tree_.counts, kind="stable")[:MAX_CLASSES])


def _people(node: Node, each: int) -> str:
    """The people of one class, and their standard error."""
    return figure(float(node.counts[each]), None if node.stderrs is None else float(node.stderrs[each]))


def _text(x: float, y: float, words: str, kind: str, width: float, size: int = SMALL, full: str = "") -> str:
    """Words in a line, as many as have room; all of them where the pointer rests."""
    shown = fitted(words, width, size)
    title = f"<title>{escaped(full or words)}</title>" if full or shown != words else ""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{title}{escaped(shown)}</text>'
