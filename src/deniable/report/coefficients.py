"""Coefficient plot: every coefficient as a point with its 95 % interval, on one scale around zero.

Each row is its own picture beside its name, in per cents of the width at hand, so that it fits a phone and a desk.
Intercepts are left out: they say how frequent the outcome is, not what it depends on.
"""

from collections.abc import Sequence
from math import floor, log10

from deniable.regression.coefficient import Coefficient
from deniable.regression.outcome import INTERCEPT
from deniable.regression.regression import RUNS_OFF, Regression
from deniable.report.page import escaped

HEIGHT, FOOT = 28, 22  # of a row, and of the figures below all of them
MAX_ROWS = 60
STYLE = """
.coefficients { display: grid; grid-template-columns: minmax(6rem, 16rem) 1fr auto; gap: 0 .9rem; align-items: center;
                max-width: 44rem; margin-inline: auto; }
.coefficients > span { overflow-wrap: anywhere; }
.coefficients > .figure { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.coefficients svg { display: block; overflow: visible; }
.coefficients .grid { stroke: var(--line); }
.coefficients .zero { stroke: var(--soft); stroke-dasharray: 3 3; }
.coefficients .interval { stroke: var(--ours); stroke-width: 2; }
.coefficients circle { fill: var(--ours); }
.coefficients .open { fill: var(--paper); stroke: var(--ours); stroke-width: 2; }
.coefficients text { fill: var(--soft); font-size: 12px; text-anchor: middle; }
@media (max-width: 40rem) { .coefficients { grid-template-columns: fit-content(45%) minmax(7rem, 1fr); }
  .coefficients > .figure { display: none; } }
"""


def coefficient_plot(found: Regression) -> str:
    """The plot; filled points are those whose interval leaves zero out."""
    shown = [each for each in found.coefficients if each.term in found.fit.terms.names and each.term != INTERCEPT]
    return plotted([each for each in shown if each.note != RUNS_OFF][:MAX_ROWS])


def plotted(shown: Sequence[Coefficient]) -> str:
    """Some coefficients on one scale."""
    if not shown:
        return ""
    low, high, ticks = _scale(shown)
    rows = [_row(each, low, high, ticks) for each in shown]
    marks = [f'<text x="{_place(tick, low, high):.2f}%" y="14">{_word(tick)}</text>' for tick in ticks]
    foot = f'<span></span><svg aria-hidden="true" width="100%" height="{FOOT}">{"".join(marks)}</svg>'
    titles = '<span></span><p class="axis across">coefficient</p><span class="figure"></span>'
    error = '<span class="figure axis">± standard error</span>'
    return f'<div class="coefficients">{"".join(rows)}{foot}{error}{titles}</div>'


def _row(each: Coefficient, low: float, high: float, ticks: Sequence[float]) -> str:
    middle = HEIGHT / 2
    start, point, end = (f"{_place(value, low, high):.2f}%" for value in (each.low, each.estimate, each.high))
    marks = [
        f'<line class="{"zero" if tick == 0 else "grid"}" x1="{_place(tick, low, high):.2f}%" '
        f'x2="{_place(tick, low, high):.2f}%" y1="0" y2="{HEIGHT}"/>'
        for tick in ticks
    ]
    marks.append(f'<line class="interval" x1="{start}" x2="{end}" y1="{middle:g}" y2="{middle:g}"/>')
    kind = "open" if each.low <= 0 <= each.high else "sure"
    marks.append(f'<circle class="{kind}" cx="{point}" cy="{middle:g}" r="5"/>')
    words = f"{each.label}: {each.estimate:.4f}, between {each.low:.4f} and {each.high:.4f}"
    return (
        f'<span>{escaped(each.label)}</span><svg role="img" aria-label="{escaped(words)}" width="100%" '
        f'height="{HEIGHT}">{"".join(marks)}</svg><span class="figure">{each.estimate:.3f} ± {each.stderr:.3f}</span>'
    )


def _scale(shown: Sequence[Coefficient]) -> tuple[float, float, list[float]]:
    """The ends of the scale, zero among it, and round numbers on it."""
    low, high = min(0.0, *(each.low for each in shown)), max(0.0, *(each.high for each in shown))
    wide = max(high - low, 1e-9)
    step = 10 ** floor(log10(wide / 3))
    step *= next(times for times in (5, 2, 1) if times * step <= wide / 3)
    ticks = [index * step for index in range(floor(low / step), floor(high / step) + 2)]
    margin = 0.03 * wide
    return low - margin, high + margin, [tick for tick in ticks if low - margin <= tick <= high + margin]


def _place(value: float, low: float, high: float) -> float:
    return 100 * (value - low) / (high - low)


def _word(tick: float) -> str:
    return f"{tick:.4g}"
