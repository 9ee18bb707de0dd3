"""Charts of what is known before anybody is asked: privacy, plans, advice, the attack."""

from functools import singledispatch
from typing import Any

import altair as alt
import pandas as pd

from deniable.channel.design import Design
from deniable.deniability.hundred import of_hundred
from deniable.deniability.whole import Priors
from deniable.errors import BadRequest
from deniable.inference.error import Z
from deniable.inference.plan import Plan
from deniable.judge.advice import Advice
from deniable.judge.attack import Attack
from deniable.judge.coefficients import CoefficientPlan
from deniable.judge.curve import Curve
from deniable.report.charts import HEIGHT, WIDTH, beside_axis, in_lines, intervals, legend, lying_bars, narrow
from deniable.report.colours import GREY, OTHERS, OURS
from deniable.report.curves import MODELS
from deniable.report.judged import attack_rows
from deniable.report.plans import AROUND, POINTS, SCALE, round_numbers

BELIEFS = {"assumed beforehand": GREY, "given the report": OURS, "given the whole reply": OTHERS[0]}


def privacy(design: Design, priors: Priors | None = None) -> alt.TopLevelMixin:
    """Of 100 people, those who would truly give the sensitive answer: before, given their report, and all they sent."""
    rows = [
        (f"{each.question.name}: {each.answer}", word, people)
        for each in of_hundred(design, priors)
        for word, people in zip(BELIEFS, (each.before, each.reporting, each.surest), strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["sensitive answer", "belief", "people"])
    scale = alt.Scale(domain=list(BELIEFS), range=list(BELIEFS.values()))
    frame["sensitive answer"] = in_lines(frame["sensitive answer"])
    shapes = alt.Scale(domain=list(BELIEFS), range=["circle", "diamond", "triangle-up"])
    sizes = alt.Scale(domain=list(BELIEFS), range=[50, 60, 320])  # hollow, one around the other where they are equal
    key: dict[str, Any] = {"title": None, "sort": list(BELIEFS), "legend": legend(1)}
    drawn = alt.Chart(frame).mark_point(strokeWidth=2, opacity=1)
    return narrow(
        drawn.encode(
            x=alt.X("people:Q", title="of 100 people, how many would truly say so", scale=alt.Scale(domain=[0, 100])),
            y=beside_axis("sensitive answer", "sensitive answer"),
            color=alt.Color("belief:N", scale=scale, **key),
            shape=alt.Shape("belief:N", scale=shapes, **key),
            size=alt.Size("belief:N", scale=sizes, **key),
        ).properties(width=WIDTH, height=alt.Step(38))
    )


@singledispatch
def plan(found: object) -> alt.TopLevelMixin:
    """What other numbers of replies would give: margin or power, accuracies, coefficients, as `dn.plan` found them."""
    raise BadRequest("a plan", "what dn.plan gives", type(found).__name__, "dn.plot.plan(dn.plan(design, margin=0.02))")


def _replies(ticks: list[int]) -> alt.X:
    """The axis of replies, with these numbers at it."""
    axis = alt.Axis(values=ticks, format=",d")
    return alt.X("replies:Q", title=SCALE, scale=alt.Scale(type="log", nice=False), axis=axis)


@plan.register
def _of_shares(found: Plan) -> alt.TopLevelMixin:
    gives, word = (found.margin_of, "margin") if found.power is None else (found.power_of, "power")
    replies = [found.n * AROUND ** (2 * step / POINTS - 1) for step in range(POINTS + 1)]
    frame = pd.DataFrame({"replies": replies, word: [gives(each) for each in replies]})
    across = _replies(round_numbers(found.n))
    up = alt.Y(f"{word}:Q", title=f"{word} of {found.question}", scale=alt.Scale(zero=True))
    line = alt.Chart(frame).mark_line(color=OURS).encode(x=across, y=up)
    here = alt.Chart(pd.DataFrame({"replies": [found.n], word: [gives(found.n)], "words": [f"{found.n:,} replies"]}))
    layers = [line, here.mark_point(color=OURS, filled=True, size=70).encode(x=across, y=up)]
    layers.append(here.mark_text(align="left", dx=8, dy=-8, fontSize=12).encode(x=across, y=up, text="words:N"))
    return narrow(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))


@plan.register
def _of_models(found: Curve) -> alt.TopLevelMixin:
    frame = pd.DataFrame([{**row, "model": MODELS[row["model"]]} for row in found.rows])
    names = list(MODELS.values())
    dashes = alt.Scale(domain=names, range=[[1, 0], [7, 4]])
    key = alt.Legend(**{**legend().to_dict(), "symbolType": "stroke", "symbolSize": 900})  # long enough for dashes
    kind = alt.StrokeDash("model:N", title=None, scale=dashes, sort=names, legend=key)
    base = alt.Chart(frame).encode(x=_replies(list(found.points)))
    title, scale = f"expected accuracy for {found.target}", alt.Scale(zero=False)
    up, low = (alt.Y(f"{name}:Q", title=title, scale=scale) for name in ("accuracy", "low"))
    layers = [base.mark_line(color=OURS).encode(y=up, strokeDash=kind), base.mark_point(color=OURS).encode(y=up)]
    layers.append(base.mark_rule(color=OURS, opacity=0.5).encode(y=low, y2="high:Q"))
    return narrow(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))


@plan.register
def _of_coefficients(found: CoefficientPlan) -> alt.TopLevelMixin:
    rows = [
        (each.label, each.coefficient, each.coefficient - Z * each.stderr, each.coefficient + Z * each.stderr)
        for each in found.coefficients
    ]
    frame = pd.DataFrame(rows, columns=["term", "estimate", "low", "high"])
    title = f"coefficient with {found.n:,} replies"
    return narrow(intervals(frame, "term", "estimate", "low", "high", title=title, line=0.0, tested=True))


def advice(found: Advice) -> alt.TopLevelMixin:
    """Every candidate, the best first: its expected accuracy where a pilot tells it, else its standard errors."""
    reached = [(each.name, each.accuracy.best, "accuracy") for each in found.candidates if each.accuracy is not None]
    if reached:
        beside = [(name, each.best, "without a disguise") for name, each in found.baselines.items()]
        return narrow(_ranked([*reached, *beside], "expected accuracy"))
    errors = [
        (each.name, error, word)
        for each in found.candidates
        for word, error in (("of a share", each.se_shares), ("of a pair", each.se_pairs))
        if error is not None
    ]
    return narrow(_ranked(errors, "standard error"))


def _ranked(rows: list[tuple[str, float, str]], title: str) -> alt.TopLevelMixin:
    return lying_bars(pd.DataFrame(rows, columns=["design", title, "of"]), "design", title, "of", "design")


def attack(found: Attack) -> alt.TopLevelMixin:
    """How often a clever collector guesses rightly, with and without the replies."""
    rows = [(words, "with the reply" if knows else "without it", share) for words, share, knows in attack_rows(found)]
    frame = pd.DataFrame(rows, columns=["guessed", "knowing", "share guessed rightly"])
    return narrow(lying_bars(frame, "guessed", "share guessed rightly", "knowing", "what is guessed"))
