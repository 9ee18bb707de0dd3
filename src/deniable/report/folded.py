"""A tree that folds: its nodes as lists that open and close, for screens that are narrower than the picture.

Nothing is cut off and nothing needs a script: each question is a `details` element, its answers lie inside.
"""

from collections.abc import Sequence

from deniable.learn.decision_tree import TreeClassifier
from deniable.report.boxes import REASONS, shown_classes
from deniable.report.colours import CLASSES, GREY
from deniable.report.layout import Box
from deniable.report.page import escaped
from deniable.report.tree_text import size_of, summary

MAX_OPEN = 15  # nodes of a tree that is shown unfolded; of a larger one, the first answers
STYLE = """
.folded { display: none; max-width: 44rem; margin-inline: auto; }
.folded details, .folded .leaf { margin: .5rem 0 .5rem .3rem; padding-left: .8rem; border-left: 2px solid var(--line); }
.folded summary, .folded .leaf { overflow-wrap: anywhere; }
.folded svg { display: block; margin-top: .2rem; }
.folded .keys { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.folded .keys svg { display: inline-block; margin: 0 .4rem 0 0; }
.folded .next { margin: .3rem 0 0; font-weight: 600; }
@media screen and (max-width: 40rem) { .folded { display: block; } .unfolded { display: none; } }
@media screen and (max-width: 60rem) { .wider .folded { display: block; } .wider .unfolded { display: none; } }
@media print {
  .large .folded { display: block; }
  .large .unfolded { display: none; }
  .large .folded details::details-content { content-visibility: visible; block-size: auto; }
}
"""


def folded(tree: TreeClassifier, boxes: Sequence[Box]) -> str:
    """The tree of these boxes, the root first."""
    classes = shown_classes(tree)
    return f'<div class="folded">{_key(tree, classes)}{_node(tree, boxes[0], classes, len(boxes))}</div>'


def _node(tree: TreeClassifier, box: Box, classes: Sequence[int], nodes: int) -> str:
    words = " ".join(box.at.path[-1]) if box.at.path else "everybody"
    node = box.at.node
    line = f"{escaped(words)}: {escaped(summary(tree, node))}{_bar(box, classes)}"
    if not box.below:
        hidden = f'<p class="soft">{box.hidden:,} nodes not shown</p>' if box.hidden else ""
        return f'<div class="leaf">{line}{hidden}</div>'
    asked = tree.columns_.names[node.split.question] if node.split else REASONS.get(node.note, node.note)
    unfold = " open" if nodes <= MAX_OPEN or not box.at.path else ""
    below = "".join(_node(tree, each, classes, nodes) for each in box.below)
    return f'<details{unfold}><summary>{line}</summary><p class="next">{escaped(asked)}?</p>{below}</details>'


def _bar(box: Box, classes: Sequence[int]) -> str:
    """The class shares side by side."""
    shares, start, pieces = box.at.node.shares, 0.0, []
    order = [*classes, *(each for each in range(len(shares)) if each not in classes)]
    whole = max(float(shares.sum()), 1e-300)
    for index, each in enumerate(order):
        width = 100 * float(shares[each]) / whole
        colour = CLASSES[index] if index < len(classes) else GREY
        pieces.append(f'<rect x="{start:.2f}%" width="{width:.2f}%" height="8" fill="{colour}"/>')
        start += width
    label = f"class shares of {size_of(box.at.node)} people"
    return f'<svg role="img" aria-label="{escaped(label)}" width="100%" height="8">{"".join(pieces)}</svg>'


def _key(tree: TreeClassifier, classes: Sequence[int]) -> str:
    marks = "".join(
        f'<span><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" '
        f'fill="{CLASSES[index]}"/></svg>{escaped(tree.classes_[each])}</span>'
        for index, each in enumerate(classes)
    )
    return f'<p class="keys">{marks}</p>'
