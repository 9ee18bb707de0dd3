"""Shares as bars with their intervals.

The pictures have no style and no script in them: classes say what each mark means (a page brings its own style, or
STYLE), and lengths are per cents of the width at hand, so that they fit a phone as well as a desk.

    estimate   the bar of an estimated share         reported   a mark at the share of replies that say so
    interval   the line of its 95 % interval         grid       lines at quarters
    rough      the bar of a share that is only roughly known; where replies are too few there is no bar
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from deniable.inference.estimates import Estimate
from deniable.report.page import escaped

HEIGHT = 26  # of one bar
TALL, FOOT = 170, 34  # of columns, and of the words below them
STYLE = """
:root { --estimate: #a9c8e8; --reported: #c4570a; }
@media screen and (prefers-color-scheme: dark) { :root { --estimate: #2d5580; --reported: #f0a35a; } }
svg .grid { stroke: var(--line); }
svg .estimate { fill: var(--estimate); }
svg .rough { opacity: .45; }
svg .interval { stroke: var(--ink); stroke-width: 1.6; }
svg .reported { stroke: var(--reported); stroke-width: 3; }
svg.columns text { fill: var(--soft); font-size: 12px; text-anchor: middle; }
"""
TOO_FEW = "too few"
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


def columns(bars: Sequence[Bar], label: str) -> str:
    """A distribution: one column for each interval of a number, its estimate and what replies say beside it."""
    top = max([0.01, *(max(bar.high, bar.value, bar.reported or 0.0) for bar in bars)])
    width = 100 / len(bars)
    marks = [f'<line class="grid" x1="0" x2="100%" y1="{TALL}" y2="{TALL}"/>']
    for index, bar in enumerate(bars):
        left, middle = index * width, (index + 0.5) * width
        height, low, high = (TALL * min(max(each, 0.0), top) / top for each in (bar.length, bar.low, bar.high))
        marks.append(f"<g><title>{escaped(bar.words)}</title>")
        marks.append(_column(bar.kind, left + 0.1 * width, 0.8 * width, height))
        if bar.reported is not None:
            y = TALL - TALL * bar.reported / top
            ends = f'x1="{left + 0.02 * width:.3f}%" x2="{left + 0.98 * width:.3f}%"'
            marks.append(f'<line class="reported" {ends} y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<line class="interval" x1="{middle:.3f}%" x2="{middle:.3f}%" y1="{TALL - low:.1f}" '
                     f'y2="{TALL - high:.1f}"/></g>')  # fmt: skip
        if index % ceil(len(bars) / MAX_WORDS) == 0:
            marks.append(f'<text x="{middle:.3f}%" y="{TALL + 20}">{escaped(bar.label)}</text>')
    return _picture("columns", TALL + FOOT, label, marks)


def _picture(kind: str, height: int, label: str, marks: Sequence[str]) -> str:
    return (
        f'<svg class="{kind}" role="img" aria-label="{escaped(label)}" width="100%" height="{height}">{"".join(marks)}'
        "</svg>"
    )


def _interval(bar: Bar, y: float) -> str:
    low, high = _length(bar.low), _length(bar.high)
    ends = "".join(f'<line class="interval" x1="{x}" x2="{x}" y1="{y - 4:g}" y2="{y + 4:g}"/>' for x in (low, high))
    return f'<line class="interval" x1="{low}" x2="{high}" y1="{y:g}" y2="{y:g}"/>{ends}'


def _column(kind: str, left: float, width: float, height: float) -> str:
    return (
        f'<rect class="{kind}" x="{left:.3f}%" y="{TALL - height:.1f}" width="{width:.3f}%" height="{height:.1f}" '
        'rx="2"/>'
    )


def _length(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"
