"""Charts of results, drawn without a network: Altair says what to draw, vl-convert draws it."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from deniable.report.colours import GREY, OURS, palette
from deniable.report.page import escaped

WIDTH, HEIGHT = 380, 260
MAX_SHRUNK = 560  # pixels: wider charts could not be read on a phone
PHONE, PANEL = 370, 280  # pixels: a whole chart, and one of several panels below each other, that a phone can show
MAX_LINE, MAX_TITLE, LINE = 26, 44, 15  # letters of a line beside an axis and of a title, pixels of a line
MAX_LABEL = 2_000  # pixels of words beside an axis: its title stands beyond them, not on them
LETTERS = 12  # their size: a chart of this width is still read when it shrinks to a phone
MAX_LEVEL = 48  # letters below a chart; more of them are turned
SHAPES, SIZES = ["circle", "diamond", "triangle-up"], [30, 150, 90]  # of a value, and of marks around it
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
    colour = coloured(series, [*frame[series], *([] if levels is None else levels[series])])
    for name in [None] if panel is None else sorted(set(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        lines = None if levels is None else levels if name is None else levels[levels[panel] == name]
        title = "" if name is None else f"{_words(str(panel))}: {_words(str(name))}"
        layers = _curve_layers(shown, x, y, colour, error is not None, lines)
        parts.append(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def _curve_layers(
    shown: pd.DataFrame, x: str, y: str, colour: alt.Color, errors: bool, levels: pd.DataFrame | None
) -> list[alt.Chart]:
    """Lines and points of one panel; bars from `_low` to `_high`; and what to compare with."""
    drawn = [shown[y], *([shown["_low"], shown["_high"]] if errors else []), *([] if levels is None else [levels[y]])]
    upright = _axis(pd.concat(drawn), zero=False)
    across = alt.X(f"{x}:Q", title=_words(x), **_axis(shown[x], zero=False, nice=False, padding=6))
    up = alt.Y(f"{y}:Q", title=_words(y), **upright)
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


def steps(
    frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None, named: str = ""
) -> alt.TopLevelMixin:
    """One outline per series over x, each value holding up to the next x; one panel or several.

    Panels that are answers to one question, `named` here, have its name in their titles, and one scale.
    """
    colour = coloured(series, frame[series])

    def draw(shown: pd.DataFrame) -> alt.Chart:
        across = alt.X(_plain(x), type="quantitative", title=_words(x), **_axis(shown[x], zero=False, nice=False))
        up = alt.Y(f"{y}:Q", title=_words(y), **_upright(frame[y] if named else shown[y], bool(named)))
        base: alt.Chart = alt.Chart(shown).mark_line(interpolate="step-after")
        return base.encode(x=across, y=up, color=colour)

    return _panels(frame, panel, draw, named)


def _upright(values: pd.Series, whole: bool) -> dict[str, Any]:
    """Scale and axis from zero on; of these `whole` values, whichever of them a panel has."""
    ends = {"domain": [min(0.0, values.min()), values.max()], "nice": True} if whole and values.max() > 0 else {}
    return _axis(values, zero=True, **ends)


def bars(
    frame: pd.DataFrame, x: str, y: str, series: str, *, panel: str | None = None, named: str = ""
) -> alt.TopLevelMixin:
    """Bars side by side for each x, one per series; one panel or several (`named` as for steps)."""
    colour, order = coloured(series, frame[series]), list(dict.fromkeys(frame[series]))

    def draw(shown: pd.DataFrame) -> alt.Chart:
        level = sum(len(str(word)) + 2 for word in set(shown[x])) <= MAX_LEVEL
        whole = alt.Axis(
            labelLimit=0, labelAngle=0 if level else -90
        )  # long answers may differ in their last word only
        across = alt.X(_plain(x), type="nominal", title=_words(x), sort=None, axis=whole)
        up = alt.Y(f"{y}:Q", title=_words(y), **_upright(frame[y] if named else shown[y], bool(named)))
        base: alt.Chart = alt.Chart(shown).mark_bar()
        return base.encode(x=across, y=up, xOffset=alt.XOffset(f"{series}:N", sort=order), color=colour)

    return _panels(frame, panel, draw, named)


def lying_bars(frame: pd.DataFrame, label: str, value: str, series: str, title: str) -> alt.TopLevelMixin:
    """Bars below each other, with the words of each beside it."""
    order = list(dict.fromkeys(frame[series]))
    frame = frame.assign(**{label: in_lines(frame[label])})
    across = alt.X(f"{value}:Q", title=_words(value), **_axis(frame[value], zero=True))
    base: alt.Chart = alt.Chart(frame).mark_bar()
    beside = alt.YOffset(f"{series}:N", sort=order)
    colour = coloured(series, order, columns=1)
    step = alt.Step(max(16.0, room_of(frame[label]) / len(order)))
    return base.encode(x=across, y=beside_axis(label, title), yOffset=beside, color=colour).properties(
        width=WIDTH, height=step
    )


def in_lines(labels: pd.Series) -> pd.Series:
    """Words beside an axis, in lines that leave room for what is drawn."""
    return labels.map(lambda label: "\n".join(textwrap.wrap(str(label), MAX_LINE)) or str(label))


def room_of(labels: pd.Series) -> float:
    """The height that the longest of some labels takes."""
    return LINE * (1 + max(labels.str.count("\n"), default=0)) + 5.0


def beside_axis(label: str, title: str) -> alt.Y:
    """The axis of a column of `in_lines`, in the order of the rows."""
    axis = alt.Axis(labelLimit=0, labelExpr="split(datum.label, '\\n')")
    return alt.Y(_plain(label), type="nominal", title=title, sort=None, axis=axis)


def intervals(
    frame: pd.DataFrame,
    label: str,
    value: str,
    low: str,
    high: str,
    *,
    marks: Sequence[str] = (),
    title: str = "",
    line: float | None = None,
    tested: bool = False,
) -> alt.TopLevelMixin:
    """One line per label: a value with its interval, and hollow marks of other columns where these have a value.

    `title` is what the values are (the name of their column, where it is left out); at `line` stands a dashed line. Of
    values that are `tested` against it, those are filled whose interval leaves it out.
    """
    frame = frame.assign(**{label: in_lines(frame[label])})
    drawn = [name for name in (value, *marks) if frame[name].notna().any()]
    ends = pd.concat([frame[name] for name in (low, high, *drawn)] + [pd.Series([line], dtype=float)])
    words = textwrap.wrap(f"{title or _words(value)}, 95 % intervals", MAX_TITLE)
    across = {"title": words, **_axis(ends, zero=False)}
    up = beside_axis(label, _words(label))
    lines = alt.Chart(frame).mark_rule(color=GREY).encode(y=up, x=alt.X(f"{low}:Q", **across), x2=f"{high}:Q")
    plain = alt.Chart(frame).mark_point(color=OURS, fill="white", strokeWidth=1.5, opacity=1)
    points = plain.encode(y=up, x=alt.X(f"{value}:Q", **across))
    if tested:
        within = f"datum['{low}'] <= {line} && datum['{high}'] >= {line}"
        points = points.encode(fill=alt.condition(within, alt.value("white"), alt.value(OURS)))
    layers = [lines, _marked(frame, label, drawn, up, across) if marks else points]
    if line is not None:
        across_here = alt.X("_line:Q", **across)
        layers.append(alt.Chart(pd.DataFrame({"_line": [line]})).mark_rule(strokeDash=[4, 4]).encode(x=across_here))
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(max(20.0, room_of(frame[label]))))


def _marked(frame: pd.DataFrame, label: str, drawn: Sequence[str], up: alt.Y, across: dict[str, Any]) -> alt.Chart:
    """A mark for each of these columns, with its legend; the first is ours."""
    tall = frame.melt([label], list(drawn), "_kind", "_value").dropna()
    kinds: dict[str, Any] = {"title": None, "sort": list(drawn), "legend": legend(1)}
    points: alt.Chart = alt.Chart(tall).mark_point(strokeWidth=1.5)
    return points.encode(
        y=up,
        x=alt.X("_value:Q", **across),
        color=alt.Color("_kind:N", scale=alt.Scale(domain=drawn, range=[OURS, *palette(drawn[1:])]), **kinds),
        shape=alt.Shape("_kind:N", scale=alt.Scale(domain=drawn, range=SHAPES[: len(drawn)]), **kinds),
        size=alt.Size("_kind:N", scale=alt.Scale(domain=drawn, range=SIZES[: len(drawn)]), **kinds),
    )


def _panels(
    frame: pd.DataFrame, panel: str | None, draw: Callable[[pd.DataFrame], alt.Chart], named: str
) -> alt.TopLevelMixin:
    parts = []
    for name in [None] if panel is None else list(dict.fromkeys(frame[panel])):
        shown = frame if name is None else frame[frame[panel] == name]
        title = "" if name is None else f"{named}: {name}" if named else str(name)
        parts.append(draw(shown).properties(title=title, width=WIDTH, height=HEIGHT))
    return parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)


def coloured(series: str, names: Iterable[str], columns: int = 2) -> alt.Color:
    """The colours of some lines, and a legend that has them all in their order."""
    domain = list(dict.fromkeys(names))
    scale = alt.Scale(domain=domain, range=palette(domain))
    return alt.Color(f"{series}:N", title=None, scale=scale, sort=domain, legend=legend(columns))


def legend(columns: int = 2) -> alt.Legend:
    """A legend below the chart with whole words; beside words there is room for one column only."""
    return alt.Legend(orient="bottom", labelLimit=0, columns=columns, columnPadding=24)


def _plain(name: str) -> str:
    """A column's name as Altair takes it: with its dots, brackets and colons meant as such."""
    return "".join(f"\\{letter}" if letter in ".[]:" else letter for letter in name)


def styled(chart: alt.TopLevelMixin, **config: Any) -> alt.TopLevelMixin:
    """A chart in our look: letters that a phone can show, and room between words, as fonts differ in their width."""
    looks: alt.TopLevelMixin = (
        chart.configure(**config)
        .configure_axis(
            maxExtent=MAX_LABEL, labelFontSize=LETTERS, titleFontSize=LETTERS, titleFontWeight="normal", titlePadding=12
        )
        .configure_legend(labelFontSize=LETTERS, titleFontSize=LETTERS, titleLimit=0)
        .configure_title(fontSize=LETTERS + 1)
        .configure_view(stroke=None)
    )
    return looks


def narrow(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """A chart for notebooks: with its words as wide as a phone; panels stand below each other."""
    if isinstance(chart, alt.ConcatChart):
        parts = [part.properties(width=PANEL, height=HEIGHT * PANEL // WIDTH) for part in chart.concat]
        return styled(alt.concat(*parts, columns=1))
    within = alt.AutoSizeParams(type="fit-x", contains="padding")
    made: alt.TopLevelMixin = styled(chart.properties(width=PHONE), autosize=within).configure_axisBottom(
        titleAnchor="end"  # a title may be longer than the axis, beside which its labels are
    )
    return made


def svg(chart: alt.TopLevelMixin) -> str:
    """A chart as an SVG picture."""
    return str(vl_convert.vegalite_to_svg(styled(chart).to_dict()))


def figure(chart: alt.TopLevelMixin, label: str) -> str:
    """A chart on a page: its panels stand below each other where they have no room beside each other."""
    panels = chart.concat if isinstance(chart, alt.ConcatChart) else [chart]
    specs = [styled(panel).to_dict() for panel in panels]
    key = _key(specs) if len(specs) > 1 else ""
    drawn = "".join(_panel(str(vl_convert.vegalite_to_svg(spec))) for spec in specs)
    around = f'<div class="scroll panels" tabindex="0" role="region" aria-label="{escaped(label)}">'
    return f'<figure class="card">{around}{drawn}</div>{key}</figure>'


def _key(specs: Sequence[dict[str, Any]]) -> str:
    """One legend for several panels, which lose their own: they have the same lines in the same colours."""
    coded = [part["encoding"] for spec in specs for part in (spec, *spec.get("layer", [])) if "encoding" in part]
    found = [each["color"] for each in coded if each.get("color", {}).get("legend")]
    if not found:
        return ""
    scale = found[0]["scale"]
    for each in found:
        each["legend"] = None
    marks = "".join(
        f'<span><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" fill="{colour}"/></svg>'
        f"{escaped(name)}</span>"
        for name, colour in zip(scale["domain"], scale["range"], strict=True)
    )
    return f'<p class="keys">{marks}</p>'


def _panel(drawn: str) -> str:
    """A panel shrinks with the screen; one with long words beside it keeps its size instead, and is panned."""
    width = re.search(r'width="([\d.]+)"', drawn)
    kind = ' class="pan"' if width is not None and float(width[1]) > MAX_SHRUNK else ""
    return f"<div{kind}>{drawn}</div>"


def _words(column: str) -> str:
    return column.replace("_", " ")
