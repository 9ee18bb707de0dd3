"""Invitations: words that let one person reply once, and that nobody can find again among the replies.

The store holds only a hash of each invitation, apart from the replies. One invitation serves once per round: for the
reply, and for the second round's digit. A device trades it for a blind signature (issuing.py), which then lets the
reply in; the store keeps the hash of what was blinded, so that a device whose answer was lost can ask for the same
again. In surveys that opened without keys an invitation goes with the reply itself, and is forgotten when it is spent.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Literal

Round = Literal["reply", "follow-up"]
ROUNDS: tuple[Round, ...] = ("reply", "follow-up")
RANDOM_BYTES = 16
MAX_LETTERS = 64
IN_LINK = "#invitation="  # what follows never travels in an address


@dataclass(frozen=True, slots=True)
class Trade:
    """An invitation that is to be traded for a signature: for which round, and the hash of what was blinded."""

    round: Round
    blinded: bytes


def new_invitation() -> str:
    """An invitation that nobody can guess."""
    return token_urlsafe(RANDOM_BYTES)


def link(site_url: str, fingerprint: str, invitation: str) -> str:
    """The address that lets one person answer a survey."""
    return f"{site_url.rstrip('/')}/survey/{fingerprint}{IN_LINK}{invitation}"


def invitation_in(link: str) -> str:
    """The invitation in such an address, or the text itself if it is a bare one."""
    return link.rpartition(IN_LINK)[2]


def survey_in(link: str) -> str | None:
    """The fingerprint in such an address, if it has one."""
    found = re.search(r"/survey/([0-9a-f]{64})#", link)
    return found and found[1]


def hashed(invitation: str, fingerprint: str, for_round: Round) -> bytes:
    """What the store knows an invitation by."""
    return sha256(f"{for_round} {fingerprint} {invitation}".encode()).digest()
