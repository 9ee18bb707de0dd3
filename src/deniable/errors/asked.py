"""Refusals about what respondents are asked."""

from collections.abc import Iterable

from deniable.errors.refusal import DeniableError, nearest

NO_CHARACTER = "\ufffd"  # what stands where bytes are no text
TO_UTF_8 = "the file is not UTF-8: convert it (iconv -f LATIN1 -t UTF-8 old.csv > new.csv), or save it as UTF-8"


class BadQuestion(DeniableError):
    """A question that nobody could answer."""

    def __init__(self, name: object, problem: str, way_out: str) -> None:
        super().__init__(f"question {name!r} {problem}", way_out)


class UnknownQuestion(DeniableError):
    """A question was named that is not there."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no question {name!r} here", nearest(name, known))


class UnknownAnswer(DeniableError):
    """A word was found that is not among the question's answers."""

    def __init__(self, question: str, words: Iterable[str], known: Iterable[str]) -> None:
        words = list(words)
        known = list(known)
        found = ", ".join(repr(word) for word in words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
        garbled = any(NO_CHARACTER in word for word in words)
        super().__init__(
            f"question {question!r} has no answer {found}", TO_UTF_8 if garbled else nearest(words[0], known)
        )


class OutsideRange(DeniableError):
    """A number lies outside the range that the question promises."""

    def __init__(self, question: str, expected: str, value: object, count: int, reported: bool = False) -> None:
        way_out = (
            "no disguise of the design can report this: check that design and replies belong together"
            if reported
            else "widen the range in the design or correct the data"
        )
        super().__init__(f"question {question!r} expects {expected}, got {value} ({count} of the values)", way_out)
