"""How far the counts of a modelled tree may be off.

Trees by bayes, latent, pairs and the methods for numbers under noise take their counts from a model, whose own error
is not known. Instead their nodes tell the standard errors of unbiased estimates of the same counts: what these would
spread by if other people of the same population had been asked, and had drawn afresh.
"""

from collections.abc import Container

from deniable.inference.population.subpopulation import Subpopulation
from deniable.learn.tree.grow import Node, errors_of


def note_errors(tree: Node, people: Subpopulation, untold: Container[int] = ()) -> None:
    """Write at each node how far counts of these people would be off there.

    Below a question that is `untold`, a number under noise, nobody knows: there is no unbiased estimate.
    """
    pending = [(tree, people)]
    while pending:
        node, branch = pending.pop()
        node.stderrs = errors_of(branch.target_with_covariance()[1])
        if node.split is not None and node.split.question in untold:
            for child in node.children:
                forget_errors(child)
        elif node.split is not None:
            question, parts = node.split.question, node.split.parts
            pending += [
                (child, branch.restrict(question, part)) for part, child in zip(parts, node.children, strict=True)
            ]


def forget_errors(tree: Node) -> None:
    """Take away what a model seems to know about its errors."""
    for node in tree.nodes():
        node.stderrs = None
