"""Positions of a tree's boxes in its picture, and the lines between them.

A tree that fits a tablet stands upright, the root above. A wider one lies: the root is at the upper left, each answer
one column further to the right, and a question beside its first answer. So the picture begins with the root, grows
downwards, as pages do, and is as wide as the tree is deep.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deniable.report.layout import Box, room_for

WIDTH = 190  # of a box
GAP, BETWEEN = 20, 64  # between upright columns, between upright rows
BESIDE, ABOVE = 34, 30  # between columns that lie, and above a box that lies, where its answers stand
MAX_UPRIGHT = 650  # pixels
SMALL = 12  # letters
Point = tuple[float, float]


@dataclass(frozen=True)
class Grid:
    """Boxes of one size, and where they are."""

    boxes: Sequence[Box]  # the root first
    tall: float  # a box

    @cached_property
    def leaves(self) -> int:
        """How many boxes have none below."""
        return sum(not box.below for box in self.boxes)

    @cached_property
    def levels(self) -> int:
        """How many boxes are on the longest path."""
        return 1 + max(box.row for box in self.boxes)

    @cached_property
    def lying(self) -> bool:
        """Whether the root is on the left instead of above."""
        return self.leaves * (WIDTH + GAP) + GAP > MAX_UPRIGHT

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        if self.lying:
            return self.levels * (WIDTH + BESIDE) - BESIDE + 2 * GAP, int(self.leaves * (self.tall + ABOVE) + GAP)
        return self.leaves * (WIDTH + GAP) + GAP, int(self.levels * (self.tall + BETWEEN) - BETWEEN + 2 * GAP)

    def corner(self, box: Box) -> Point:
        """The left and upper edge of a box."""
        if self.lying:
            return GAP + box.row * (WIDTH + BESIDE), ABOVE + box.first * (self.tall + ABOVE)
        return GAP + box.middle * (WIDTH + GAP), GAP + box.row * (self.tall + BETWEEN)

    def line(self, above: Box, below: Box) -> list[Point]:
        """The line from a question to what follows: one step down, or through the space between two columns."""
        (left, top), (x, y) = self.corner(above), self.corner(below)
        if not self.lying:
            return [(left + WIDTH / 2, top + self.tall), (x + WIDTH / 2, y - 24)]
        middle, bend = self.tall / 2, x - BESIDE / 2
        return [(left + WIDTH, top + middle), (bend, top + middle), (bend, y + middle), (x, y + middle)]

    def answers(self, below: Box) -> tuple[float, float, str, str]:
        """The answers that lead to a box, where they stand, and whether there is their start or their middle.

        A box that lies may be far below its question, which is named again where there is room.
        """
        (x, y), (question, answers) = self.corner(below), below.at.path[-1]
        if not self.lying:
            return x + WIDTH / 2, y - 9, answers.removeprefix("is "), "middle"
        whole = f"{question} {answers}"
        return x, y - 9, whole if room_for(whole, SMALL) <= WIDTH else answers.removeprefix("is "), "start"
