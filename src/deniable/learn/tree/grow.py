"""Growing a tree on estimates of the truth.

The papers' letter: split until a node is pure or no question separates it, also at zero gain; equal gains go to
the first question, equal labels to the first class.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from deniable.inference.population.subpopulation import Subpopulation, is_among
from deniable.learn.majority import majority
from deniable.learn.tree.lookahead import lookahead_split
from deniable.learn.tree.significance import first_pattern, is_majority, is_pattern
from deniable.learn.tree.splitter import TIE, Split, Splitter
from deniable.survey.coding import LEFT_OUT

Floats = NDArray[np.float64]
BITS = {"entropy": 1.0, "gini": 0.5}  # what a bit is about worth
ROUNDING = 1e-12  # of all variances and covariances: a sum of them that is smaller is none


@dataclass
class Node:
    """A question and what follows for each part of its cells; or, without one, a leaf with a label."""

    counts: Floats  # estimated people of each class, never negative
    shares: Floats  # of the classes, as predicted here
    split: Split | None = None
    children: list["Node"] = field(default_factory=list)
    note: str = ""
    stderrs: Floats | None = None  # standard errors of the counts, then of their sum; None where they are unknown

    def __repr__(self) -> str:
        leaves = sum(node.split is None for node in self.nodes())
        return f"<Node of {self.counts.sum():,.0f} people: {'a leaf' if self.split is None else f'{leaves:,} leaves'}>"

    @property
    def label(self) -> int:
        """The class that is predicted here: the most frequent, of equal ones the first."""
        return majority(self.shares.tolist())

    def nodes(self) -> list["Node"]:
        """This node and all below it, each before its children."""
        found = [self]
        for node in found:
            found += node.children
        return found


@dataclass(frozen=True)
class Grower:
    """How a tree grows: which splits there are, and when to stop."""

    criterion: str
    ordered: Sequence[bool]  # per question
    multiway: bool = False  # one child per answer of a nominal question, as in ID3
    stop_at_noise: bool = True
    looks_ahead: bool = True
    max_depth: int | None = None
    max_leaves: int | None = None
    min_people: float = 0.0  # estimated at a node that may be split
    min_gain: float = -1.0
    min_bits: float = 0.0  # gained for all people of a node

    def grow(self, root: Subpopulation) -> Node:
        """The whole tree; the split that gains most for all people comes first, which matters if leaves are few."""
        covariances: list[Floats] = []
        top = self._node(root, None, covariances)
        nodes, leaves = [top], 1
        order = count()
        pending: list[tuple[float, int, Node, Subpopulation, int]] = []

        def consider(node: Node, branch: Subpopulation, depth: int) -> None:
            node.split, node.note = self._best(branch, node, depth)
            if node.split is not None:
                heappush(
                    pending, (-node.split.gain * float(np.add.reduce(node.counts)), next(order), node, branch, depth)
                )

        consider(top, root, 0)
        while pending:
            _, _, node, branch, depth = heappop(pending)
            assert node.split is not None
            if self.max_leaves is not None and leaves + len(node.split.parts) - 1 > self.max_leaves:
                node.split, node.note = None, "leaves"
                continue
            leaves += len(node.split.parts) - 1
            for below in branch.split(node.split.question, node.split.parts):
                child = self._node(below, node, covariances)
                node.children.append(child)
                nodes.append(child)
                consider(child, below, depth + 1)
        for node, stderrs in zip(nodes, errors_of(np.array(covariances)), strict=True):
            node.stderrs = stderrs
        return top

    def _node(self, branch: Subpopulation, parent: Node | None, covariances: list[Floats]) -> Node:
        """A node without its standard errors; the covariance that they come from is appended to the others."""
        guarded = self.stop_at_noise and branch.uncertain and parent is not None
        counts, covariance = branch.target_with_covariance()
        covariances.append(covariance)
        if not sum(counts.tolist()) > 0:  # as many people as that are none, whatever their classes seem to be
            shares = np.full(len(counts), 1 / len(counts)) if parent is None else parent.shares
            return Node(np.zeros(len(counts)), shares)
        kept = np.maximum(counts, 0)
        node = Node(kept, kept / np.add.reduce(kept))
        if guarded and parent is not None and node.label != parent.label:
            passes = is_majority(counts, covariance, node.label, parent.label)
            node.shares = node.shares if passes else parent.shares
        return node

    def _best(self, branch: Subpopulation, node: Node, depth: int) -> tuple[Split | None, str]:
        """The split that gains most, or the reason why there is none."""
        people = float(np.add.reduce(node.counts))
        if not people > 0:
            return None, "empty"
        if np.count_nonzero(node.counts) < 2:
            return None, "pure"
        if depth == self.max_depth:
            return None, "depth"
        if people < self.min_people:
            return None, "few people"
        splits = self._splits(branch)
        found = [split for split in splits if split.gain >= self.min_gain]
        found.sort(key=lambda split: -split.gain)
        if not found:
            return None, "no question separates"
        enough = self.min_bits * BITS[self.criterion] / people
        found = [split for split in found if split.gain >= enough] if self.min_bits else found
        best = first_pattern(branch, found) if self.stop_at_noise else next(iter(found), None)
        if best is None:
            ahead = self.looks_ahead and depth + 1 != self.max_depth
            deeper = lookahead_split(branch, splits, self._splits) if ahead else None
            return deeper, "" if deeper else "within noise"
        ties = [
            split for split in found if best.gain - TIE < split.gain <= best.gain and split.question < best.question
        ]
        first = sorted(ties, key=lambda split: split.question)
        return next((split for split in first if self._passes(branch, split)), best), ""

    @cached_property
    def _splits(self) -> Splitter:
        return Splitter(self.ordered, self.criterion, self.multiway)

    def _passes(self, branch: Subpopulation, split: Split) -> bool:
        if not self.stop_at_noise:
            return True
        return is_pattern(*branch.table_with_covariance(split.question, split.parts), split.grouped)


def errors_of(covariances: Floats) -> Floats:
    """The standard errors of class counts, and of their sum, which nobody doubts at the root: [..., class and sum].

    `covariances` are those of one node or of many: [..., class, class].
    """
    own, everybody = np.diagonal(covariances, axis1=-2, axis2=-1), covariances.sum(axis=(-2, -1))
    variances = np.concatenate([own, everybody[..., None]], axis=-1)
    none = ROUNDING * np.abs(covariances).sum(axis=(-2, -1))
    return np.sqrt(np.where(variances <= none[..., None], 0.0, variances))


def leaf_shares(tree: Node, cells: NDArray[np.int64]) -> Floats:
    """The class shares predicted for each record, given one row of cells per question.

    Records with an unknown answer stay at the node that asks for it; those that skip a number follow every branch,
    weighted by its share.
    """
    shares = np.zeros((cells.shape[1], len(tree.shares)))
    pending = [(tree, np.arange(cells.shape[1]), np.ones(cells.shape[1]))]
    while pending:
        node, rows, weights = pending.pop()
        if node.split is not None:
            answers, left = cells[node.split.question][rows], np.ones(len(rows), dtype=bool)
            silent, sizes = answers == LEFT_OUT, [float(child.counts.sum()) for child in node.children]
            for part, child, size in zip(node.split.parts, node.children, sizes, strict=True):
                here = is_among(answers, part)
                left &= ~here
                pending.append((child, rows[here], weights[here]))
                if silent.any() and sum(sizes) > 0:
                    pending.append((child, rows[silent], weights[silent] * size / sum(sizes)))
                    left &= ~silent
            rows, weights = rows[left], weights[left]
        shares[rows] += weights[:, None] * node.shares
    return shares
