"""The base of every refusal: one line of text, in which no URL tells its password."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

START = r"(?:postgres\w*[:/]{1,4}|\w+:/{1,3})"  # of a URL, even a mistyped one
PASSWORDS = (
    re.compile(rf"({START})[^'\"\n]*(?=@)"),  # URL://USER:PASSWORD@HOST; the password may hold an @ itself
    re.compile(rf"({START}[^\s'\"/:@]+:)(?!\d+\b)[^\s'\"]*"),  # URL://USER:PASSWORD, and the host forgotten
    re.compile(rf"({START}[^\s'\"?]*\?)[^\s'\"]*"),  # URL?password=PASSWORD
    re.compile(r"(?i)(\b(?:password|passwd|pwd)=(?!=))(?:\\?'[^']*'|[^\s'\"]*)"),  # host=HOST password=PASSWORD
)


def masked(text: str) -> str:
    """A text in which URLs do not tell their passwords.

    >>> masked("postgresql://survey:secret@db.example/health: cannot be read")
    'postgresql://***@db.example/health: cannot be read'
    """
    for password in PASSWORDS:
        text = password.sub(r"\1***", text)
    return text


class DeniableError(ValueError):
    """Base of all errors raised on purpose: what is wrong, and the way out; no URL in it tells its password."""

    def __init__(self, problem: str = "", way_out: str = "") -> None:
        self.problem, self.way_out = masked(problem), masked(way_out)
        super().__init__(self._text)

    @property
    def _text(self) -> str:
        return "; ".join(filter(None, [self.problem, self.way_out]))

    def name_file(self, path: object) -> None:
        """Say in which file it was found, unless that is said already."""
        if (name := masked(str(path))) not in self.problem:
            self.problem = f"{name}: {self.problem}"
            self.args = (self._text,)


@contextmanager
def found_in(path: object) -> Iterator[None]:
    """What is refused here was found in this file."""
    try:
        yield
    except DeniableError as error:
        error.name_file(path)
        raise


def nearest(name: str, known: Iterable[str], there_are: str = "there are") -> str:
    """The way out of a misspelt name: the nearest known one, or all of them."""
    known = list(known)
    known = [str(word) for word in known]
    folded = {word.casefold(): word for word in known}
    close = get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    return f"{there_are} {shown}"
