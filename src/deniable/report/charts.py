"""Charts of results, drawn without a network: Altair says what to draw, vl-convert draws it."""

from collections.abc import Callable

import altair as alt
import pandas as pd
import vl_convert

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"]  # told apart by everybody
WIDTH, HEIGHT = 380, 260


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
    scale = alt.Scale(zero=False)
    colour = _colour(series)
    across = alt.X(f"{x}:Q", title=_words(x), scale=alt.Scale(zero=False, nice=False, padding=6))
    up = alt.Y(f"{y}:Q", title=_words(y), scale=scale)
    if error is not None:
        frame = frame.assign(_low=frame[y] - 2 * frame[error], _high=frame[y] + 2 * frame[error])
    parts = []
    for name in [None] if panel is None else sorted(set(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        base = alt.Chart(shown).encode(x=across, color=colour)
        layers = [base.mark_line().encode(y=up), base.mark_point(filled=True, size=28).encode(y=up)]
        if error is not None:
            several = alt.Chart(shown.dropna(subset="_low")).encode(x=across, color=colour)
            layers.append(several.mark_rule().encode(y=alt.Y("_low:Q", title=_words(y), scale=scale), y2="_high:Q"))
        if levels is not None:
            lines = levels if name is None else levels[levels[panel] == name]
            layers.append(alt.Chart(lines).mark_rule(strokeDash=[4, 4]).encode(y=up, color=colour))
        title = "" if name is None else f"{_words(str(panel))}: {_words(str(name))}"
        parts.append(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def steps(frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None) -> alt.TopLevelMixin:
    """One outline per series over x, each value holding up to the next x; one panel or several."""
    across = alt.X(_plain(x), type="quantitative", title=_words(x), scale=alt.Scale(zero=False, nice=False))
    up = alt.Y(f"{y}:Q", title=_words(y))
    return _panels(frame, panel, lambda chart: chart.mark_line(interpolate="step-after").encode(
        x=across, y=up, color=_colour(series)))  # fmt: skip


def bars(frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None) -> alt.TopLevelMixin:
    """Bars side by side for each x, one per series; one panel or several."""
    across = alt.X(_plain(x), type="nominal", title=_words(x), sort=None)
    return _panels(frame, panel, lambda chart: chart.mark_bar().encode(
        x=across, y=alt.Y(f"{y}:Q", title=_words(y)), xOffset=f"{series}:N", color=_colour(series)))  # fmt: skip


def _panels(frame: pd.DataFrame, panel: str | None, draw: Callable[[alt.Chart], alt.Chart]) -> alt.TopLevelMixin:
    parts = []
    for name in [None] if panel is None else list(dict.fromkeys(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        parts.append(
            draw(alt.Chart(shown)).properties(title="" if name is None else str(name), width=WIDTH, height=HEIGHT)
        )
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def _colour(series: str) -> alt.Color:
    legend = alt.Legend(orient="bottom", labelLimit=0, columns=4)
    return alt.Color(f"{series}:N", title=None, scale=alt.Scale(range=COLOURS), sort=None, legend=legend)


def _plain(name: str) -> str:
    """A column's name as Altair takes it: with its dots, brackets and colons meant as such."""
    return "".join(f"\\{letter}" if letter in ".[]:" else letter for letter in name)


def svg(chart: alt.TopLevelMixin) -> str:
    """A chart as an SVG picture."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def _words(column: str) -> str:
    return column.replace("_", " ")
