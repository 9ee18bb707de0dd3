"""Charts of results, drawn without a network: Altair says what to draw, vl-convert draws it."""

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
    legend = alt.Legend(orient="bottom", labelLimit=0, columns=4)
    colour = alt.Color(f"{series}:N", title=None, scale=alt.Scale(range=COLOURS), sort=None, legend=legend)
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
            layers.append(base.mark_rule().encode(y=alt.Y("_low:Q", title=_words(y), scale=scale), y2="_high:Q"))
        if levels is not None:
            lines = levels if name is None else levels[levels[panel] == name]
            layers.append(alt.Chart(lines).mark_rule(strokeDash=[4, 4]).encode(y=up, color=colour))
        title = "" if name is None else f"{_words(str(panel))}: {_words(str(name))}"
        parts.append(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def svg(chart: alt.TopLevelMixin) -> str:
    """A chart as an SVG picture."""
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def _words(column: str) -> str:
    return column.replace("_", " ")
