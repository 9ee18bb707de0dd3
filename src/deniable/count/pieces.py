"""Replies in pieces: whatever is summed up over replies is summed up piece by piece, where they are.

Replies that are counted by their distinct combinations are one piece, in memory. Numbers that are taken as they are
make nearly every reply distinct, so that all of them would leave a cluster. There a piece is what a task reads: it is
worked on where it is, and only sums come back (spark_pieces.py). On one machine they are worked on in chunks
(chunked.py).

The outline of all pieces stands for them where single numbers do not matter: how many replies give which answers, who
lacks what, and the least and greatest of each number. One piece is its own outline.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from numpy.typing import NDArray

from deniable.count.counts import Distinct
from deniable.count.merged import merged

Held = TypeVar("Held")
Made = TypeVar("Made")
Arrays = Sequence[NDArray[Any]]
ROWS = 2**17  # worked on together: few enough for the processor's cache, many enough for numpy


class Pieces(ABC, Generic[Held]):
    """Replies in pieces, or what was made of each."""

    outline: Held  # what stands for all of them

    @abstractmethod
    def then(self, make: Callable[[Held], Made | None], outline: Made) -> "Pieces[Made]":
        """What `make` makes of each piece, none of one in which nothing counts; of the outline it is known already."""

    @abstractmethod
    def sum(self, terms: Callable[[Held], Arrays]) -> list[NDArray[Any]]:
        """The sums of arrays over all pieces; their shapes are those that the outline gives."""

    @abstractmethod
    def counted(self, of: Callable[[Held], Distinct]) -> Distinct:
        """The distinct rows of numbers that `of` gives of all pieces."""

    def map(self, make: Callable[[Held], Made]) -> "Pieces[Made]":
        """What `make` makes of each piece, and of the outline."""
        return self.then(make, make(self.outline))


@dataclass(frozen=True)
class OnePiece(Pieces[Held]):
    """All replies in memory."""

    outline: Held

    def then(self, make: Callable[[Held], Made | None], outline: Made) -> Pieces[Made]:
        return OnePiece(outline)

    def sum(self, terms: Callable[[Held], Arrays]) -> list[NDArray[Any]]:
        return list(terms(self.outline))

    def counted(self, of: Callable[[Held], Distinct]) -> Distinct:
        return merged(of(self.outline))


@runtime_checkable
class InPieces(Protocol):
    """Counts that may leave their replies where they are."""

    def pieces(self, names: Sequence[str], measured: Sequence[str], weights: str | None) -> Pieces[Distinct]:
        """The replies of everybody to these questions; `measured` are numbers taken as they are, `weights` their
        respondents' weights in a sample."""
        ...


def worked(found: Any, steps: Sequence[Callable[[Any], Any]]) -> Any:
    """What some steps make of a piece, one after the other; none where nothing of it counts."""
    for step in steps:
        if found is not None:
            found = step(found)
    return found


def in_one_pass(pieces: Pieces[Held], many: Sequence[Callable[[Held], Arrays]]) -> list[list[NDArray[Any]]]:
    """The sums of several terms, as many arrays for each, in one pass over the replies."""
    if not many:
        return []
    found = pieces.sum(_Terms(tuple(many)))
    each = len(found) // len(many)
    return [found[start : start + each] for start in range(0, len(found), each)]


@dataclass(frozen=True)
class _Terms(Generic[Held]):
    """Several terms of a piece, one after the other."""

    many: tuple[Callable[[Held], Arrays], ...]

    def __call__(self, piece: Held) -> Arrays:
        return [array for terms in self.many for array in terms(piece)]
