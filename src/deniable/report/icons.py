"""Icon arrays: a hundred people, some of them filled, for readers who do not read per cents.

A picture has two paths, so that a page of many stays small; those of whom something is true are filled, the others are
outlines, so that it can be recognised on paper without colours.
"""

from deniable.deniability.hundred import Hundred
from deniable.report.page import escaped

PEOPLE, ROW = 100, 10
WIDE, TALL = 14, 17  # of one person, with the room around
PERSON = "m4.4 0a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0m-1.4 10.6v-3.6a3.8 3.8 0 0 1 7.6 0v3.6z"  # a head, a body
STYLE = """
.arrays { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.6rem, 1fr)); gap: 1.5rem;
          margin: 1rem 0; }
.arrays figure { margin: 0; break-inside: avoid; }
.arrays figcaption { margin: .5rem 0 0; color: inherit; font-size: .9rem; line-height: 1.4; }
.arrays svg { display: block; }
@media print { .arrays { grid-template-columns: repeat(4, 1fr); gap: 1rem; } .arrays svg { width: 80%; height: auto; } }
.people .some { fill: var(--ours); stroke: var(--ours); }
.people .rest { fill: none; stroke: var(--soft); }
"""


def icon_array(some: int, label: str) -> str:
    """A hundred people, of whom the first `some` are filled."""
    height = PEOPLE // ROW * TALL
    kinds = {"some": range(some), "rest": range(some, PEOPLE)}
    paths = [f'<path class="{kind}" d="{_drawn(which)}"/>' for kind, which in kinds.items() if which]
    return (
        f'<svg class="people" role="img" aria-label="{escaped(label)}" width="{ROW * WIDE}" height="{height}" '
        f'viewBox="0 0 {ROW * WIDE} {height}">{"".join(paths)}</svg>'
    )


def hundreds(found: Hundred, title: str) -> str:
    """What a report says about one question, as hundreds of people beside each other."""
    answer = f"“{escaped(found.answer)}”"
    same = found.report is not None
    sends = f"send {answer}" if same else f"send what speaks most for {answer}"
    another = "send another answer" if same else "send anything else"
    figures = [
        _figure(found.before, f"Of any 100 people, {found.before} would truly say {answer} (assumed)."),
        _figure(found.reporting, f"Of 100 who {sends}, about <b>{found.reporting}</b> truly would."),
        _figure(found.others, f"Of 100 who {another}, about <b>{found.others}</b> truly would."),
    ]
    if found.surest > max(found.reporting, found.others):
        clearest = f"Of 100 whose <i>whole reply</i> speaks most clearly for {answer}"
        denied = " That cannot be denied." if found.surest == PEOPLE else ""
        figures.append(_figure(found.surest, f"{clearest}, about <b>{found.surest}</b> truly would.{denied}"))
    return f'<div class="question"><h3>{escaped(title)}</h3><div class="arrays">{"".join(figures)}</div></div>'


def _figure(some: int, caption: str) -> str:
    """An icon array with its caption below; the caption is HTML already."""
    return f"<figure>{icon_array(some, f'{some} of 100 people')}<figcaption>{caption}</figcaption></figure>"


def _drawn(which: range) -> str:
    return "".join(f"M{index % ROW * WIDE} {index // ROW * TALL + 3.4:.1f}{PERSON}" for index in which)
