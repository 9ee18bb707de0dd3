"""Shares as bars with their intervals.

The pictures have no style and no script in them: classes say what each mark means (a page brings its own style, or
STYLE), and lengths are per cents of the width at hand, so that they fit a phone as well as a desk.

    estimate   the bar of an estimated share         reported   a mark at the share of replies that say so
    interval   the line of its 95 % interval         grid       lines at quarters
    rough      the bar of a share that is only roughly known; where replies are too few there is no bar
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

from deniable.inference.estimates import Estimate
from deniable.report.page import escaped

HEIGHT = 26  # of one bar
TALL, HEAD, FOOT, TITLE = (
    190,
    38,
    28,
    18,
)  # of columns, of the room above them, of the words below them, and of the title
ROOM = 0.18  # of the width between two numbers along an axis, on a phone
STYLE = """
svg .grid { stroke: var(--line); }
svg .estimate { fill: var(--ours); fill-opacity: .45; }
svg .rough { fill-opacity: .2; }
svg .interval { stroke: var(--ink); stroke-width: 1.6; }
svg .reported { stroke: var(--reported); stroke-width: 3; }
svg.dense .interval { stroke-width: .7; stroke-opacity: .6; }
svg.dense .reported { stroke-width: 1.5; }
svg.columns text { fill: var(--soft); font-size: 12px; text-anchor: middle; }
svg.columns .level, svg.columns .first { text-anchor: start; }
svg.columns .last { text-anchor: end; }
svg.scale text { fill: var(--soft); font-size: 12px; }
svg .tick { stroke: var(--soft); }
"""
TOO_FEW = "too few"
DENSE = 30  # columns, above which lines are drawn thin
MAX_WORDS = 4  # below columns: more have no room on a phone


@dataclass(frozen=True)
class Bar:
    """An estimated share, its interval, and the share of replies that say so, if these use the same words."""

    value: float
    low: float
    high: float
    reported: float | None = None
    label: str = ""
    grade: str = ""  # of the estimate

    @property
    def kind(self) -> str:
        """The class of the bar."""
        return "estimate rough" if self.grade else "estimate"

    @property
    def length(self) -> float:
        """What is drawn: nothing where replies are too few."""
        return 0.0 if self.grade == TOO_FEW else self.value

    @property
    def words(self) -> str:
        """What the picture says."""
        value = TOO_FEW if self.grade == TOO_FEW else f"{self.value:.1%}"
        return f"{self.label}: estimated {value}, between {self.low:.1%} and {self.high:.1%}"


def share_words(found: Estimate, with_error: bool = False) -> str:
    """An estimated share as people read it, and its standard error; no figure where replies are too few."""
    error = f" ± {found.stderr:.1%}" if with_error else ""
    return TOO_FEW if found.too_few else f"{found.value:.1%}{error}"


def share_bar(bar: Bar) -> str:
    """One share on a line from 0 to 100 %."""
    middle = HEIGHT / 2
    label = escaped(bar.words)
    marks = [
        *[f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{HEIGHT}"/>' for x in (0, 25, 50, 75, 100)],
        f'<rect class="{bar.kind}" x="0" y="{middle - 6:g}" width="{_length(bar.length)}" height="12" rx="2"/>',
        _interval(bar, middle),
    ]
    if bar.reported is not None:
        x = _length(bar.reported)
        marks.append(f'<line class="reported" x1="{x}" x2="{x}" y1="{middle - 10:g}" y2="{middle + 10:g}"/>')
        label += f"; {bar.reported:.1%} of the replies say so"
    return _picture("bar", HEIGHT, label, marks)


def plain_bar(share: float, label: str) -> str:
    """A share that has no interval, on a line from 0 to 100 %."""
    marks = [
        *[f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{HEIGHT}"/>' for x in (0, 25, 50, 75, 100)],
        f'<rect class="estimate" x="0" y="{HEIGHT / 2 - 6:g}" width="{_length(share)}" height="12" rx="2"/>',
    ]
    return _picture("bar", HEIGHT, f"{label}: {share:.1%}", marks)


def scale_bar() -> str:
    """The scale below some bars, from 0 to 100 %."""
    ends = {0: "start", 50: "middle", 100: "end"}
    words = [f'<text x="{x}%" y="13" text-anchor="{anchor}">{x} %</text>' for x, anchor in ends.items()]
    return f'<svg class="scale" aria-hidden="true" width="100%" height="18">{"".join(words)}</svg>'


def height_words(edges: Sequence[float], name: str = "") -> str:
    """What the height of a column tells; areas are shares, also where intervals differ."""
    widths = [right - left for left, right in pairwise(edges)]
    if not widths or max(widths) - min(widths) < 1e-9 * max(widths):
        return "% of people in each interval"
    return f"% of people for each {min(widths):g}{' of ' * bool(name)}{name}"


def columns(bars: Sequence[Bar], label: str, edges: Sequence[float] = (), integer: bool = False, name: str = "") -> str:
    """A distribution: one column for each interval of a number, its estimate and what replies say beside it.

    With the intervals' `edges`, columns are as wide as these, their areas are the shares, and the axis tells how many
    people there are for each so much of the number. Otherwise words stand below columns. `name` is the axis's title.
    """
    drawn = len(edges) == len(bars) + 1
    edges = list(edges) if drawn else list(range(len(bars) + 1))
    widths = [right - left for left, right in pairwise(edges)]
    unit = min(widths)
    scale = [unit / width for width in widths]
    tops = [each * max(bar.high, bar.length, bar.reported or 0.0) for bar, each in zip(bars, scale, strict=True)]
    step = _step(max(0.01, *tops))
    top = step * max(1, ceil(max(tops) / step - 1e-9))
    lines, words = (
        _levels(step, top) if drawn else ([f'<line class="grid" x1="0" x2="100%" y1="{TALL}" y2="{TALL}"/>'], [])
    )
    marks = [*lines]
    for bar, each, (left, right) in zip(bars, scale, pairwise(edges), strict=True):
        marks += _column(bar, each / top, *(100 * (edge - edges[0]) / (edges[-1] - edges[0]) for edge in (left, right)))
    marks += [*words, *(_edge_words(edges, integer) if drawn else _words_below(bars))]
    per = height_words(edges, name) if drawn else "% of people"
    if name:
        marks.append(f'<text class="first title" x="0" y="12">{escaped(per)}</text>')
        marks.append(f'<text class="title" x="50%" y="{TALL + FOOT + TITLE - 6}">{escaped(name)}</text>')
    kind = "columns dense" if len(bars) > DENSE else "columns"
    return _picture(kind, TALL + FOOT + TITLE * bool(name), f"{label}, in {per}" if drawn else label, marks)


def _step(top: float) -> float:
    """A round distance of two to five lines up to here."""
    unit = 10.0 ** floor(log10(top))
    return next(each * unit for each in (0.2, 0.5, 1.0, 2.0) if top / (each * unit) <= 5 + 1e-9)


def _levels(step: float, top: float) -> tuple[list[str], list[str]]:
    """Lines across, and the shares that stand above them."""
    marks, words = [], []
    for index in range(round(top / step) + 1):
        y = TALL - (TALL - HEAD) * index * step / top
        marks.append(f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        if index:
            words.append(f'<text class="level" x="0" y="{y - 4:.1f}">{100 * index * step:g} %</text>')
    return marks, words


def _column(bar: Bar, scale: float, left: float, right: float) -> list[str]:
    """One column from left to right (per cents of the width), with its whole interval."""
    width, middle = right - left, (left + right) / 2
    tall = (TALL - HEAD) * scale
    height, low, high = (tall * max(each, 0.0) for each in (bar.length, bar.low, bar.high))
    marks = [
        f"<g><title>{escaped(bar.words)}</title>",
        f'<rect class="{bar.kind}" x="{left + 0.04 * width:.3f}%" y="{TALL - height:.1f}" width="{0.92 * width:.3f}%" '
        f'height="{height:.1f}"/>',
    ]
    if bar.reported is not None:
        ends = f'x1="{left + 0.02 * width:.3f}%" x2="{right - 0.02 * width:.3f}%"'
        y = TALL - tall * bar.reported
        marks.append(f'<line class="reported" {ends} y1="{y:.1f}" y2="{y:.1f}"/>')
    x = f"{middle:.3f}%"
    marks.append(f'<line class="interval" x1="{x}" x2="{x}" y1="{TALL - low:.1f}" y2="{TALL - high:.1f}"/>')
    ends = f'x1="{middle - 0.08 * width:.3f}%" x2="{middle + 0.08 * width:.3f}%"'
    marks += [f'<line class="interval" {ends} y1="{y:.1f}" y2="{y:.1f}"/>' for y in (TALL - low, TALL - high)]
    if bar.grade == TOO_FEW:
        marks.append(f'<text class="few" x="{x}" y="{TALL - 6}">?</text>')
    return [*marks, "</g>"]


def _edge_words(edges: Sequence[float], integer: bool) -> list[str]:
    """Numbers along the axis, at some edges and at both ends; none is cut off, and none touches another.

    Edges of whole numbers lie between two of them: the number after the edge stands there, at the end the last one.
    """
    span, marks, last = edges[-1] - edges[0], [], -1.0
    for index, edge in enumerate(edges):
        at = (edge - edges[0]) / span
        ends = index in (0, len(edges) - 1)
        marks.append(f'<line class="tick" x1="{100 * at:.3f}%" x2="{100 * at:.3f}%" y1="{TALL}" y2="{TALL + 5}"/>')
        if not ends and (at - last < ROOM or 1 - at < ROOM):
            continue
        number = edge if not integer else floor(edge) if index == len(edges) - 1 else ceil(edge)
        side = {0: "first", len(edges) - 1: "last"}.get(index, "edge")
        marks.append(f'<text class="{side}" x="{100 * at:.3f}%" y="{TALL + 20}">{_short(number)}</text>')
        last = at
    return marks


def _words_below(bars: Sequence[Bar]) -> list[str]:
    width = 100 / len(bars)
    every = ceil(len(bars) / MAX_WORDS)
    return [
        f'<text x="{(index + 0.5) * width:.3f}%" y="{TALL + 20}">{escaped(bar.label)}</text>'
        for index, bar in enumerate(bars)
        if index % every == 0
    ]


def _short(edge: float) -> str:
    return f"{edge:,.4g}" if abs(edge) < 10_000 else f"{edge:,.0f}"


def _picture(kind: str, height: int, label: str, marks: Sequence[str]) -> str:
    return (
        f'<svg class="{kind}" role="img" aria-label="{escaped(label)}" width="100%" height="{height}">{"".join(marks)}'
        "</svg>"
    )


def _interval(bar: Bar, y: float) -> str:
    low, high = _length(bar.low), _length(bar.high)
    ends = "".join(f'<line class="interval" x1="{x}" x2="{x}" y1="{y - 4:g}" y2="{y + 4:g}"/>' for x in (low, high))
    return f'<line class="interval" x1="{low}" x2="{high}" y1="{y:g}" y2="{y:g}"/>{ends}'


def _length(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"
