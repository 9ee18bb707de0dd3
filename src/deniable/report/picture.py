"""A tree as a picture, and as a page around it: one file that needs no other."""

from deniable.learn.columns import PlainColumns
from deniable.learn.decision_tree import TreeClassifier
from deniable.report.boxes import Pen
from deniable.report.folded import STYLE as FOLDED
from deniable.report.folded import folded
from deniable.report.layout import Box, arrange, nodes_in
from deniable.report.page import document, escaped, noted
from deniable.report.tree_text import tree_text

MAX_BOXES = 31  # four answers deep, if every question has two: the root's answers stay within some screens of it
MAX_TABLET = 740  # pixels: a wider picture folds on tablets as on phones
MAX_PRINTED = 1_400  # pixels: the words of a wider picture could not be read on paper, where the tree unfolds instead
PAPER = 1.3  # the height of a page, in its widths: a picture that is longer would be cut, and unfolds, too

STYLE = """
.tree { --ink: #1f2328; --soft: #59636e; --edge: #8c959f; --box: #f6f8fa; }
@media screen and (prefers-color-scheme: dark) {
  .tree { --ink: #e6e9ed; --soft: #9aa5b1; --edge: #66707b; --box: #1c2229; }
}
.tree text { font: 12px system-ui, sans-serif; fill: var(--ink); font-variant-numeric: tabular-nums; }
.tree .label { font-size: 14px; font-weight: 600; }
.tree .next { font-weight: 600; }
.tree .soft { fill: var(--soft); }
.tree .end { text-anchor: end; }
.tree .middle { text-anchor: middle; }
.tree .box { fill: var(--box); stroke: var(--edge); }
.tree .edge { fill: none; stroke: var(--edge); stroke-width: 1.3; stroke-linejoin: round; }
"""

FRESH = "how far the figure would typically move if other people of the same population had been asked"
ERRORS = {
    "plain": f"is one standard error: {FRESH}.",
    "none": f"is one standard error: {FRESH}. Replies were taken for the truth: the disguise is not corrected for.",
    "inverse": f"is one standard error: {FRESH} and had drawn their own lots. An estimate below zero is shown as 0.",
    "model": f"is the standard error of the unbiased estimate at that node: {FRESH} and had drawn their own lots. The "
    "figures themselves come from a model of the true answers, whose own error is unknown.",
}
ENDS = """Below the figures stands the next question, or why there is none. <i>Within noise</i>: nothing more could be
told from chance. <i>Pure</i>, <i>empty</i>: one class only, or nobody. <i>Limit</i>: as deep, or as many leaves, as was
asked for. <i>Pruned</i>: other replies did not bear out what was below. A node without a significant majority inherits
the label of the node above."""


def tree_svg(tree: TreeClassifier, most: int | None = MAX_BOXES, *, styled: bool = True) -> str:
    """A tree as an SVG picture; of a large one those nodes, at most so many, that have the most people.

    With `most=None` the whole tree is drawn, however large.

    A page that forbids styles inside it brings STYLE along by itself, and wants the picture not `styled`.

    Each count stands with its standard error. For latent and pairs trees it is the error of the unbiased estimate at
    that node, since the error of their own counts is unknown.
    """
    return _drawn(tree, arrange(tree, nodes_in(tree.tree_) if most is None else most), styled)


def tree_page(tree: TreeClassifier, title: str, replies: int | None = None) -> str:
    """A tree as one page that needs no other file: picture, legend, and the tree as text."""
    boxes, nodes = arrange(tree, MAX_BOXES), nodes_in(tree.tree_)
    return document(
        title,
        f"""<p>A decision tree for <b>{escaped(tree.target_ or "the target")}</b>, learnt
{"" if replies is None else f"from {replies:,} replies "}by the method
<i>{escaped(tree.method_)}</i>{noted(tree.note_)}. Read it from the first box,
which is everybody: follow the answers to a label.
{_left_out(len(boxes), nodes)}</p>
{_figure(tree, boxes)}
<details>
<summary>The whole tree as text</summary>
<pre>{escaped(tree_text(tree))}</pre>
</details>""",
        FOLDED,
    )


def tree_figure(tree: TreeClassifier) -> str:
    """A tree as a figure of a page, with its legend."""
    return _figure(tree, arrange(tree, MAX_BOXES))


def folding_tree(tree: TreeClassifier) -> str:
    """The nodes of the picture as lists that fold, for a page that brings its own style."""
    return folded(tree, arrange(tree, MAX_BOXES))


def _figure(tree: TreeClassifier, boxes: list[Box]) -> str:
    wide, tall = Pen.of(tree, boxes).grid.size
    kinds = [*["large"] * (wide > MAX_PRINTED or tall > PAPER * wide), *["wider"] * (wide > MAX_TABLET)]
    return f"""<figure class="{" ".join(kinds)}">
{folded(tree, boxes)}
<div class="unfolded">
<p class="sideways" style="--wide: {wide}px">The picture goes on to the right: move it sideways.</p>
<div class="scroll" tabindex="0" role="region" aria-label="The tree as a picture">
{_drawn(tree, boxes)}
</div>
</div>
<figcaption>
<p>{_errors(tree)}</p>
<p>{ENDS}</p>
</figcaption>
</figure>"""


def _drawn(tree: TreeClassifier, boxes: list[Box], styled: bool = True) -> str:
    pen = Pen.of(tree, boxes)
    width, height = pen.grid.size
    name = f"Decision tree for {tree.target_ or 'the target'}: {len(boxes):,} of {nodes_in(tree.tree_):,} nodes"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" aria-label="{escaped(name)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        *([f"<style>{STYLE}</style>"] if styled else []),
        *[pen.edge(box, each) for box in boxes for each in box.below],
        *[pen.box(box) for box in boxes],
        "</svg>",
    ]
    return "\n".join(lines)


def _left_out(shown: int, nodes: int) -> str:
    if shown == nodes:
        return ""
    return f"The picture shows {shown:,} of {nodes:,} nodes, those with the most people; the text below has them all."


def _errors(tree: TreeClassifier) -> str:
    """What the sign ± means in this tree."""
    if tree.tree_.stderrs is None:
        return "Numbers of people are estimates; no standard error is available for this kind of tree."
    kind = tree.method_ if tree.method_ in ERRORS else "model"
    kind = "plain" if isinstance(tree.columns_, PlainColumns) else kind
    return f"Figures are estimated people, and ± {ERRORS[kind]}"
