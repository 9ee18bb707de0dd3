"""Standard errors of the counts of a modelled tree.

Trees of methods that are `modelled` take their counts from a model whose own error is unknown. Their nodes show instead
the standard errors of unbiased estimates of the same counts: their spread over repeated surveys of other people of the
same population, with new draws of the lottery.
"""

from collections.abc import Container

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.grow import Node, errors_of


def note_errors(tree: Node, people: Subpopulation, noisy: Container[int] = ()) -> None:
    """Set each node's standard errors to those of counts of these people.

    Below a split on one of the `noisy` questions (numbers under noise) there is no unbiased estimate, so no error.
    """
    pending = [(tree, people)]
    while pending:
        node, branch = pending.pop()
        node.stderrs = errors_of(branch.target_with_covariance()[1])
        if node.split is not None and node.split.question in noisy:
            for child in node.children:
                forget_errors(child)
        elif node.split is not None:
            question, parts = node.split.question, node.split.parts
            pending += [
                (child, branch.restrict(question, part)) for part, child in zip(parts, node.children, strict=True)
            ]


def forget_errors(tree: Node) -> None:
    """Remove the standard errors of all nodes."""
    for node in tree.nodes():
        node.stderrs = None
