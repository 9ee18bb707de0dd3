"""Refusals about what respondents send."""

from collections.abc import Iterable

from deniable.errors.refusal import DeniableError


class BadReply(DeniableError):
    """Bytes came that are no reply to this design; what they hold is not repeated."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected a reply that {expected}, got {came}", "load the page again")


WAYS = {  # out of a refusal that sending again would meet again
    403: "send with invitations that nobody has used",
    404: "use the address of a site that serves this survey",
    409: "send each reply once",
    410: "it takes no more replies",
}


class NotAcknowledged(DeniableError):
    """A reply was sent and not acknowledged."""

    def __init__(self, url: str, problem: str, status: int | None = None) -> None:
        self.status = status  # that the site refused it with
        way = "check the site, and send again" if status is None else WAYS.get(status, "check the site, and send again")
        super().__init__(f"{url} did not acknowledge a reply: {problem}", way)


class UnknownSurvey(DeniableError):
    """A store has no survey of this design."""

    def __init__(self, fingerprint: str, known: Iterable[str]) -> None:
        marks = ", ".join(each[:16] for each in known) or "none"
        super().__init__(
            f"no survey {fingerprint[:16]} in this store, it has {marks}", "use the design that was served from it"
        )


class SurveyOver(DeniableError):
    """A survey was erased, and does not open again."""

    def __init__(self, title: str, day: str) -> None:
        named = f" {title!r}" if title else ""
        super().__init__(
            f"the survey{named} was erased from this store on {day} and stays over",
            "to ask the same again, give the design another title or wave",
        )


class NewerStore(DeniableError):
    """A store was written by a newer version of the program."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"the store has version {found}, expected at most {known}", "use a newer version of deniable")


class StoreDown(DeniableError):
    """Replies cannot be stored or read at the moment."""

    def __init__(self, store: str, problem: object) -> None:
        super().__init__(f"the store {store} does not answer ({' '.join(str(problem).split())[:200]})", "try again")
