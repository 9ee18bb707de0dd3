"""Learning curves that people can read: expected accuracy by the number of replies, as a picture and a table.

Replies lie on a logarithmic scale. Lines are paths in a square that is stretched to the width at hand; words lie
outside of it, so that they are not.
"""

from collections.abc import Callable
from math import ceil, floor, log

from deniable.judge.accuracy import Accuracy
from deniable.judge.curve import Curve
from deniable.report.bars import STYLE as BARS
from deniable.report.judged import paragraphs
from deniable.report.page import document, escaped, scrolled, table
from deniable.report.plans import SCALE

TALL, FOOT = 240, 34  # of the picture, and of the words below it
STEP = 0.1  # between lines of accuracy
STYLE = f"""{BARS}
svg.curve {{ display: block; overflow: visible; width: calc(100% - 3rem); margin-left: 3rem; }}
svg.curve text {{ fill: var(--soft); font-size: 12px; }}
path.model {{ fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke: var(--ours); }}
path.pairwise {{ stroke-dasharray: 7 4; }}
svg.curve .beside {{ stroke: var(--soft); stroke-dasharray: 2 4; }}
p.axis + svg.curve {{ margin-top: .6rem; }}
figure.drawn {{ max-width: 44rem; margin-inline: auto; }}
.key {{ display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: 0 0 1rem 3rem; font-size: .9rem; padding: 0;
       list-style: none; }}
.key svg {{ vertical-align: middle; margin-right: .4rem; }}
"""
MODELS = {"naive_bayes": "naive Bayes", "pairwise": "pairwise model"}


def curve_page(found: Curve, title: str) -> str:
    """What so many replies teach, as one page that needs nothing else."""
    heads = ["replies", "model", "accuracy", "95 % interval", "note"]
    rows = [
        (f"{row['replies']:,}", MODELS[row["model"]], f"{row['accuracy']:.3f}",
         f"{row['low']:.3f} to {row['high']:.3f}", row["note"])
        for row in found.rows
    ]  # fmt: skip
    beside = [(name, f"{each.naive_bayes:.3f}", f"{each.pairwise:.3f}") for name, each in found.baselines.items()]
    parts = [
        paragraphs([f"{line[0].upper()}{line[1:]}." for line in str(found).splitlines()]),
        curve_picture(found),
        "<h2>In figures</h2>",
        scrolled(table(heads, rows), "Accuracy by replies"),
        "<h2>Without a disguise</h2>",
        scrolled(table(["who is asked", *MODELS.values()], beside), "Without a disguise"),
    ]
    heading = f"what replies teach about {found.target}"
    return document(f"{title}: {heading}" if title else f"{heading[0].upper()}{heading[1:]}", "".join(parts), STYLE)


def curve_picture(found: Curve) -> str:
    """Both models by the number of replies, and what is reached without a disguise as lines across."""
    told = [each.to_json() for each in (*found.points.values(), *found.baselines.values())]
    shown = [accuracy for each in told for accuracy in each.values()]
    low, high = floor(min(shown) / STEP) * STEP, ceil(max(shown) / STEP) * STEP
    first, last = min(found.points), max(found.points)

    def place(replies: float) -> float:
        return log(replies / first) / log(last / first) if last > first else 0.5

    def height(accuracy: float) -> float:
        return TALL * (1 - (accuracy - low) / max(high - low, STEP))

    marks = []
    for index in range(round((high - low) / STEP) + 1):
        y = height(low + index * STEP)
        marks.append(f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{low + index * STEP:.1f}</text>')
    for replies in found.points:
        anchor = {first: "start", last: "end"}.get(replies, "middle")
        marks.append(f'<text x="{100 * place(replies):.2f}%" y="{TALL + 20}" text-anchor="{anchor}">{replies:,}</text>')
    marks += _across(found, height)
    paths = [f'<path class="model {name}" d="M{_line(found, name, place, height)}"/>' for name in MODELS]
    marks.append(f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="{TALL}" '
                 f'overflow="visible">{"".join(paths)}</svg>')  # fmt: skip
    label = f"expected accuracy for {found.target} by the number of replies"
    note = f"{label[0].upper()}{label[1:]}. {found.note[0].upper()}{found.note[1:]}."
    return (
        f'<figure class="drawn">{_key()}<p class="axis">accuracy</p><svg class="curve" role="img" '
        f'aria-label="{escaped(label)}" height="{TALL + FOOT}">{"".join(marks)}</svg>'
        f'<p class="axis across">{SCALE}</p><figcaption>{escaped(note)}</figcaption></figure>'
    )


def _line(found: Curve, model: str, place: Callable[[float], float], height: Callable[[float], float]) -> str:
    """The points of one model, in a square of 100 by 100."""
    return " ".join(
        f"{100 * place(replies):.2f},{100 * height(getattr(each, model)) / TALL:.2f}"
        for replies, each in found.points.items()
    )


def _across(found: Curve, height: Callable[[float], float]) -> list[str]:
    """Lines at what is reached without a disguise; words that would lie on each other are moved apart."""
    marks, last = [], float("-inf")
    for name, each in sorted(_shown(found).items(), key=lambda item: -item[1].best):
        y = height(each.best)
        text = max(y - 5, last + 14)
        last = text
        marks.append(f'<line class="beside" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<text x="4" y="{text:.1f}">{escaped(name)}: {each.best:.3f}</text>')
    return marks


def _shown(found: Curve) -> dict[str, Accuracy]:
    return {name: each for name, each in found.baselines.items() if name != "the pilot alone"}


def _key() -> str:
    rows = "".join(
        f'<li><svg width="40" height="10" aria-hidden="true"><path class="model {name}" d="M0,5 40,5"/></svg>'
        f"{word}</li>"
        for name, word in MODELS.items()
    )
    return f'<ul class="key">{rows}</ul>'
