"""Grouping sets: SQL that counts several sets of columns in one pass over a table.

    select a, b, c, count(*), which from replies group by grouping sets ((a, c), (b, c))

A row is null in the columns that its set lacks, and where a value is missing. `which` tells these apart: whole numbers
with one bit for each column, which is 1 where the row's set lacks the column.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

BITS = 32  # of each number; wide tables need several of them
MAX_SETS = 16  # in one pass: engines hold a hash table for each


@dataclass(frozen=True)
class GroupingSets:
    """Sets of columns to count, no two with the same columns."""

    sets: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, many: Sequence[Sequence[str]]) -> "GroupingSets":
        """Each set once; the order of its columns makes no other set."""
        return cls(tuple({frozenset(names): tuple(names) for names in many}.values()))

    def passes(self, size: int = MAX_SETS) -> list["GroupingSets"]:
        """The same sets, a few in each pass: passes over different columns read little twice."""
        return [GroupingSets(self.sets[start : start + size]) for start in range(0, len(self.sets), size)]

    @cached_property
    def columns(self) -> list[str]:
        """The columns of all sets."""
        return list(dict.fromkeys(name for names in self.sets for name in names))

    def query(self, source: str, quoted: Callable[[str], str]) -> str:
        """The whole query over a table or what reads one."""
        return f"select {self.selected(quoted)} from {source} group by {self.grouped(quoted)}"

    def selected(self, quoted: Callable[[str], str]) -> str:
        """The columns, how often each row occurs, and, of several sets, the numbers that say to which it belongs."""
        columns = [quoted(name) for name in self.columns]
        which = [
            " + ".join(f"cast(grouping({name}) as bigint) * {1 << bit}" for bit, name in enumerate(some))
            for some in _pieces(columns)
        ]
        return ", ".join([*columns, "count(*)", *(which if len(self.sets) > 1 else [])])

    def grouped(self, quoted: Callable[[str], str]) -> str:
        """What to group by."""
        sets = ", ".join(f"({', '.join(map(quoted, names))})" for names in self.sets)
        return f"grouping sets ({sets})"

    def which(self, names: Sequence[str]) -> tuple[int, ...]:
        """The numbers in the rows of the set that has these columns; none if it is the only set."""
        lacking = [[name not in names for name in some] for some in _pieces(self.columns)]
        numbers = tuple(sum(absent << bit for bit, absent in enumerate(some)) for some in lacking)
        return numbers if len(self.sets) > 1 else ()


def _pieces(columns: Sequence[str]) -> list[Sequence[str]]:
    return [columns[start : start + BITS] for start in range(0, len(columns), BITS)]
