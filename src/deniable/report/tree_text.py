"""Text of a decision tree, for people to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deniable.inference.reconstruct import limits_of
from deniable.learn.base import Learner
from deniable.learn.columns import PlainColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.learn.tree.grow import Node
from deniable.survey.question import Question

WORDS = {"within noise": "no split beyond noise"}  # why a tree ends, where models have a shorter word


@dataclass(frozen=True)
class PathNode:
    """A node, and the answers that lead to it."""

    node: Node
    path: tuple[tuple[str, str], ...] = ()  # question and answers in words, from the root on
    left: Mapping[int, Sequence[int]] = field(default_factory=dict)  # cells that the path has left, by question

    @property
    def condition(self) -> str:
        """What parts these people from those one step above, in words."""
        return " ".join(self.path[-1]) if self.path else "everybody"


def tree_text(tree: TreeClassifier) -> str:
    """A tree as indented text: each condition, its label, the estimated people, and why it ends there."""
    lines, pending = [], [PathNode(tree.tree_)]
    while pending:
        each = pending.pop()
        lines.append(f"{'  ' * len(each.path)}{each.condition}: {summary(tree, each.node)}")
        pending += reversed(children_of(tree, each))
    return "\n".join(lines)


def children_of(tree: TreeClassifier, above: PathNode) -> list[PathNode]:
    """The children of a node, in the order of the answers."""
    if above.node.split is None:
        return []
    question, below = above.node.split.question, []
    by_threshold = isinstance(tree.columns_, PlainColumns) and tree.columns_.ordered[question]
    for part, child in zip(above.node.split.parts, above.node.children, strict=True):
        cells = [cell for cell in sorted(part) if by_threshold or cell in above.left.get(question, part)]
        step = tree.columns_.names[question], words_of(tree, question, cells or part)
        below.append(PathNode(child, (*above.path, step), {**above.left, question: cells}))
    return below


def words_of(tree: Learner, question: int, cells: Sequence[int]) -> str:
    """What it takes to be in these cells, in words."""
    columns: Any = tree.columns_
    if isinstance(columns, PlainColumns):
        marks = columns.marks[question]
        if not columns.ordered[question]:
            return "is " + " or ".join(str(marks[cell]) for cell in cells)
        low, high = min(cells), max(cells)
        ends = [f"> {marks[low - 1]:g}"] if low > 0 else []
        if high < len(marks):
            ends.append(f"<= {marks[high]:g}")
        return " and ".join(ends) or "is any number"
    answers = columns.questions[question].answers
    if not columns.ordered[question] or len(cells) == 1:
        return "is " + " or ".join(answers[cell] for cell in cells)
    if columns.questions[question].range is not None:
        return _between(columns.questions[question], min(cells), max(cells))
    return f"is {answers[min(cells)]} up to {answers[max(cells)]}"


def _between(number: Question, first: int, last: int) -> str:
    """What it takes to be in these cells of a number and all between them."""
    lows, highs = limits_of(number)
    whole = number.range is not None and number.range.integer
    ends = [f">= {lows[first]:g}"] if first > 0 else []
    if last < len(number) - 1:
        ends.append(f"{'<=' if whole else '<'} {highs[last]:g}")
    return " and ".join(ends) or "is any number"


def summary(tree: TreeClassifier, node: Node) -> str:
    """The label of a node, its share, its people and why the tree ends there."""
    size = size_of(node)
    people = "hardly anybody" if size == "0" else f"about {size} people"
    reason = f" [{WORDS.get(node.note, node.note)}]" if node.note and node.note != "pure" else ""
    return f"{tree.classes_[node.label]} ({float(np.max(node.shares)):.0%} of {people}){reason}"


def size_of(node: Node) -> str:
    """How many people come to a node, and the standard error of that."""
    return figure(float(node.counts.sum()), None if node.stderrs is None else float(node.stderrs[-1]))


def figure(count: float, stderr: float | None = None) -> str:
    """An estimated count and its standard error, in whole people."""
    return f"{count:,.0f}" + (f" ± {stderr:,.0f}" if stderr is not None and stderr >= 0.5 else "")
