"""Tables that fit a terminal: what gives way where columns are too wide, so that no figure is ever cut.

In this order: columns without entries go; heads of several words fold; columns move closer; long notes move below the
table; columns of words fold between words. Where even that is too wide, each row becomes a list of heads and values.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from rich.cells import cell_len

GAP, CLOSE = 3, 2  # characters between columns, and where there is little room
MAX_WORD = 24  # characters of a word that is not broken to let a table stay one
SHORT_NOTE = 8  # characters of notes that stay in their row
NOTE = "note"
FIGURE = re.compile(r"(-|infinity|[^A-Za-z]*( to [^A-Za-z]*)?|[-\d.,]+e[-+]\d+)")


@dataclass(frozen=True)
class Layout:
    """A table as it is printed; without widths, row by row as lists."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]  # columns of numbers alone
    widths: tuple[int, ...] | None = ()
    gap: int = GAP
    below: tuple[str, ...] = ()  # notes, one a line


def fitted(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], room: int) -> Layout:
    """The table in so many characters; unchanged, if it fits."""
    whole = table = Layout(tuple(heads), tuple(tuple(row) for row in rows), tuple(right))
    for change in (lambda same: same, _without_empty, _with_folded_heads, _closer, _with_notes_below):
        table = change(table)
        widths = _widths(table)
        if _whole(table, widths) <= room:
            return replace(table, widths=widths)
    folded = _folded_widths(table, room)
    return replace(_without_empty(whole) if folded is None else table, widths=folded)


def _widths(table: Layout) -> tuple[int, ...]:
    return tuple(
        max(cell_len(line) for cell in column for line in cell.split("\n"))
        for column in zip(table.heads, *table.rows, strict=True)
    )


def _whole(table: Layout, widths: Sequence[int]) -> int:
    return sum(widths) + table.gap * len(widths) + 1  # a blank before the first column, a whole gap behind the last


def _column(table: Layout, index: int) -> list[str]:
    return [row[index] for row in table.rows]


def _kept(table: Layout, kept: Sequence[int]) -> Layout:
    return replace(
        table,
        heads=tuple(table.heads[index] for index in kept),
        right=tuple(table.right[index] for index in kept),
        rows=tuple(tuple(row[index] for index in kept) for row in table.rows),
    )


def _without_empty(table: Layout) -> Layout:
    return _kept(table, [index for index in range(len(table.heads)) if any(_column(table, index))])


def _with_folded_heads(table: Layout) -> Layout:
    heads = []
    for index, head in enumerate(table.heads):
        words = [cell_len(word) for word in head.split()]
        heads.append("\n".join(wrap(head, max([1, *words, *map(cell_len, _column(table, index))]))))
    return replace(table, heads=tuple(heads))


def _closer(table: Layout) -> Layout:
    return replace(table, gap=CLOSE)


def _with_notes_below(table: Layout) -> Layout:
    """Notes that differ get a number; one that all rows share needs none."""
    if NOTE not in table.heads:
        return table
    index = table.heads.index(NOTE)
    notes = _column(table, index)
    distinct = list(dict.fromkeys(filter(None, notes)))
    if len(set(notes)) == 1:
        others = [each for each in range(len(table.heads)) if each != index]
        return replace(_kept(table, others), below=(f"{NOTE}: {distinct[0]}",))
    if max(map(len, distinct)) <= SHORT_NOTE:
        return table
    mark = {"": "", **{note: f"[{place}]" for place, note in enumerate(distinct, 1)}}
    rows = tuple((*row[:index], mark[row[index]], *row[index + 1 :]) for row in table.rows)
    return replace(table, rows=rows, below=tuple(f"{mark[note]} {note}" for note in distinct))


def _folded_widths(table: Layout, room: int) -> tuple[int, ...] | None:
    """Widths that fold words alone, the widest column first; none if figures or words would be broken."""
    given = list(_widths(table))
    least = [width if _is_figures(table, index) else _longest_word(table, index) for index, width in enumerate(given)]
    while _whole(table, given) > room:
        if not (loose := [index for index, width in enumerate(given) if width > least[index]]):
            return None
        given[max(loose, key=given.__getitem__)] -= 1
    return tuple(given)


def _is_figures(table: Layout, index: int) -> bool:
    return all(FIGURE.fullmatch(cell) for cell in _column(table, index))


def _longest_word(table: Layout, index: int) -> int:
    cells = [table.heads[index], *_column(table, index)]
    return min(MAX_WORD, max((cell_len(word) for cell in cells for word in cell.split()), default=0))
