"""A decision tree as an Altair chart: the boxes, lines and words of its picture, all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from deniable.learn.decision_tree import TreeClassifier
from deniable.report.boxes import BETWEEN, GAP, LINE, PAD, REASONS, WIDTH, Pen
from deniable.report.charts import legend, styled
from deniable.report.colours import CLASSES, GREY
from deniable.report.layout import Box, arrange, fitted, nodes_in
from deniable.report.tree_text import size_of

SMALL = 12
Corners = Mapping[int, tuple[float, float]]  # left and upper, by box
INSIDE = WIDTH - 2 * PAD


def tree(model: TreeClassifier, most: int | None = None) -> alt.TopLevelMixin:
    """The whole tree, or of a large one the `most` nodes that have the most people."""
    boxes, pen = arrange(model, most or nodes_in(model.tree_)), Pen.of(model)
    height = pen.height - LINE * (len(pen.classes) - 1)
    corners = {id(box): (GAP + box.column * (WIDTH + GAP), GAP + box.row * (height + BETWEEN)) for box in boxes}
    wide = int(max(x for x, _ in corners.values()) + WIDTH + GAP)
    tall = int(max(y for _, y in corners.values()) + height + GAP)
    across, up = alt.Scale(domain=[0, wide], nice=False), alt.Scale(domain=[tall, 0], nice=False)
    place = {"x": alt.X("x:Q", axis=None, scale=across), "y": alt.Y("y:Q", axis=None, scale=up)}
    edges = [
        (corners[id(box)][0] + WIDTH / 2, corners[id(box)][1] + height, corners[id(each)][0] + WIDTH / 2,
         corners[id(each)][1] - 24)
        for box in boxes for each in box.below
    ]  # fmt: skip
    frames = pd.DataFrame([(*corner, corner[0] + WIDTH, corner[1] + height) for corner in corners.values()])
    layers = [alt.Chart(_corners(frames)).mark_rect(fill="#f6f8fa", stroke=GREY, cornerRadius=7).encode(
        **place, x2="x2:Q", y2="y2:Q")]  # fmt: skip
    if edges:
        layers.insert(0, alt.Chart(_corners(pd.DataFrame(edges))).mark_rule(stroke=GREY).encode(
            **place, x2="x2:Q", y2="y2:Q"))  # fmt: skip
    names = [str(model.classes_[each]) for each in pen.classes]
    scale = alt.Scale(domain=[*names, "others"], range=[*CLASSES[: len(names)], GREY])
    values = names if len(names) == len(model.classes_) else [*names, "others"]
    key = alt.Legend(**{**legend().to_dict(), "values": values})
    colour = alt.Color("class:N", title=model.target_ or "class", scale=scale, legend=key)
    layers.append(alt.Chart(_bars(model, boxes, corners, pen.classes)).mark_rect().encode(
        **place, x2="x2:Q", y2="y2:Q", color=colour))  # fmt: skip
    for how, words in _words(model, boxes, corners, height).groupby(["align", "weight"]):
        align, weight = map(str, how)
        style: dict[str, Any] = {"align": align, "fontWeight": weight, "baseline": "alphabetic", "fontSize": SMALL}
        layers.append(alt.Chart(words).mark_text(**style).encode(**place, text="words:N"))
    return styled(alt.layer(*layers).properties(width=wide, height=tall))


def _corners(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis(["x", "y", "x2", "y2"], axis=1)


def _bars(model: TreeClassifier, boxes: Sequence[Box], corners: Corners, classes: Sequence[int]) -> pd.DataFrame:
    """The class shares of every node, side by side."""
    rows = []
    for box in boxes:
        shares, (x, y) = box.at.node.shares, corners[id(box)]
        named = [float(shares[each]) for each in classes]
        start, whole = x + PAD, max(float(shares.sum()), 1e-300)
        names = [*(str(model.classes_[each]) for each in classes), "others"]
        for name, share in zip(names, [*named, float(shares.sum()) - sum(named)], strict=True):
            end = start + INSIDE * max(share, 0.0) / whole
            if end - start > 0.05:
                rows.append((start, y + PAD + 20, end, y + PAD + 28, name))
            start = end
    return pd.DataFrame(rows, columns=["x", "y", "x2", "y2", "class"])


def _words(model: TreeClassifier, boxes: Sequence[Box], corners: Corners, height: float) -> pd.DataFrame:
    """Label and share, people, what is asked next, and the answers on the lines."""
    rows: list[tuple[float, float, str, float, str, str]] = []
    for box in boxes:
        node, (x, y) = box.at.node, corners[id(box)]
        ends = f"{box.hidden:,} nodes not shown" if box.hidden else REASONS.get(node.note, node.note)
        asked = ends if node.split is None or box.hidden else f"{model.columns_.names[node.split.question]}?"
        rows += [
            (x + PAD, y + PAD + 12, str(model.classes_[node.label]), INSIDE - 50, "left", "bold"),
            (x + WIDTH - PAD, y + PAD + 12, f"{float(np.max(node.shares)):.0%}", 50, "right", "bold"),
            (x + PAD, y + PAD + 46, f"{size_of(node)} people", INSIDE, "left", "normal"),
            (x + PAD, y + height - PAD, asked, INSIDE, "left", "normal"),
        ]
        if box.at.path:
            answers = box.at.path[-1][1].removeprefix("is ")
            rows.append((x + WIDTH / 2, y - 9, answers, WIDTH, "center", "normal"))
    shown = [(x, y, fitted(words, room, SMALL), *how) for x, y, words, room, *how in rows]
    return pd.DataFrame(shown, columns=["x", "y", "words", "align", "weight"])
