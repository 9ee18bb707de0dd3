"""Issuer: the public keys, one for each round, of a survey whose respondents need invitations.

They are part of the promise, and so of the fingerprint. A collector who gave everybody a key of their own could tell
replies apart by their keys; with other keys it is another survey, and its address shows that. The secret halves sign in
`collect.issuing`, `web.signing` checks signatures.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deniable.errors import BadDesignFile

BITS = 2048
MODULUS = re.compile(r"[89a-f][0-9a-f]{511}")  # of so many bits, in hex
ROUNDS = ("reply", "follow_up")


@dataclass(frozen=True)
class Issuer:
    """The moduli of two RSA keys, in hex: one signs for replies, one for the second round."""

    reply: str
    follow_up: str

    @classmethod
    def read(cls, where: str, table: Mapping[str, Any]) -> "Issuer":
        """The keys in a design."""
        for name in ROUNDS:
            if not isinstance(table.get(name), str) or not MODULUS.fullmatch(table[name]):
                problem = f"needs {name} = the modulus of a key of {BITS:,} bits, in hex"
                raise BadDesignFile(where, problem, "copy it from the published design")
        if unknown := sorted(set(table) - set(ROUNDS)):
            raise BadDesignFile.key(where, unknown[0], ROUNDS)
        if table["reply"] == table["follow_up"]:
            raise BadDesignFile(where, "has one key for both rounds", "copy both from the published design")
        return cls(table["reply"], table["follow_up"])

    def modulus(self, for_round: str) -> int:
        """Of the key for a round: "reply" or "follow-up"."""
        return int(self.reply if for_round == "reply" else self.follow_up, 16)

    def published(self) -> dict[str, str]:
        """As everybody gets it."""
        return {"reply": self.reply, "follow_up": self.follow_up}
