"""Invitations: words that let one person reply once, and that nobody can find again among the replies.

The store holds only a hash of each invitation, apart from the replies, and forgets it when it is spent. One
invitation serves once per round: for the reply, and for the follow-up.
"""

from hashlib import sha256
from secrets import token_urlsafe
from typing import Literal

Round = Literal["reply", "follow-up"]
ROUNDS: tuple[Round, ...] = ("reply", "follow-up")
RANDOM_BYTES = 16
MOST_LETTERS = 64


def new_invitation() -> str:
    """An invitation that nobody can guess."""
    return token_urlsafe(RANDOM_BYTES)


def hashed(invitation: str, fingerprint: str, for_round: Round) -> bytes:
    """What the store knows an invitation by."""
    return sha256(f"{for_round} {fingerprint} {invitation}".encode()).digest()
