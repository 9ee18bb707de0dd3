"""Formats of figures on the collector's pages."""

from collections.abc import Callable
from math import ceil, floor, log10
from typing import Any

from markupsafe import Markup

from deniable.deniability.epsilon import epsilon_word
from deniable.inference.estimates import Estimate
from deniable.report import bars
from deniable.report.page import UNSPEAKABLE


def percent(share: float) -> str:
    """0.3421 as 34.2 %."""
    return f"{100 * share:.1f} %"


def percent_up(share: float) -> str:
    """The same, rounded up: a risk is never shown smaller than it is."""
    return f"{min(100.0, ceil(1000 * share - 1e-5) / 10):.1f} %"


def share(found: Estimate) -> str:
    """An estimated share; no figure where replies are too few."""
    return bars.TOO_FEW if found.too_few else percent(found.value)


def interval(found: Estimate) -> str:
    """The interval of a share."""
    return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"


def times(ratio: float) -> str:
    """A ratio in two decimals: 0.52, 1.00."""
    return f"{ratio:.2f}"


def at_most(share: float) -> str:
    """A bound in percentage points, rounded up, so that it is never exceeded."""
    return f"± {ceil(1000 * share - 1e-6) / 10:.1f}"


def figure(value: float) -> str:
    """Any number, in four digits or so."""
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"


def bound(value: float) -> str:
    """A bound of any number, rounded up in its third digit."""
    if value <= 0:
        return "± 0"
    step = 10.0 ** (floor(log10(value)) - 2)
    return f"± {ceil(value / step - 1e-6) * step:g}"


def spread(found: Estimate) -> str:
    """The interval of any number."""
    return f"{figure(found.low)} to {figure(found.high)}"


def count(number: int) -> str:
    """Thousands with commas."""
    return f"{number:,}"


def replies(number: int) -> str:
    """So many replies."""
    return "1 reply" if number == 1 else f"{number:,} replies"


def speakable(value: Any) -> Any:
    """Whatever is shown, without the signs that no page can hold."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return UNSPEAKABLE.sub("\ufffd", value)
    return value


def bar(row: Any) -> Markup:
    """A share as a picture."""
    return Markup(bars.share_bar(row.bar))


def columns(said: Any) -> Markup:
    """A distribution as a picture."""
    rows, question = [row.bar for row in said.rows], said.question
    return Markup(bars.columns(rows, f"Distribution of {question.name}", said.edges, question.range.integer))


def columns_axis(said: Any) -> str:
    """What the height of a distribution's columns tells."""
    return bars.height_words(said.edges, said.question.name)


def measure(found: Estimate) -> str:
    """Any estimated number; no figure where replies are too few."""
    return bars.TOO_FEW if found.too_few else figure(found.value)


FILTERS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        percent,
        percent_up,
        share,
        interval,
        at_most,
        figure,
        bound,
        spread,
        count,
        replies,
        bar,
        columns,
        columns_axis,
    )
} | {"epsilon": epsilon_word, "measure": measure, "times": times}
