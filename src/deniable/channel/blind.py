"""Blind signatures: RSABSSA-SHA384-PSS-Randomized of RFC 9474, as plain whole numbers.

An issuer signs a message that it cannot see. The device hides its message m behind a random factor r, the issuer raises
what it is shown to its secret exponent d, and the device takes the factor off again:

    blinded = encoded(m) r^e   blind signature = blinded^d = encoded(m)^d r    signature = blind signature / r   (mod n)

What comes out is an ordinary RSA-PSS signature, which anybody can check. Whoever compares all that was signed with all
signatures finds nothing that goes together: for every pair there is a factor that fits.

legend: n modulus, e and d public and secret exponent, r blinding factor; m is told with 32 random bytes before it
"""

from dataclasses import dataclass
from hashlib import sha384
from math import gcd
from secrets import randbelow, token_bytes

E = 65537
RANDOM_BYTES = 32  # before the message
HASH_BYTES = 48
SALT_BYTES = 48


@dataclass(frozen=True)
class Blinded:
    """A message that waits to be signed: what the issuer sees, and what takes the factor off again."""

    prepared: bytes  # 32 random bytes, and the message
    blinded: bytes
    inverse: int  # of r


def prepared(message: bytes) -> bytes:
    """A message with random bytes before it, so that nobody can guess what was signed."""
    return token_bytes(RANDOM_BYTES) + message


def blind(n: int, prepared: bytes, salt: bytes | None = None, factor: int | None = None) -> Blinded:
    """Hide a prepared message from the issuer; salt and factor are random but in tests."""
    encoded = int.from_bytes(_encoded(prepared, n.bit_length() - 1, salt or token_bytes(SALT_BYTES)))
    while factor is None or gcd(factor, n) != 1:
        factor = 1 + randbelow(n - 1)
    return Blinded(prepared, (encoded * pow(factor, E, n) % n).to_bytes(size(n)), pow(factor, -1, n))


def finalized(n: int, hidden: Blinded, blind_signature: bytes) -> bytes | None:
    """The signature, without the factor; None if the issuer has not signed what it was shown."""
    signature = (int.from_bytes(blind_signature) * hidden.inverse % n).to_bytes(size(n))
    return signature if is_signed(n, hidden.prepared, signature) else None


def is_signed(n: int, prepared: bytes, signature: bytes) -> bool:
    """Whether a prepared message has the signature of the issuer with this modulus."""
    found = int.from_bytes(signature)
    if len(signature) != size(n) or found >= n:
        return False
    bits = n.bit_length() - 1
    number = pow(found, E, n)
    return number.bit_length() <= bits and _fits(prepared, number.to_bytes((bits + 7) // 8), bits)


def size(n: int) -> int:
    """Bytes of a number below n."""
    return (n.bit_length() + 7) // 8


def _encoded(message: bytes, bits: int, salt: bytes) -> bytes:
    """EMSA-PSS-ENCODE (RFC 8017, section 9.1.1)."""
    length = (bits + 7) // 8
    digest = sha384(bytes(8) + sha384(message).digest() + salt).digest()
    block = bytes(length - len(salt) - HASH_BYTES - 2) + b"\x01" + salt
    masked = bytearray(one ^ other for one, other in zip(block, _mask(digest, len(block)), strict=True))
    masked[0] &= 0xFF >> (8 * length - bits)
    return bytes(masked) + digest + b"\xbc"


def _fits(message: bytes, encoded: bytes, bits: int) -> bool:
    """EMSA-PSS-VERIFY: whether a text was encoded so from this message; the salt in it decides nothing."""
    length = len(encoded)
    masked, digest = encoded[: length - HASH_BYTES - 1], encoded[length - HASH_BYTES - 1 : -1]
    block = bytearray(one ^ other for one, other in zip(masked, _mask(digest, len(masked)), strict=True))
    block[0] &= 0xFF >> (8 * length - bits)
    return _encoded(message, bits, bytes(block[-SALT_BYTES:])) == encoded


def _mask(seed: bytes, length: int) -> bytes:
    """MGF1 with SHA-384."""
    pieces = (sha384(seed + count.to_bytes(4)).digest() for count in range(-(-length // HASH_BYTES)))
    return b"".join(pieces)[:length]
