"""Regressions for the dashboard: a formula built from the design's questions, fitted to all replies."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from deniable.channel.design import Design
from deniable.count.stored import StoreCounts
from deniable.errors import BadRequest
from deniable.regression.regress import regress
from deniable.regression.summary import about, notes, tests
from deniable.report.coefficients import coefficient_plot
from deniable.report.regressions import coefficient_rows, effect_rows
from deniable.web.learnt import FITTING

MAX_PREDICTORS = 12


@dataclass(frozen=True)
class Wanted:
    """What is to be explained by what; all of it names of the design, so that no text from a form is a formula."""

    outcome: str
    predictors: tuple[str, ...]
    product: tuple[str, ...] = ()  # two predictors that also count together

    @property
    def formula(self) -> str:
        """The formula that says so."""
        terms = [f"`{name}`" for name in self.predictors]
        terms += [":".join(f"`{name}`" for name in self.product)] * bool(self.product)
        return f"`{self.outcome}` ~ {' + '.join(terms)}"


@dataclass(frozen=True)
class Shown:
    """A regression as the dashboard shows it."""

    wanted: Wanted
    lines: tuple[str, ...]
    notes: tuple[str, ...]
    plot: Markup
    heads: list[str]
    rows: list[list[str]]
    effect_heads: list[str]
    effects: list[list[str]]


def wanted(design: Design, outcome: str, predictors: Sequence[str], product: Sequence[str]) -> Wanted:
    """What a form asks for, if the design has it."""
    named = list(dict.fromkeys(name for name in predictors if name != outcome))
    both = [name for name in product if name]
    for name in (outcome, *named, *both):
        if name not in design.columns:
            raise BadRequest("a question", f"one of {', '.join(design.columns)}", name, "choose one of them")
    if not named or len(named) > MAX_PREDICTORS:
        raise BadRequest("predictors", f"one to {MAX_PREDICTORS} other questions", len(named), "choose some of them")
    if both and (len(set(both)) != 2 or not set(both) <= set(named)):
        raise BadRequest("what counts together", "two of the predictors", ", ".join(both), "choose two, or none")
    return Wanted(outcome, tuple(named), tuple(both))


def regression(design: Design, store: str, asked: Wanted) -> Shown:
    """The regression of the replies in a store."""
    with FITTING, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = regress(design, StoreCounts(design, store, shown=True), asked.formula)
        (heads, rows), (effect_heads, effects) = coefficient_rows(found), effect_rows(found)
    said = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    return Shown(
        wanted=asked,
        lines=(about(found), *tests(found)),
        notes=tuple(dict.fromkeys([*notes(found), *said])),
        plot=Markup(coefficient_plot(found)),
        heads=heads,
        rows=rows,
        effect_heads=effect_heads,
        effects=effects,
    )
