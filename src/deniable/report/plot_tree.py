"""A decision tree as an Altair chart: the boxes, lines and words of its picture, all of them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from deniable.learn.decision_tree import TreeClassifier
from deniable.report.boxes import PAD, REASONS, shown_classes
from deniable.report.charts import legend, styled
from deniable.report.colours import CLASSES, GREY
from deniable.report.grid import SMALL, WIDTH, Grid
from deniable.report.layout import arrange, fitted, nodes_in
from deniable.report.tree_text import size_of

INSIDE = WIDTH - 2 * PAD
TALL = 2 * PAD + 66  # a label, a bar, people, and what is asked next
ALIGNED = {"start": "left", "middle": "center"}


def tree(model: TreeClassifier, most: int | None = None) -> alt.TopLevelMixin:
    """The whole tree, or of a large one the `most` nodes that have the most people."""
    boxes = arrange(model, most or nodes_in(model.tree_))
    grid, classes = Grid(boxes, TALL), shown_classes(model)
    wide, tall = grid.size
    across, up = alt.Scale(domain=[0, wide], nice=False), alt.Scale(domain=[tall, 0], nice=False)
    place = {"x": alt.X("x:Q", axis=None, scale=across), "y": alt.Y("y:Q", axis=None, scale=up)}
    edges = [(*start, *end) for box in boxes for each in box.below for start, end in pairwise(grid.line(box, each))]
    frames = pd.DataFrame([(x, y, x + WIDTH, y + grid.tall) for x, y in map(grid.corner, boxes)])
    layers = [alt.Chart(_corners(frames)).mark_rect(fill="#f6f8fa", stroke=GREY, cornerRadius=7).encode(
        **place, x2="x2:Q", y2="y2:Q")]  # fmt: skip
    if edges:
        layers.insert(0, alt.Chart(_corners(pd.DataFrame(edges))).mark_rule(stroke=GREY).encode(
            **place, x2="x2:Q", y2="y2:Q"))  # fmt: skip
    names = [str(model.classes_[each]) for each in classes]
    scale = alt.Scale(domain=[*names, "others"], range=[*CLASSES[: len(names)], GREY])
    values = names if len(names) == len(model.classes_) else [*names, "others"]
    key = alt.Legend(**{**legend().to_dict(), "values": values, "orient": "top"})  # beside the root
    colour = alt.Color("class:N", title=model.target_ or "class", scale=scale, legend=key)
    layers.append(alt.Chart(_bars(model, grid, classes)).mark_rect().encode(
        **place, x2="x2:Q", y2="y2:Q", color=colour))  # fmt: skip
    for how, words in _words(model, grid).groupby(["align", "weight"]):
        align, weight = map(str, how)
        style: dict[str, Any] = {"align": align, "fontWeight": weight, "baseline": "alphabetic", "fontSize": SMALL}
        layers.append(alt.Chart(words).mark_text(**style).encode(**place, text="words:N"))
    return styled(alt.layer(*layers).properties(width=wide, height=tall))


def _corners(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis(["x", "y", "x2", "y2"], axis=1)


def _bars(model: TreeClassifier, grid: Grid, classes: Sequence[int]) -> pd.DataFrame:
    """The class shares of every node, side by side."""
    rows = []
    for box in grid.boxes:
        shares, (x, y) = box.at.node.shares, grid.corner(box)
        named = [float(shares[each]) for each in classes]
        start, whole = x + PAD, max(float(shares.sum()), 1e-300)
        names = [*(str(model.classes_[each]) for each in classes), "others"]
        for name, share in zip(names, [*named, float(shares.sum()) - sum(named)], strict=True):
            end = start + INSIDE * max(share, 0.0) / whole
            if end - start > 0.05:
                rows.append((start, y + PAD + 20, end, y + PAD + 28, name))
            start = end
    return pd.DataFrame(rows, columns=["x", "y", "x2", "y2", "class"])


def _words(model: TreeClassifier, grid: Grid) -> pd.DataFrame:
    """Label and share, people, what is asked next, and the answers on the lines."""
    rows: list[tuple[float, float, str, float, str, str]] = []
    for box in grid.boxes:
        node, (x, y) = box.at.node, grid.corner(box)
        ends = f"{box.hidden:,} nodes not shown" if box.hidden else REASONS.get(node.note, node.note)
        asked = ends if node.split is None or box.hidden else f"{model.columns_.names[node.split.question]}?"
        rows += [
            (x + PAD, y + PAD + 12, str(model.classes_[node.label]), INSIDE - 50, "left", "bold"),
            (x + WIDTH - PAD, y + PAD + 12, f"{float(np.max(node.shares)):.0%}", 50, "right", "bold"),
            (x + PAD, y + PAD + 46, f"{size_of(node)} people", INSIDE, "left", "normal"),
            (x + PAD, y + grid.tall - PAD, asked, INSIDE, "left", "normal"),
        ]
        if box.at.path:
            x, y, answers, anchor = grid.answers(box)
            rows.append((x, y, answers, WIDTH, ALIGNED[anchor], "normal"))
    shown = [(x, y, fitted(words, room, SMALL), *how) for x, y, words, room, *how in rows]
    return pd.DataFrame(shown, columns=["x", "y", "words", "align", "weight"])
