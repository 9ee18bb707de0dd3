"""Refusals about what is read."""

from collections.abc import Iterable, Mapping, Sequence

from deniable.errors.refusal import DeniableError, nearest


class BadFile(DeniableError):
    """A file cannot be read or written."""

    def __init__(self, path: object, problem: str, way_out: str) -> None:
        super().__init__(f"{path}: {problem}", way_out)


class MissingPackage(DeniableError):
    """Something needs a package that is not installed."""

    def __init__(self, what: str, package: object, way_out: str) -> None:
        super().__init__(f"{what} needs the package {package}", way_out)


class BadDesignFile(DeniableError):
    """A design has a wrong key, value or text."""

    def __init__(self, where: str, problem: str, way_out: str) -> None:
        super().__init__(f"{where} {problem}", way_out)

    @classmethod
    def scheme(cls, where: str, scheme: object, known: Iterable[str]) -> "BadDesignFile":
        """A scheme that there is not."""
        return cls(where, f"needs a scheme, got {scheme!r}", nearest(str(scheme), known))

    @classmethod
    def key(cls, where: str, key: str, known: Iterable[str]) -> "BadDesignFile":
        """A key that the format does not have."""
        return cls(where, f"has no key {key!r}", nearest(key, known))


class MissingColumns(DeniableError):
    """The data lack columns, of questions or of ids."""

    def __init__(self, names: Sequence[str], columns: Iterable[str], what: str = "for question ") -> None:
        wanted = ", ".join(map(repr, names))
        super().__init__(f"no column {what}{wanted}", nearest(names[0], columns, "the columns are"))


class MissingValues(DeniableError):
    """Values are missing where an answer is needed."""

    def __init__(self, counts: Mapping[str, int], answers: Iterable[str] = (), numbers: Iterable[str] = ()) -> None:
        columns = ", ".join(f"{name!r} ({count})" for name, count in counts.items())
        ways = ["fill or drop these rows"]
        if set(answers) & set(counts):
            ways.append('set optional = true on the question ("prefer not to say" becomes an answer)')
        if set(numbers) & set(counts):
            ways.append("set omit = true on the number (its absence will be visible)")
        super().__init__(f"missing values in {columns}", ", or ".join(ways))


class BadReplies(DeniableError):
    """Replies that no device makes under this design."""

    def __init__(self, problem: str, way_out: str = "read the replies as they came") -> None:
        super().__init__(problem, way_out)


class NoReplies(DeniableError):
    """There is nothing to count."""

    def __init__(self, what: str, problem: str = "has no rows, expected at least one", way_out: str = "") -> None:
        super().__init__(f"{what} {problem}", way_out or "check that the right file or frame was given")


class NoAnswers(NoReplies):
    """No reply answers a question, or all of several together."""

    def __init__(self, names: Iterable[str]) -> None:
        names = list(names)
        needed = f"{'all of ' * (len(names) > 1)}{', '.join(names)}"
        super().__init__("no reply", f"answers {needed}", "collect replies that do, or ask about other questions")


class TooFewReplies(DeniableError):
    """So few replies that no distribution shows behind the noise."""

    def __init__(self, names: Iterable[str], needed: int, got: int) -> None:
        super().__init__(
            f"reconstructing {', '.join(map(repr, names))} needs at least {needed} replies, got {got}",
            "collect more, or ask dn.mean, which needs no reconstruction",
        )


class TooFewForTerms(DeniableError):
    """So few replies that they leave the coefficients of a regression open."""

    def __init__(self, got: int, coefficients: int, enough: int, gaps: str = "") -> None:
        sought = f"{coefficients} coefficient{'s' * (coefficients > 1)}"
        super().__init__(
            f"a regression with {sought} needs more replies, got {got}{f' ({gaps})' * bool(gaps)}",
            f"collect {enough} or more, or use fewer terms",
        )


class DuplicateId(DeniableError):
    """One person appears twice where each may come once."""

    def __init__(self, column: str, example: str) -> None:
        super().__init__(
            f"column {column!r} must name each person once, got {example!r} more than once", "remove the duplicates"
        )


class OtherDesign(DeniableError):
    """The replies were disguised under another design."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"these replies were disguised under design {found}, expected {expected}",
            "use the design they were collected with",
        )
