"""Type checks for values from an untrusted file.

JSON may hold a list where a string belongs, or a boolean where a number does. Every value is read by its type, and
one of another type is refused in one line that names the file.
"""

from collections.abc import Iterable
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.errors import BadModel

MAX_FIGURE = 1e100  # of shares, counts and errors, so that no sum of squares overflows
AGAIN = "save the model again"


class Care:
    """Takes values out of the file at `path`."""

    def __init__(self, path: object) -> None:
        self.path = path

    def list(self, value: Any, what: str) -> Any:
        if not isinstance(value, list):
            raise BadModel(self.path, f"needs a list of {what}, got {type(value).__name__}", AGAIN)
        return value

    def table(self, value: Any, what: str) -> Any:
        if not isinstance(value, dict):
            raise BadModel(self.path, f"needs a table as {what}, got {type(value).__name__}", AGAIN)
        return value

    def text(self, value: Any, what: str) -> str:
        if not isinstance(value, str):
            raise BadModel(self.path, f"needs a text as {what}, got {type(value).__name__}", AGAIN)
        return value

    def flag(self, value: Any, what: str) -> bool:
        """True or false; a file that does not say means false."""
        if value is not None and not isinstance(value, bool):
            raise BadModel(self.path, f"needs true or false as {what}, got {type(value).__name__}", AGAIN)
        return bool(value)

    def number(self, value: Any) -> float:
        """A finite number, or the text of one."""
        try:
            found = float(value)
        except (TypeError, ValueError, OverflowError):
            found = float("nan")
        if isinstance(value, bool) or not isfinite(found):
            raise BadModel(self.path, f"needs a finite number, got {repr(value)[:40]}", AGAIN)
        return found

    def figure(self, value: Any) -> float:
        """A number small enough that sums of squares stay finite."""
        found = self.number(value)
        if abs(found) > MAX_FIGURE:
            raise BadModel(self.path, f"needs figures up to {MAX_FIGURE:g}, got {found:g}", AGAIN)
        return found

    def figures(self, values: Any, what: str) -> NDArray[np.float64]:
        """Figures that are not negative."""
        found = np.array([self.figure(value) for value in self.list(values, what)], dtype=float)
        if (found < 0).any():
            raise BadModel(self.path, f"has negative {what}", AGAIN)
        return found

    def rising(self, values: Iterable[Any], what: str) -> None:
        """Refuse what is out of order."""
        if any(after < before for before, after in pairwise(values)):
            raise BadModel(self.path, f"has {what} that do not rise", AGAIN)

    def different(self, values: Iterable[Any], what: str) -> None:
        """Refuse what is there twice."""
        values = tuple(values)
        if len(set(values)) < len(values):
            raise BadModel(self.path, f"has {what} twice", AGAIN)
