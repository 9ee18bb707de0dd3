"""Every way we refuse.

DeniableError
├── what is asked
│   ├── BadQuestion          a question nobody could answer
│   ├── UnknownQuestion      a name that the survey or group does not have
│   ├── UnknownAnswer        a word that is not among a question's answers
│   └── OutsideRange         a number beyond the range that was promised
├── what an answer may become
│   ├── BadChance            a chance outside [0, 1]
│   ├── BadLottery           chances that are not a probability distribution
│   ├── NotNumbers           a list that should hold numbers and does not
│   ├── BadNoise             noise that hides nothing, or is given twice
│   ├── BadGroup             a question that the scheme cannot disguise
│   ├── NothingLeft          a channel that hides the answers completely
│   └── NotInOneChannel      a question that no channel, or more than one, disguises
├── what respondents send
│   ├── BadReply             bytes that are no reply to this design
│   ├── NotAcknowledged      a reply that a site did not take
│   ├── UnknownSurvey        a design whose replies are not in this store
│   ├── NewerStore           a store that a newer version has written
│   └── StoreDown            replies cannot be stored at the moment
├── what is read
│   ├── BadFile              a file that cannot be read or written
│   ├── MissingPackage       a package that is not installed
│   ├── BadDesignFile        a design file with a wrong key or value
│   ├── MissingColumns       questions without a column
│   ├── MissingValues        empty fields where an answer is needed
│   ├── NoReplies            nothing to count
│   ├── TooFewReplies        no distribution shows behind the noise
│   ├── DuplicateId          one person twice where each may come once
│   └── OtherDesign          replies that were disguised under another design
└── what is wanted to know
    ├── BadExpression        an expression that does not parse or make sense
    ├── BadRequest           an argument outside its limits
    ├── BadModel             a model file that is none
    ├── OneClass             a target with nothing to tell apart
    ├── NobodyMet            a condition that nobody seems to meet
    ├── NotInvertible        a table that cannot be estimated by inversion
    ├── UnknownItem          an item to mine for that the design does not have
    ├── NotAnItem            a question whose answers cannot be mined for
    ├── TooManySets          more sets of items, or rules, than anybody could look at
    ├── TooManyCells         a table too large to hold
    └── TooManyCombinations  a classifier too wide to be tested on disguised replies
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from deniable.refusal import DeniableError as DeniableError

# ---------------------------------------------------------------- what is asked


class BadQuestion(DeniableError):
    """A question that nobody could answer."""

    def __init__(self, name: object, problem: str, way_out: str) -> None:
        super().__init__(f"question {name!r} {problem}", way_out)


class UnknownQuestion(DeniableError):
    """A question was named that is not there."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no question {name!r} here", _nearest(name, known))


class UnknownAnswer(DeniableError):
    """A word was found that is not among the question's answers."""

    def __init__(self, question: str, words: Iterable[str], known: Iterable[str]) -> None:
        words = list(words)
        known = list(known)
        found = ", ".join(repr(word) for word in words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
        super().__init__(f"question {question!r} has no answer {found}", _nearest(words[0], known))


class OutsideRange(DeniableError):
    """A number lies outside the range that the question promises."""

    def __init__(self, question: str, expected: str, value: object, count: int, reported: bool = False) -> None:
        way_out = (
            "no disguise of the design can report this: check that design and replies belong together"
            if reported
            else "widen the range in the design or correct the data"
        )
        super().__init__(f"question {question!r} expects {expected}, got {value} ({count} of the values)", way_out)


# ---------------------------------------------------------------- what an answer may become


class BadChance(DeniableError):
    """A chance is not a number between 0 and 1."""

    def __init__(self, name: str, value: object, where: str = "") -> None:
        there = f" of the channel on {where}" if where else ""
        super().__init__(f"{name}{there} must be a chance between 0 and 1, got {value!r}", "write 0.8 for 80 %")


class BadLottery(DeniableError):
    """The chances of a lottery are not a probability distribution."""

    def __init__(self, chances: Iterable[float], what: str = "lottery chances") -> None:
        chances = tuple(chances)
        shown = ", ".join(f"{chance:g}" for chance in chances[:8]) + (", ..." if len(chances) > 8 else "")
        super().__init__(
            f"{what} must be non-negative and sum to 1, got {shown} (sum {sum(chances):g})",
            "give the remainder to one of them",
        )


class NotNumbers(DeniableError):
    """A list should hold numbers and does not."""

    def __init__(self, what: str, value: object) -> None:
        super().__init__(f"{what} must be a list of numbers, got {value!r}", "write them as [0.7, 0.3]")


class BadNoise(DeniableError):
    """Noise that hides nothing, is too wide, or is given twice or not at all."""

    def __init__(self, question: str, problem: str, way_out: str) -> None:
        super().__init__(f"the noise on {question!r} {problem}", way_out)


class BadGroup(DeniableError):
    """A question of the group is of a kind that the scheme cannot disguise."""

    def __init__(self, scheme: str, question: str, problem: str, way_out: str) -> None:
        super().__init__(f"{scheme} cannot disguise question {question!r}: {problem}", way_out)


class NothingLeft(DeniableError):
    """A channel hides the answers so completely that nothing can be estimated."""

    def __init__(self, names: Iterable[str], recipe: str, keys: str) -> None:
        super().__init__(
            f"the channel on {', '.join(names)} hides the answers completely ({recipe})", f"choose another {keys}"
        )


class NotInOneChannel(DeniableError):
    """Every question must be in exactly one channel."""

    def __init__(self, name: str, channels: int) -> None:
        if channels == 0:
            super().__init__(f"question {name!r} is in no channel", 'say scheme = "clear" if it is asked in the clear')
        else:
            super().__init__(f"question {name!r} is in {channels} channels, expected one", "take it out of the others")


# ---------------------------------------------------------------- what respondents send


class BadReply(DeniableError):
    """Bytes came that are no reply to this design; what they hold is not repeated."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected a reply that {expected}, got {came}", "load the page again")


class NotAcknowledged(DeniableError):
    """A reply was sent and not acknowledged."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"{url} did not acknowledge a reply: {problem}", "check the site, and send again")


class UnknownSurvey(DeniableError):
    """A store has no survey of this design."""

    def __init__(self, fingerprint: str, known: Iterable[str]) -> None:
        marks = ", ".join(each[:16] for each in known) or "none"
        super().__init__(
            f"no survey {fingerprint[:16]} in this store, it has {marks}", "use the design that was served from it"
        )


class NewerStore(DeniableError):
    """A store was written by a newer version of the program."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"the store has version {found}, expected at most {known}", "use a newer version of deniable")


class StoreDown(DeniableError):
    """Replies cannot be stored or read at the moment."""

    def __init__(self, store: str, problem: object) -> None:
        super().__init__(f"the store {store} does not answer ({' '.join(str(problem).split())[:200]})", "try again")


# ---------------------------------------------------------------- what is read


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
        return cls(where, f"needs a scheme, got {scheme!r}", _nearest(str(scheme), known))

    @classmethod
    def key(cls, where: str, key: str, known: Iterable[str]) -> "BadDesignFile":
        """A key that the format does not have."""
        return cls(where, f"has no key {key!r}", _nearest(key, known))


class MissingColumns(DeniableError):
    """The data lack columns, of questions or of ids."""

    def __init__(self, names: Sequence[str], columns: Iterable[str], what: str = "for question ") -> None:
        wanted = ", ".join(map(repr, names))
        super().__init__(f"no column {what}{wanted}", _nearest(names[0], columns, "the columns are"))


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


class NoReplies(DeniableError):
    """There is nothing to count."""

    def __init__(self, what: str, problem: str = "has no rows, expected at least one", way_out: str = "") -> None:
        super().__init__(f"{what} {problem}", way_out or "check that the right file or frame was given")


class TooFewReplies(DeniableError):
    """So few replies that no distribution shows behind the noise."""

    def __init__(self, names: Iterable[str], needed: int, got: int) -> None:
        super().__init__(
            f"reconstructing {', '.join(map(repr, names))} needs at least {needed} replies, got {got}",
            "collect more, or ask dn.mean, which needs no reconstruction",
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


# ---------------------------------------------------------------- what is wanted to know


class BadExpression(DeniableError):
    """An expression does not parse, or asks what the question cannot answer."""

    def __init__(self, text: str, position: int, problem: str, way_out: str) -> None:
        where = (
            f"at character {position + 1}, before {text[position:][:20]!r}" if position < len(text) else "at its end"
        )
        super().__init__(f"expression {text!r}, {where}: {problem}", way_out)


class BadRequest(DeniableError):
    """An argument is outside its limits."""

    def __init__(self, argument: str, expected: str, value: object, way_out: str) -> None:
        super().__init__(f"{argument} must be {expected}, got {value!r}", way_out)


class NobodyMet(DeniableError):
    """A share among people of whom there seem to be none."""

    def __init__(self, share: float) -> None:
        super().__init__(
            f"given must be a condition that some respondents meet, got an estimated share of {share:.4f}",
            "collect more replies or widen the condition",
        )


class NotInvertible(DeniableError):
    """The disguise cannot be inverted stably."""

    def __init__(self, names: Iterable[str], condition: float) -> None:
        super().__init__(
            f"the disguise of {', '.join(names)} has no stable inverse (condition {condition:.1e}, expected below 1e6)",
            "use iterative Bayes (method auto), or fewer cells",
        )


class UnknownItem(DeniableError):
    """An item was named that no answer of the design gives."""

    def __init__(self, word: str, known: Iterable[str]) -> None:
        super().__init__(f"no item {word!r} here", _nearest(word, known))


class NotAnItem(DeniableError):
    """The replies to a question do not simply support an answer or contradict it."""

    def __init__(self, question: str, why: str) -> None:
        self.why = why
        super().__init__(
            f"the answers to {question!r} cannot be items: {why}",
            "leave the question out (items = the names of the others), or ask dn.table about it",
        )


class TooManySets(DeniableError):
    """More sets of items, or rules, than anybody could look at."""

    def __init__(self, what: str, found: int, most: int, way_out: str) -> None:
        super().__init__(f"there are {found:,} {what}, expected at most {most:,}", way_out)


class BadModel(DeniableError):
    """A model file that is not one, or one that nobody should trust."""

    def __init__(self, path: object, problem: str, way_out: str) -> None:
        super().__init__(f"{path}: {problem}", way_out)


class OneClass(DeniableError):
    """There is nothing to tell apart."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"the target has one class only, {label!r}, expected two or more", "check that y is the target"
        )


class TooManyCombinations(DeniableError):
    """A classifier that would have to be asked about too many records."""

    def __init__(self, combinations: int, most: int, stderr: float | None = None) -> None:
        error = f", and the standard error of its accuracy would be about {stderr:.2g}" if stderr is not None else ""
        super().__init__(
            f"testing this classifier needs {combinations:,} combinations of answers, expected at most {most:,}{error}",
            "use fewer questions, or a tree, which is tested by its leaves",
        )


class TooManyCells(DeniableError):
    """The table asked for is too large to hold."""

    def __init__(self, names: Iterable[str], cells: int, limit: int) -> None:
        super().__init__(
            f"a table of {', '.join(names)} has {cells:,} cells, expected at most {limit:,}",
            "name fewer questions at once",
        )


def _nearest(name: str, known: Iterable[str], there_are: str = "there are") -> str:
    """The way out of a misspelt name: the nearest known one, or all of them."""
    known = list(known)
    known = [str(word) for word in known]
    folded = {word.casefold(): word for word in known}
    close = get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    return f"{there_are} {shown}"
