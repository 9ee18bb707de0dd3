"""Invitations traded for blind signatures, and the signatures that replies bring along.

A device shows its invitation and a number behind which its reply's random id is hidden; it gets that number signed.
Later it sends the reply with the signature on its id, and no invitation. Nothing in the two requests goes together.
"""

import json
import re
from base64 import urlsafe_b64decode
from binascii import Error
from functools import cached_property
from hashlib import sha256

import msgspec
from anyio import to_thread
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA384

from deniable.channel.blind import RANDOM_BYTES, SALT_BYTES, E
from deniable.channel.issuer import BITS, Issuer
from deniable.collect.invitation import MAX_LETTERS, ROUNDS, Round, Trade
from deniable.collect.issuing import SecretKeys
from deniable.collect.store import Arrival
from deniable.errors import BadReply

HEX_DIGITS = BITS // 4
HEX = re.compile(f"[0-9a-f]{{{HEX_DIGITS}}}")
HEADER_LETTERS = -(-(RANDOM_BYTES + BITS // 8) * 4 // 3)
PADDING = PSS(MGF1(SHA384()), SALT_BYTES)


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    invitation: str
    round: str
    blinded: str


_DECODER = msgspec.json.Decoder(_Message)


class Checker:
    """Checks the signatures of one issuer."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer

    @cached_property
    def _keys(self) -> dict[Round, RSAPublicKey]:
        return {each: RSAPublicNumbers(E, self._issuer.modulus(each)).public_key() for each in ROUNDS}

    def is_signed(self, for_round: Round, name: bytes, header: str | None) -> bool:
        """Whether a header holds the random bytes and the signature that belong to this id."""
        if header is None or len(header) != HEADER_LETTERS:
            return False
        try:
            brought = urlsafe_b64decode(header + "=" * (-len(header) % 4))
            random, signature = brought[:RANDOM_BYTES], brought[RANDOM_BYTES:]
            self._keys[for_round].verify(signature, random + name, PADDING, SHA384())
        except (InvalidSignature, Error, ValueError):
            return False
        return True


def read_trade(fingerprint: str, issuer: Issuer | None, body: bytes) -> tuple[Arrival, bytes]:
    """The trade that these bytes ask for, and what is to be signed: nothing is traded for what could not be."""
    try:
        message = _DECODER.decode(body)
        blinded = bytes.fromhex(message.blinded) if HEX.fullmatch(message.blinded) else b""
        fields = json.loads(body, object_pairs_hook=list)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise BadReply("is JSON with an invitation, a round and a blinded number in hex", "something else") from None
    for_round = next((each for each in ROUNDS if each == message.round), None)
    if for_round is None or not blinded or len(fields) != 3:
        raise BadReply(f"has one of the rounds {', '.join(ROUNDS)} and {HEX_DIGITS} hex digits", "something else")
    if issuer is not None and not 0 < int.from_bytes(blinded) < issuer.modulus(for_round):
        raise BadReply("has a blinded number below the modulus of its key", "another one")
    trade = Trade(for_round, sha256(blinded).digest())
    return Arrival(fingerprint, trade, message.invitation[:MAX_LETTERS]), blinded


async def signature(keys: SecretKeys, arrival: Arrival, blinded: bytes) -> str:
    """The blind signature in hex."""
    found = await to_thread.run_sync(keys.of(arrival.body.round).sign, blinded)
    return found.hex()
