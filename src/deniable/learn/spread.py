"""How far the counts of a tree may be off.

At every node of a finished tree, the standard errors of its classes' counts and of its size: what they would spread
by if other people of the same population had been asked, and had drawn afresh.
"""

import numpy as np

from deniable.inference.branch import Branch
from deniable.learn.grow import Node


def note_errors(tree: Node, people: Branch) -> None:
    """Write at each node how far its counts may be off, given the people who come to the root.

    The errors are those of the counts that `people` give there. Latent and pairs trees take their counts from a model,
    whose own error is not known; there, people by signed weights tell the errors of unbiased estimates of the counts.
    """
    pending = [(tree, people)]
    while pending:
        node, branch = pending.pop()
        _, covariance = branch.spread()
        variances = np.append(np.diag(covariance), covariance.sum())
        node.stderrs = np.sqrt(np.maximum(variances, 0))
        if node.split is not None:
            question, parts = node.split.question, node.split.parts
            pending += [
                (child, branch.narrow(question, part)) for part, child in zip(parts, node.children, strict=True)
            ]
