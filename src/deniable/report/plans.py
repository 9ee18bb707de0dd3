"""Plans that people can read: a table, and a page with what other numbers of replies would give.

The curve runs from a fifth of the planned replies to five times as many, on a logarithmic scale, so that the plan
stands in its middle. It is a path in a square that is stretched to the width at hand; words lie outside of it, so
that they are not.
"""

from collections.abc import Callable, Sequence
from math import floor, log, log10

from deniable.deniability.epsilon import epsilon_word
from deniable.inference.plan import Plan
from deniable.report.bars import STYLE as BARS
from deniable.report.page import document, escaped, scrolled, table

AROUND = 5  # times fewer and more replies than planned
POINTS = 60  # of the curve
TALL, FOOT = 220, 30  # of the curve, and of the words below it
THICK = 12  # of a bar
MAX_BARS = 40
SCALE = "replies, on a logarithmic scale"
STYLE = f"""{BARS}
svg.curve {{ display: block; overflow: visible; width: calc(100% - 3rem); margin-left: 3rem; }}
svg.curve text {{ fill: var(--soft); font-size: 12px; }}
svg.curve text.here {{ fill: var(--ink); }}
svg.curve line.here {{ stroke: var(--ink); stroke-dasharray: 4 4; }}
svg.curve path {{ fill: none; stroke: var(--ours); stroke-width: 2; vector-effect: non-scaling-stroke; }}
figure.drawn {{ max-width: 44rem; margin-inline: auto; }}
.needs {{ display: grid; grid-template-columns: minmax(6rem, 14rem) auto 1fr; gap: .35rem .8rem; align-items: center; }}
p.axis + svg.curve {{ margin-top: .6rem; }}
.needs span {{ overflow-wrap: anywhere; }}
.needs .figure {{ text-align: right; font-variant-numeric: tabular-nums; }}
.needs > div {{ display: contents; }}
@media (max-width: 40rem) {{
  .needs > div {{ display: grid; grid-template-columns: 1fr auto; gap: .1rem .8rem; }}
  .needs {{ grid-template-columns: 1fr; }} .needs svg {{ grid-column: 1 / -1; }}
}}
"""


def heads_of(plan: Plan) -> list[str]:
    """The heads of the rows of a plan."""
    return ["question", "replies", "margin", *([] if plan.power is None else ["power"]), "theta", "epsilon"]


def rows_of(plan: Plan) -> list[list[object]]:
    """What each figure of a plan needs, and is given."""
    return [
        [each.question, each.n, each.margin, *([] if each.power is None else [each.power]),
         "-" if each.theta is None else f"{each.theta:g}", str(epsilon_word(each.epsilon))]
        for each in plan.questions or (plan,)
    ]  # fmt: skip


def plan_page(plan: Plan, title: str) -> str:
    """The plan as one page that needs nothing else."""
    rows = [[_shown(cell) for cell in row] for row in rows_of(plan)]
    parts = [
        f"<p>{escaped(plan)}.</p>",
        f"<h2>If more reply, or fewer</h2>{plan_curve(plan)}",
        f"<h2>In figures</h2>{scrolled(_around(plan), 'In figures')}",
    ]
    if len(plan.questions) > 1:
        parts.append(_bars(plan))
    parts.append(f"<h2>The plan</h2>{scrolled(table(heads_of(plan), rows), 'Plan')}")
    return document(
        f"{title}: how many replies it takes" if title else "How many replies it takes", "\n".join(parts), STYLE
    )


def plan_curve(plan: Plan) -> str:
    """Margin or power by the number of replies."""
    gives, word, top, lines = _scale(plan)
    heights = [gives(plan.n * AROUND ** (2 * step / POINTS - 1)) / top for step in range(POINTS + 1)]
    path = " ".join(f"{100 * step / POINTS:.2f},{100 - 100 * height:.2f}" for step, height in enumerate(heights))
    marks = []
    for line in lines:
        y = TALL - TALL * line / top
        marks.append(f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{line:.4g}</text>')
    for replies in round_numbers(plan.n):
        x = f"{100 * _place(replies, plan.n):.2f}%"
        marks.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TALL}" y2="{TALL + 5}"/>')
        marks.append(f'<text x="{x}" y="{TALL + 20}" text-anchor="middle">{replies:,}</text>')
    marks.append(f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="{TALL}" '
                 f'overflow="visible"><path d="M{path}"/></svg>')  # fmt: skip
    here = gives(plan.n)
    y = TALL - TALL * here / top
    marks.append(f'<line class="here" x1="50%" x2="50%" y1="{y:.1f}" y2="{TALL}"/>')
    anchor, x = ("end", "48.5%") if plan.power is not None else ("start", "51.5%")
    marks.append(f'<text class="here" x="{x}" y="{y - 6:.1f}" text-anchor="{anchor}">{plan.n:,}: {here:.4f}</text>')
    label = f"{word} of {plan.question} by the number of replies: {here:.4f} with {plan.n:,}"
    note = f"{word.capitalize()} of {plan.question} by the number of replies, all else as planned."
    return (
        f'<figure class="drawn"><p class="axis">{word}</p><svg class="curve" role="img" aria-label="{escaped(label)}" '
        f'height="{TALL + FOOT}">{"".join(marks)}</svg><p class="axis across">{SCALE}</p>'
        f"<figcaption>{escaped(note)}</figcaption></figure>"
    )


def _scale(plan: Plan) -> tuple[Callable[[float], float], str, float, Sequence[float]]:
    """What replies give, its name, the top of the picture and the lines in it."""
    if plan.power is not None:
        return plan.power_of, "power", 1.0, (0.0, 0.25, 0.5, 0.75, 1.0)
    top = max(plan.margin_of(plan.n / AROUND), 1e-12)
    step = 10 ** floor(log10(top / 2))
    step *= next(each for each in (5, 2, 1) if each * step <= top / 2)
    return plan.margin_of, "margin", top, [step * line for line in range(int(top / step) + 1)]


def _around(plan: Plan) -> str:
    """What some numbers of replies give, in figures."""
    gives, word, _, _ = _scale(plan)
    return table(["replies", word], [(f"{n:,}", f"{gives(n):.4f}") for n in sorted({*round_numbers(plan.n), plan.n})])


def round_numbers(n: int) -> list[int]:
    """Round numbers of replies around a plan, none of them at the picture's edge."""
    first = floor(log10(max(n / AROUND, 1)))
    found = [digit * 10**power for power in range(first, first + 3) for digit in (1, 2, 5)]
    return [each for each in found if 0.03 < _place(each, n) < 0.97]


def _place(replies: float, n: int) -> float:
    """How far to the right a number of replies lies."""
    return 0.5 + log(replies / n) / (2 * log(AROUND))


def _bars(plan: Plan) -> str:
    """Each figure's replies as a bar; its margin or power, where the replies are given."""
    rows = sorted(plan.questions, key=lambda each: (-each.n, each.power or 0.0, -each.margin))
    alike = len({each.n for each in rows}) == 1
    lengths = [_given(each) if alike else each.n for each in rows]
    lines = []
    for each, length in list(zip(rows, lengths, strict=True))[:MAX_BARS]:
        shown = f"{length:.4f}" if alike else f"{each.n:,}"
        width = 100 * length / max(*lengths, 1e-300)
        lines.append(
            f'<div><span>{escaped(each.question)}</span><span class="figure">{shown}</span><svg aria-hidden="true" '
            f'width="100%" height="{THICK}"><rect class="estimate" width="{width:.2f}%" height="{THICK}" rx="2"/></svg>'
            "</div>"
        )
    more = f" The first {MAX_BARS} are shown." if len(rows) > MAX_BARS else ""
    word = "Replies" if not alike else "Margin" if plan.power is None else "Power"
    note = f"{word} of each, the most demanding first.{more}"
    return (
        f'<h2>What each {"gets" if alike else "needs"}</h2><figure class="drawn"><div class="needs">{"".join(lines)}'
        f"</div><figcaption>{note}</figcaption></figure>"
    )


def _given(plan: Plan) -> float:
    return plan.margin if plan.power is None else plan.power


def _shown(cell: object) -> object:
    return f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell
