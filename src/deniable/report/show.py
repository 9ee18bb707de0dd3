"""Trees that people can read."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deniable.learn.columns import PlainColumns
from deniable.learn.grow import Node
from deniable.learn.tree import TreeClassifier


def tree_text(tree: TreeClassifier) -> str:
    """A tree as indented text: each condition, its label, the estimated people, and why it ends there."""
    return "\n".join([f"everybody: {_told(tree, tree.tree_)}", *_below(tree, tree.tree_, 1)])


def _below(tree: TreeClassifier, node: Node, depth: int) -> list[str]:
    if node.split is None:
        return []
    lines = []
    for part, child in zip(node.split.parts, node.children, strict=True):
        condition = f"{tree.columns_.names[node.split.question]} {words_of(tree, node.split.question, part)}"
        lines.append(f"{'  ' * depth}{condition}: {_told(tree, child)}")
        lines += _below(tree, child, depth + 1)
    return lines


def words_of(tree: TreeClassifier, question: int, cells: Sequence[int]) -> str:
    """What it takes to be in these cells, in words."""
    columns: Any = tree.columns_
    if isinstance(columns, PlainColumns):
        marks = columns.marks[question]
        if not columns.ordered[question]:
            return "is " + " or ".join(str(marks[cell]) for cell in cells)
        low, high = min(cells), max(cells)
        return f"<= {marks[high]:g}" if low == 0 else f"> {marks[low - 1]:g}"
    answers = columns.questions[question].answers
    if not columns.ordered[question] or len(cells) == 1:
        return "is " + " or ".join(answers[cell] for cell in cells)
    return f"is {answers[min(cells)]} up to {answers[max(cells)]}"


def _told(tree: TreeClassifier, node: Node) -> str:
    label = tree.classes_[node.label]
    people = f"about {node.counts.sum():,.0f} people" if node.counts.sum() >= 0.5 else "hardly anybody"
    reason = f" [{node.note}]" if node.note and node.note != "pure" else ""
    share = float(np.max(node.shares))
    return f"{label} ({share:.0%} of {people}){reason}"
