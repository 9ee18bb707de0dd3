"""The leaves of a tree as regions: which true cells of which questions lead there."""

from collections.abc import Sequence
from dataclasses import dataclass

from deniable.inference.em.observed import Region
from deniable.learn.tree.grow import Node


@dataclass(frozen=True)
class Leaf:
    """A node whose people all get the same label, and the cells that lead to it."""

    node: Node
    region: Region


def leaves_of(tree: Node, merged: bool = False) -> list[Leaf]:
    """All leaves; with `merged`, a node below which all labels are the same is a leaf as well."""
    found: list[Leaf] = []
    pending: list[tuple[Node, dict[int, Sequence[int]]]] = [(tree, {})]
    while pending:
        node, region = pending.pop()
        if node.split is None or (merged and len(_labels(node)) == 1):
            found.append(Leaf(node, region))
            continue
        question = node.split.question
        for part, child in zip(node.split.parts, node.children, strict=True):
            inside = set(part)
            cells = [cell for cell in region.get(question, part) if cell in inside]
            if cells:
                pending.append((child, {**region, question: cells}))
    return found


def questions_of(tree: Node) -> set[int]:
    """The questions that a tree asks."""
    return {node.split.question for node in tree.nodes() if node.split is not None}


def _labels(tree: Node) -> set[int]:
    return {node.label for node in tree.nodes() if node.split is None}
