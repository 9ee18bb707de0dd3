"""Charts of results, drawn without a network: Altair says what to draw, vl-convert draws it."""

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from deniable.report.page import escaped

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"]  # safe for colour-blind readers
WIDTH, HEIGHT = 380, 260
SHAPES, SIZES = ["circle", "diamond", "triangle-up"], [30, 150, 90]  # of a value, and of marks around it
LABELS = 330  # room for the labels of lines
SAME = 1e-9  # of a value: what means of equal figures may differ by


def curves(
    frame: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    *,
    panel: str | None = None,
    error: str | None = None,
    levels: pd.DataFrame | None = None,
) -> alt.TopLevelMixin:
    """One line per series over x, in one panel or several, with bars of two standard errors.

    `levels` are constant values to compare with, drawn as dashed lines across the panel.
    """
    if error is not None:
        frame = frame.assign(_low=frame[y] - 2 * frame[error], _high=frame[y] + 2 * frame[error])
    parts = []
    for name in [None] if panel is None else sorted(set(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        lines = None if levels is None else levels if name is None else levels[levels[panel] == name]
        title = "" if name is None else f"{_words(str(panel))}: {_words(str(name))}"
        layers = _curve_layers(shown, x, y, series, error is not None, lines)
        parts.append(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def _curve_layers(
    shown: pd.DataFrame, x: str, y: str, series: str, errors: bool, levels: pd.DataFrame | None
) -> list[alt.Chart]:
    """Lines and points of one panel; bars from `_low` to `_high`; and what to compare with."""
    drawn = [shown[y], *([shown["_low"], shown["_high"]] if errors else []), *([] if levels is None else [levels[y]])]
    upright = _axis(pd.concat(drawn), zero=False)
    across = alt.X(f"{x}:Q", title=_words(x), **_axis(shown[x], zero=False, nice=False, padding=6))
    up, colour = alt.Y(f"{y}:Q", title=_words(y), **upright), _colour(series)
    base = alt.Chart(shown).encode(x=across, color=colour)
    layers = [base.mark_line().encode(y=up), base.mark_point(filled=True, size=28).encode(y=up)]
    if errors:
        several = alt.Chart(shown.dropna(subset="_low")).encode(x=across, color=colour)
        layers.append(several.mark_rule().encode(y=alt.Y("_low:Q", title=_words(y), **upright), y2="_high:Q"))
    if levels is not None:
        layers.append(alt.Chart(levels).mark_rule(strokeDash=[4, 4]).encode(y=up, color=colour))
    return layers


def _axis(values: pd.Series, *, zero: bool, **scale: Any) -> dict[str, Any]:
    """Scale and axis for these values.

    A scale of no length has no step from which Vega could choose a label's digits: it would call .8 "1". So a
    single value gets room around it, and one tick with the digits it has.
    """
    ends = [*values.dropna(), *([0.0] if zero else [])]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    if high - low > SAME * max(abs(low), abs(high)):
        return {"scale": alt.Scale(zero=zero, **scale)}
    shown = f"{low:.6g}"
    digits = ".6~g" if "e" in shown else f",.{len(shown.partition('.')[2])}f"
    room = alt.Scale(zero=False, nice=False, domain=[low - 0.05, high + 0.05])
    return {"scale": room, "axis": alt.Axis(values=[float(shown)], format=digits)}


def steps(frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None) -> alt.TopLevelMixin:
    """One outline per series over x, each value holding up to the next x; one panel or several."""

    def draw(shown: pd.DataFrame) -> alt.Chart:
        across = alt.X(_plain(x), type="quantitative", title=_words(x), **_axis(shown[x], zero=False, nice=False))
        up = alt.Y(f"{y}:Q", title=_words(y), **_axis(shown[y], zero=True))
        base: alt.Chart = alt.Chart(shown).mark_line(interpolate="step-after")
        return base.encode(x=across, y=up, color=_colour(series))

    return _panels(frame, panel, draw)


def bars(frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None) -> alt.TopLevelMixin:
    """Bars side by side for each x, one per series; one panel or several."""

    def draw(shown: pd.DataFrame) -> alt.Chart:
        whole = alt.Axis(labelLimit=0)  # two long answers may differ in their last word only
        across = alt.X(_plain(x), type="nominal", title=_words(x), sort=None, axis=whole)
        up = alt.Y(f"{y}:Q", title=_words(y), **_axis(shown[y], zero=True))
        base: alt.Chart = alt.Chart(shown).mark_bar()
        return base.encode(x=across, y=up, xOffset=f"{series}:N", color=_colour(series))

    return _panels(frame, panel, draw)


def intervals(
    frame: pd.DataFrame, label: str, value: str, low: str, high: str, *, marks: Sequence[str] = ()
) -> alt.TopLevelMixin:
    """One line per label: a value with its interval, and hollow marks of other columns where these have a value."""
    drawn = [name for name in (value, *marks) if frame[name].notna().any()]
    across = {"title": None, **_axis(pd.concat([frame[name] for name in (low, high, *drawn)]), zero=False)}
    up = alt.Y(f"{label}:N", title=None, sort=None, axis=alt.Axis(labelLimit=0, minExtent=LABELS))
    lines = alt.Chart(frame).mark_rule(color=COLOURS[-1]).encode(y=up, x=alt.X(f"{low}:Q", **across), x2=f"{high}:Q")
    tall = frame.melt([label], drawn, "_kind", "_value").dropna()
    kinds: dict[str, Any] = {"title": None, "sort": drawn, "legend": alt.Legend(orient="bottom")}
    points = alt.Chart(tall).encode(
        y=up,
        x=alt.X("_value:Q", **across),
        color=alt.Color("_kind:N", scale=alt.Scale(domain=drawn, range=COLOURS[: len(drawn)]), **kinds),
        shape=alt.Shape("_kind:N", scale=alt.Scale(domain=drawn, range=SHAPES[: len(drawn)]), **kinds),
        size=alt.Size("_kind:N", scale=alt.Scale(domain=drawn, range=SIZES[: len(drawn)]), **kinds),
    )
    return alt.layer(lines, points.mark_point(strokeWidth=1.5)).properties(width=2 * WIDTH)


def _panels(frame: pd.DataFrame, panel: str | None, draw: Callable[[pd.DataFrame], alt.Chart]) -> alt.TopLevelMixin:
    parts = []
    for name in [None] if panel is None else list(dict.fromkeys(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        parts.append(draw(shown).properties(title="" if name is None else str(name), width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def _colour(series: str) -> alt.Color:
    legend = alt.Legend(orient="bottom", labelLimit=0, columns=4, columnPadding=30)
    return alt.Color(f"{series}:N", title=None, scale=alt.Scale(range=COLOURS), sort=None, legend=legend)


def _plain(name: str) -> str:
    """A column's name as Altair takes it: with its dots, brackets and colons meant as such."""
    return "".join(f"\\{letter}" if letter in ".[]:" else letter for letter in name)


def svg(chart: alt.TopLevelMixin) -> str:
    """A chart as an SVG picture, with room between words: the reader's font may be wider than ours."""
    return str(vl_convert.vegalite_to_svg(chart.configure_axisY(titlePadding=14).to_dict()))


def figure(chart: alt.TopLevelMixin, label: str) -> str:
    """A chart on a page: on a narrow screen it scrolls rather than shrink until nobody can read it."""
    around = f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(label)}">'
    return f'<figure class="card">{around}{svg(chart)}</div></figure>'


def _words(column: str) -> str:
    return column.replace("_", " ")
