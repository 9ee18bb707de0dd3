"""Members of a subpopulation: the replies that may be theirs, found when they are first asked for.

A leaf of a tree has counts, which those of the node above it determine. Its replies themselves are never looked at.
"""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from numpy.typing import NDArray

from deniable.inference.population.records import Rows

Found = TypeVar("Found")


class Members(NamedTuple):
    """Replies whose weight is not zero."""

    rows: Rows  # [row] their index
    bins: NDArray[Any]  # [row] weight class and reported class as one number


class Once(Generic[Found]):
    """Something that is found when it is first asked for; what it is found from is then let go."""

    def __init__(self, find: Callable[[], Found]) -> None:
        self._find: Callable[[], Found] | None = find

    def __call__(self) -> Found:
        if self._find is not None:
            self._found, self._find = self._find(), None
        return self._found
