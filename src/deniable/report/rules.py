"""Rules that people can read."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from deniable.inference.error import Z
from deniable.report.bars import STYLE as BARS
from deniable.report.bars import Bar, share_bar
from deniable.report.page import document, escaped

HEADS = ["rule", "support", "confidence", "lift", "note"]
ABOVE_ONE = (
    "An estimated confidence or support can exceed 1, or fall below 0, because of the disguise's noise; the true one "
    "cannot, and the standard error behind ± tells how far off the estimate may be."
)
STYLE = f"""{BARS}
.rules {{ width: 100%; margin-inline: auto; max-width: 60rem; }}
.rules .items {{ display: inline-block; max-width: 100%; overflow-wrap: anywhere; }}
.rules td.word {{ min-width: 12rem; }}
@media print {{
  .rules {{ font-size: 9pt; }}
  .rules th, .rules td {{ padding-inline: .3rem; }}
  .rules td.word {{ min-width: 9rem; }}
  .rules td.picture {{ min-width: 6rem; }}
  .rules tr {{ break-inside: avoid; }}
}}
"""


def rows(found: Mapping[str, Sequence[Any]], by: str) -> list[tuple[str, ...]]:
    """Each rule as words and figures, the highest first."""
    return [
        (
            f"{_words(found['antecedents'][index])} -> {_words(found['consequents'][index])}",
            *[_figure(found, name, index) for name in HEADS[1:-1]],
            found["note"][index],
        )
        for index in _order(found, by)
    ]


def explained(found: Mapping[str, Sequence[Any]]) -> list[str]:
    """A sentence on shares that no truth could have, where there are some."""
    beyond = any(not 0 <= value <= 1 for name in ("support", "confidence") for value in found[name])
    return [ABOVE_ONE] if beyond else []


def documents(found: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Each rule as JSON; a figure that is not finite is null."""
    return [
        {name: _plain(value) for name, value in zip(found, values, strict=True)}
        for values in zip(*found.values(), strict=True)
    ]


def page(title: str, about: Sequence[str], found: Mapping[str, Sequence[Any]], by: str, most: int) -> str:
    """A page of rules, which needs nothing else: the highest first, each confidence with its interval."""
    paragraphs = [f"<p>{escaped(each)}</p>" for each in about]
    notes = any(found["note"])
    names = ["rule", "support", "confidence", "0 to 100 %", "lift", *["note"] * notes]
    kinds = dict.fromkeys(HEADS[1:-1], ' class="figure"')
    heads = "".join(f"<th{kinds.get(name, '')}>{name}</th>" for name in names)
    lines = "".join(_row(found, index, notes) for index in _order(found, by)[:most])
    shown = f'<table class="rules stacked"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>'
    return document(title, "\n".join([*paragraphs, f'<div class="wide">{shown}</div>']), STYLE)


def _row(found: Mapping[str, Sequence[Any]], index: int, notes: bool) -> str:
    value, stderr = found["confidence"][index], found["confidence_stderr"][index]
    around = Z * stderr if isfinite(stderr) else 0.0
    words = f"{_words(found['antecedents'][index])} -> {_words(found['consequents'][index])}"
    bar = share_bar(Bar(value, value - around, value + around, label=f"confidence of {words}"))
    support, confidence, lift = (
        f'<td class="figure" data-head="{name}">{escaped(_figure(found, name, index))}</td>' for name in HEADS[1:-1]
    )
    note = f"<td>{escaped(found['note'][index])}</td>" * notes
    picture = f'<td class="picture">{bar}</td>'
    rule = f'<td class="word" title="{escaped(words)}">{_arrowed(found, index)}</td>'
    return f"<tr>{rule}{support}{confidence}{picture}{lift}{note}</tr>"


def _arrowed(found: Mapping[str, Sequence[Any]], index: int) -> str:
    """A rule whose items are whole, and whose arrow stays with the first item that follows from it."""
    sides = [[escaped(each) for each in sorted(found[side][index])] for side in ("antecedents", "consequents")]
    sides[1][0] = f"→\N{NO-BREAK SPACE}{sides[1][0]}"
    words = [f"{word}," if place < len(side) - 1 else word for side in sides for place, word in enumerate(side)]
    return " ".join(f'<span class="items">{word}</span>' for word in words)


def _order(found: Mapping[str, Sequence[Any]], by: str) -> list[int]:
    return sorted(range(len(found[by])), key=lambda index: -found[by][index])


def _figure(found: Mapping[str, Sequence[Any]], name: str, index: int) -> str:
    return f"{found[name][index]:.4f}±{found[f'{name}_stderr'][index]:.4f}"


def _words(items: frozenset[str]) -> str:
    return ", ".join(sorted(items))


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return None if isinstance(value, float) and not isfinite(value) else value
