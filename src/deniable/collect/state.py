"""State of a survey: when it is open, whether it needs invitations, and which model it has published."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from deniable.errors import BadRequest


@dataclass(frozen=True)
class State:
    """A survey's days (both included, in UTC), its need of invitations, and its model's digest."""

    opens: date | None = None
    closes: date | None = None
    invitations: bool = False
    model: str | None = None
    tested: bool = False  # by digits that a lottery in the model's text disguises
    signed: bool = False  # invitations are traded for signatures
    closed: bool = False  # by the collector, whatever the days say

    def is_open(self, day: date) -> bool:
        """Whether replies are taken on that day."""
        if self.closed:
            return False
        return (self.opens is None or self.opens <= day) and (self.closes is None or day <= self.closes)

    def to_json(self) -> dict[str, Any]:
        """What is sent to respondents' devices."""
        return {
            "open": self.is_open(today()),
            "opens": None if self.opens is None else self.opens.isoformat(),
            "closes": None if self.closes is None else self.closes.isoformat(),
            "invitations": self.invitations or self.signed,
            "model": self.model,
        }


def today() -> date:
    """The day it is, in UTC."""
    return datetime.now(UTC).date()


def day_of(name: str, text: str | None) -> date | None:
    """The day that is written there, if any."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadRequest(name, "a day such as 2026-12-31", text, "correct it") from None
